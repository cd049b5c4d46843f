// bitcast_convert between all pairs of element types, compiled, against the evaluator.
#include "run_both.h"

namespace tenon::cpu {
namespace {

struct Element {
  const char* name;
  int bits;
};
constexpr Element kElements[] = {{"i1", 1},   {"i8", 8},   {"ui8", 8},   {"i16", 16}, {"bf16", 16},         {"f16", 16},           {"i32", 32},
                                 {"f32", 32}, {"ui64", 64}, {"f64", 64}, {"complex<f32>", 64}, {"complex<f64>", 128}};

/// Bytes without a meaning, but for bools, which are 0 or 1.
Tensor random_bits(const Aval& aval) {
  Tensor tensor(aval);
  std::mt19937 engine(7);
  auto* bytes = static_cast<unsigned char*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.nbytes(); ++i) bytes[i] = static_cast<unsigned char>(aval.dtype.is_bool() ? engine() & 1 : engine());
  return tensor;
}

TEST(Bitcast, OfAllPairsOfTypes) {
  for (const Element& from : kElements) {
    for (const Element& to : kElements) {
      if ((*from.name == 'c') != (*to.name == 'c')) continue;  // not between real and complex numbers
      const auto type = [&](const Element& e, const Element& other) {
        const std::string last = e.bits < other.bits ? std::to_string(other.bits / e.bits) + "x" : "";
        return "tensor<3x5x" + last + e.name + ">";
      };
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      const std::string a = type(from, to), b = type(to, from);
      const Module module = program("(%a: " + a + ") -> " + b, "  %0 = stablehlo.bitcast_convert %a : (" + a + ") -> " + b + "\n  return %0 : " + b);
      const Tensors inputs{random_bits(evaluator::prepare(module)->argument_avals()[0])};
      const Tensors got = execute(*compiled(module), inputs), want = run_evaluator(module, inputs);
      if (to.bits < 128) expect_same(got, want);
      else EXPECT_EQ(std::memcmp(got[0].data(), want[0].data(), static_cast<size_t>(want[0].nbytes())), 0);
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
