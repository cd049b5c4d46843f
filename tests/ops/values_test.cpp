// Every program of support/programs.h gives what JAX gives (library/values.txt), and the same bits
// three ways: evaluated operation by operation, jitted, and by the evaluator on the lowered module.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "evaluator/prepare.h"
#include "lowering/lower.h"
#include "support/program_inputs.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

Arrays run_jitted(const Program& program, const Arrays& inputs) { return jit(program.function, {.name = program.name})(inputs); }

// Of keys, the array of their words.
Aval words_aval(Aval aval) {
  if (!aval.dtype.is_prng_key()) return aval;
  aval.shape.push_back(2);
  return {aval.shape, DType(DType::kUInt32)};
}

Arrays run_evaluator(const Program& program, const Arrays& inputs) {
  Module module = lower_jaxpr(trace(program), {.name = program.name});
  std::vector<evaluator::Tensor> arguments;
  std::vector<std::string> bytes;
  for (const Array& x : inputs) bytes.push_back(bytes_of(x));
  for (size_t i = 0; i < inputs.size(); ++i) arguments.emplace_back(words_aval(inputs[i].aval()), bytes[i].data());
  const Avals avals = trace(program).out_avals();
  Arrays out;
  for (const evaluator::Tensor& t : evaluator::run(*evaluator::prepare(module), arguments))
    out.push_back(detail::array_from_host(t.data(), avals[out.size()]));
  return out;
}

// Lines of values.txt, by program.
const std::map<std::string, std::vector<std::string>>& computed_by_jax() {
  static const auto all = [] {
    std::map<std::string, std::vector<std::string>> blocks;
    std::ifstream file(TENON_TEST_DATA "/library/values.txt");
    std::string name, line;
    while (std::getline(file, line)) {
      if (line.starts_with("### ")) name = line.substr(4);
      else blocks[name].push_back(line);
    }
    return blocks;
  }();
  return all;
}

double tolerance(DType dtype) {
  switch (dtype.code()) {
    case DType::kBFloat16: return 1e-2;
    case DType::kFloat16: return 2e-3;
    default: return 4e-6;
  }
}

bool is_near(double got, double want, double relative) {
  if (std::isnan(want) || std::isinf(want)) return std::isnan(want) ? std::isnan(got) : got == want;
  return std::abs(got - want) <= relative * (1 + std::abs(want));
}

void expect_as_jax(const Array& got, const std::string& line) {
  std::istringstream words(line);
  std::string dtype, shape, word;
  words >> dtype >> shape;
  EXPECT_EQ(got.dtype().str(), dtype);
  std::string own_shape;
  for (int64_t size : got.shape()) own_shape += (own_shape.empty() ? "" : "x") + std::to_string(size);
  EXPECT_EQ(own_shape.empty() ? "scalar" : own_shape, shape);
  if (got.dtype().is_complex()) return;
  const Array numbers = got.dtype().is_prng_key() ? random::key_data(got) : got;
  std::vector<double> values = numbers.to_vector<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(words >> word);
    EXPECT_TRUE(is_near(values[i], std::strtod(word.c_str(), nullptr), got.dtype().is_floating() ? tolerance(got.dtype()) : 0))
        << "element " << i << ": got " << values[i] << ", JAX has " << word;
  }
}

class ProgramValues : public testing::TestWithParam<size_t> {};

TEST_P(ProgramValues, AreJaxsAndEqualThreeWays) {
  const Program& program = programs()[GetParam()];
  if (is_endless(program)) return;  // tests/api/control_flow_test.cpp has their values
  const Arrays inputs = inputs_of(program);
  const Arrays evaluated = run_evaluator(program, inputs);
  const auto& lines = computed_by_jax().at(program.name);
  ASSERT_EQ(evaluated.size(), lines.size());
  for (size_t i = 0; i < evaluated.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    expect_as_jax(evaluated[i], lines[i]);
  }
  Arrays jitted, eager;
  try {
    jitted = run_jitted(program, inputs);
    eager = program.function(inputs);
    for (const Arrays* results : {&jitted, &eager})
      for (const Array& result : *results) result.block_until_ready();
  } catch (const UnimplementedError& e) {  // a dtype that the backend has no code for
    GTEST_SKIP() << "evaluated only: " << e.what();
  }
  for (size_t i = 0; i < jitted.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    EXPECT_EQ(eager[i].aval().str(), jitted[i].aval().str());
    EXPECT_EQ(bytes_of(eager[i]), bytes_of(jitted[i]));
    EXPECT_EQ(bytes_of(evaluated[i]), bytes_of(jitted[i]));
  }
}

// On a diagonal the squares cancel to 0, but inf - inf is no number.
TEST(Square, OfComplexNumbersOnADiagonal) {
  const Array parts = jnp::array({INFINITY, 3e30f, 1e-30f}), x = lax::complex(parts, lax::neg(parts));
  for (const Array& y : {lax::square(x), jit([](const Array& z) { return lax::square(z); })(x)}) {
    const auto real = lax::real(y).to_vector<float>(), imag = lax::imag(y).to_vector<float>();
    EXPECT_TRUE(std::isnan(real[0]));
    EXPECT_EQ(real[1], 0);
    EXPECT_EQ(real[2], 0);
    EXPECT_EQ(imag[0], -INFINITY);
    EXPECT_EQ(imag[1], -INFINITY);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ProgramValues, testing::Range<size_t>(0, programs().size()),
                         [](const auto& info) { return std::string(programs()[info.param].name); });

}  // namespace
}  // namespace tenon::test
