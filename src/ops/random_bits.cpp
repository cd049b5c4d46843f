// random_bits: unsigned integers of random bits, from each key.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/threefry.h"

namespace tenon::lax {

static DType unsigned_dtype(int64_t bits) {
  switch (bits) {
    case 8: return DType(DType::kUInt8);
    case 16: return DType(DType::kUInt16);
    case 32: return DType(DType::kUInt32);
    case 64: return DType(DType::kUInt64);
    default: fail<ValueError>("random_bits", "bit_width must be 8, 16, 32 or 64; got ", bits);
  }
}

constinit const Primitive random_bits_p{
    .name = "random_bits",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("random_bits", in, 1);
      check_keys("random_bits", in[0]);
      return {{appended(in[0].shape, params.get<Shape>("shape")), unsigned_dtype(params.get<int64_t>("bit_width"))}};
    },
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& keys, const EqnParams& params) -> Values {
      const Values words = random_words(b, keys[0], params.get<Shape>("shape"));
      const DType dtype = unsigned_dtype(params.get<int64_t>("bit_width"));
      if (dtype.bits() == 64) {
        const Value high = b.convert(words[0], dtype);
        const Value low = b.convert(words[1], dtype);
        return {b.or_(b.shift_left(high, full_integer_value(b, 32, high.aval())), low)};
      }
      const Value bits = b.xor_(words[0], words[1]);
      return {dtype.bits() == 32 ? bits : b.convert(bits, dtype)};
    },
};

}  // namespace tenon::lax
