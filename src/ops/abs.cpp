// abs: |x|; of a complex number a real one.
#include <limits>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// Bounds of what may be squared, and the scales beyond them.
static constexpr double kLargeF32 = 0x1p63, kSmallF32 = 0x1p-12, kShrinkF32 = 0x1p-75, kGrowF32 = 0x1p75;
static constexpr double kLargeF64 = 0x1p511, kSmallF64 = 0x1p-26, kShrinkF64 = 0x1p-537, kGrowF64 = 0x1p537;

// sqrt(x^2 + y^2), x and y scaled by a power of two where their squares would overflow or underflow;
// infinite where one is, whatever the other. Operation for operation as JAX emits it, which includes
// the two quotients that nothing uses.
static Value complex_abs(StablehloBuilder& b, const Value& z) {
  const Value x = b.real(z), y = b.imag(z);
  const Aval part = x.aval();
  const bool is_single = part.dtype.code() == DType::kFloat32;
  const Value x_size = b.abs(x), y_size = b.abs(y);
  const Value larger = b.maximum(x_size, y_size);
  const auto bounds = [&](double bound, ComparisonDirection direction) {
    return b.compare(larger, full_value(b, bound, part), direction);
  };
  const Value is_large = bounds(is_single ? kLargeF32 : kLargeF64, ComparisonDirection::GE);
  const Value is_small = bounds(is_single ? kSmallF32 : kSmallF64, ComparisonDirection::LE);
  const Value shrink = full_value(b, is_single ? kShrinkF32 : kShrinkF64, part);
  const Value grow = full_value(b, is_single ? kGrowF32 : kGrowF64, part);
  const Value one = full_value(b, 1, part);
  const auto scaled = [&](const Value& v) {
    const Value shrunk = b.multiply(v, shrink), grown = b.multiply(v, grow);
    return b.select(is_large, shrunk, b.select(is_small, grown, v));
  };
  const Value x_scaled = scaled(x), y_scaled = scaled(y);
  const Value back = b.select(is_large, grow, b.select(is_small, shrink, one));
  const Value x_square = b.chlo_square(x_scaled), y_square = b.chlo_square(y_scaled);
  const Value root = b.sqrt(b.add(x_square, y_square));
  const Value size = b.multiply(root, back);
  const Value infinity = full_value(b, std::numeric_limits<double>::infinity(), part);
  const Value x_infinite = b.compare(x_size, infinity, ComparisonDirection::EQ);
  const Value y_infinite = b.compare(y_size, infinity, ComparisonDirection::EQ);
  const Value result = b.select(b.or_(x_infinite, y_infinite), infinity, size);
  b.divide(x_scaled, root);
  b.divide(y_scaled, root);
  return result;
}

static Array abs_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  if (x[0].dtype().is_complex()) {
    const Array conjugate = conj(x[0]);
    const Array size = convert_type(y, x[0].dtype(), false);
    const Array is_zero = eq(size, constant_like(size, 0));
    const Array divisor = select(is_zero, full_like(size, 1), size);
    return real(mul(g, div(conjugate, divisor)));
  }
  const Array positive = ge(x[0], constant_like(x[0], 0));
  return select(positive, g, neg(g));
}
constinit const Primitive abs_p{
    .name = "abs",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"abs", kSigned | kInexact>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .jvp = jvp_by_operand<abs_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {x[0].aval().dtype.is_complex() ? complex_abs(b, x[0]) : b.abs(x[0])};
    },
};
Array abs(const Operand& x) { return apply(abs_p, x); }

}  // namespace tenon::lax
