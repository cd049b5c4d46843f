// What happens when a traced value is used where only a value will do.
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

TEST(Tracers, AnIfOnATracedValueNamesLineArgumentAndWayOut) {
  auto f = jit([](Array v, Array flag) { return bool(flag > 0.5) ? jnp::sin(v) : jnp::cos(v); },
               {.name = "branch", .arg_names = {"v", "flag"}});
  EXPECT_ERROR_HAS(TracerBoolConversionError, f(jnp::ones({3}), 0.7), "jit branch: the value of a traced bool[] steers an if");
  EXPECT_ERROR_HAS(TracerBoolConversionError, f(jnp::ones({3}), 0.7), "tracer_errors_test.cpp:11");
  EXPECT_ERROR_HAS(TracerBoolConversionError, f(jnp::ones({3}), 0.7), "depends on argument flag");
  EXPECT_ERROR_HAS(TracerBoolConversionError, f(jnp::ones({3}), 0.7), "use lax::cond or jnp::where");
}

TEST(Tracers, BoolConversionErrorIsAConcretizationErrorIsATypeError) {
  auto f = jit([](Array v) { return bool(v > 0) ? v : -v; });
  EXPECT_THROW(f(1.0), ConcretizationTypeError);
  EXPECT_THROW(f(1.0), TypeError);
}

TEST(Tracers, NumbersAndElementsOfTracersAreErrors) {
  EXPECT_ERROR_HAS(ConcretizationTypeError, jit([](Array v) { return v * float(v); })(1.0), "is asked for by float");
  EXPECT_ERROR_HAS(ConcretizationTypeError, jit([](Array v) { return v * v.item<int>(); })(1.0), "is asked for by item");
  EXPECT_ERROR_HAS(TracerArrayConversionError, jit([](Array v) { return jnp::asarray(v.to_vector<float>()); })(jnp::ones({2})),
                   "are asked for by to_vector");
}

TEST(Tracers, LeakedTracersAreReportedWhereTheyAreUsed) {
  Array leaked;
  jit([&leaked](Array t) { leaked = t * 2.0; return t; }, {.name = "leaky"})(jnp::ones({3}));
  EXPECT_ERROR_HAS(UnexpectedTracerError, leaked + 1.0, "add: a traced f32[3] is used after its trace (jit leaky) has ended");
  EXPECT_ERROR_HAS(UnexpectedTracerError, leaked + 1.0, "tracer_errors_test.cpp:");
  EXPECT_THROW(jit([&](Array t) { return t + leaked; })(jnp::ones({3})), UnexpectedTracerError);
  EXPECT_THROW(leaked.to_vector<float>(), UnexpectedTracerError);
}

TEST(Tracers, AFunctionThatThrowsLeavesNothingBehind) {
  auto f = jit([](Array t) -> Array { (void)(t + 1.0); throw std::runtime_error("mine"); });
  EXPECT_THROW(f(1.0), std::runtime_error);
  EXPECT_EQ((jnp::ones({2}) + 1.0).to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST(Arrays, AnEmptyArrayIsANamedError) {
  Array empty;
  EXPECT_ERROR_HAS(ValueError, empty.shape(), "the Array is empty");
  EXPECT_ERROR_HAS(ValueError, empty + 1.0, "empty");
  EXPECT_ERROR_HAS(ValueError, jit([](Array v) { return v; })(empty), "empty");
}

}  // namespace
}  // namespace tenon
