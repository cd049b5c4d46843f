// What the functions of arrays refuse, in sentences.
#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

TEST(Einsum, NamesWhatDoesNotFit) {
  const Array x = jnp::ones({2, 3}), y = jnp::ones({4, 5}), v = jnp::ones({2});
  EXPECT_ERROR(ValueError, jnp::einsum("ij,jk", x), "einsum: the subscripts are for 2 operands; got 1 and 'ij,jk'");
  EXPECT_ERROR(ValueError, jnp::einsum("ijk", x), "einsum: the subscripts 'ijk' are not those of operand 0; got f32[2,3] and 'ijk'");
  EXPECT_ERROR(ValueError, jnp::einsum("...ijk", x), "einsum: the subscripts '...ijk' are not those of operand 0; got f32[2,3] and '...ijk'");
  EXPECT_ERROR(ShapeError, jnp::einsum("ij,jk->ik", x, y),
               "einsum: sizes of the axes 'j' differ: 3 and, in operand 1, 4; got f32[2,3] and f32[4,5] and 'ij,jk->ik'");
  EXPECT_ERROR(ValueError, jnp::einsum("ij->z", x), "einsum: the result's subscript 'z' is none of the operands'; got 'ij->z'");
  EXPECT_ERROR(ValueError, jnp::einsum("ij->ii", x), "einsum: the result's subscript 'i' comes more than once; got 'ij->ii'");
  for (const char* text : {"i-j", "i$", "ij->ij->", "....ij", "i..j", "i1", "...i..."})
    EXPECT_THROW(jnp::einsum(text, text[1] == '$' ? v : x), ValueError) << text;
  EXPECT_THROW(jnp::einsum("ij,jk->ik", x, random::key(0)), Error);
}

TEST(Einsum, IsTheSumOverWhatTheResultLacks) {
  const Array a = jnp::arange(24.0).reshape({2, 3, 4}), b = jnp::arange(8.0).reshape({4, 2}), c = jnp::arange(3.0);
  // Three operands, an axis that all share with the result, one of a single operand.
  const Array got = jnp::einsum("ijk,kl,j->jl", a, b, c);
  const Array want = jnp::sum(a(all, all, all, newaxis) * b * c(all, newaxis, newaxis), {.axis = {0, 2}});
  EXPECT_TRUE(bool(jnp::array_equal(got, want))) << got.str() << want.str();
  EXPECT_TRUE(bool(jnp::array_equal(jnp::einsum(" i j , j ", a(0), b(all, 0)(slice(3, {})).sum() * jnp::ones({4})), a(0).sum(1) * 6.0)));
}

TEST(Numpy, NamesWhatDoesNotFit) {
  const Array x = jnp::ones({2, 3}), v = jnp::ones({3}), s = jnp::ones({});
  EXPECT_ERROR(ValueError, jnp::diag(s), "diag: takes a vector or a matrix; got f32[]");
  EXPECT_ERROR(ValueError, jnp::trace(v), "trace: needs at least two axes; got f32[3]");
  EXPECT_ERROR(ValueError, jnp::tril(v), "tril: needs at least two axes; got f32[3]");
  EXPECT_ERROR(TypeError, jnp::roll(x, 1.5), "roll: the shift must be an integer; got f32[]");
  EXPECT_ERROR(ValueError, jnp::pad(x, {{1, 2}, {0, -3}}), "pad: widths must not be negative; got (0, -3) for axis 1");
  EXPECT_ERROR(ValueError, jnp::pad(v, {{1, 2}, {0, 3}}), "pad: needs one pair of widths for each axis, or one for all; got 2 for f32[3]");
  EXPECT_ERROR(ValueError, jnp::meshgrid({x}), "meshgrid: takes vectors; got f32[2,3]");
  EXPECT_ERROR(TypeError, jnp::take_along_axis(x, x), "take_along_axis: indices must be integers; got f32[2,3]");
  EXPECT_ERROR(ValueError, jnp::median(jnp::ones({0})), "median: there is no element; got f32[0]");
  EXPECT_ERROR(ValueError, jnp::diff(v, -1), "diff: n must not be negative; got -1");
  EXPECT_ERROR(TypeError, jnp::frexp(jnp::ones({2}, jnp::complex64)), "frexp: takes real numbers; got complex64");
  EXPECT_ERROR(TypeError, nn::one_hot(v, 3), "one_hot: takes integers; got f32[3]");
  EXPECT_THROW(jnp::cross(x, x(all, slice(2))), ValueError);
  EXPECT_THROW(jnp::average(x, {.weights = v}), TypeError);
  EXPECT_THROW(jnp::average(x, {.axis = 0, .weights = v}), ShapeError);
  EXPECT_THROW(jnp::take_along_axis(x, jnp::array({0, 1})), ValueError);
  EXPECT_THROW(jnp::nanmax(jnp::ones({0})), ValueError);
  const Array mask = v > 0;
  EXPECT_ERROR(TypeError, jnp::nansum(x, {.where = v}), "nansum: `where` is an array of bools; got f32[3]");
  EXPECT_ERROR(ShapeError, jnp::var(v, {.where = x > 0}), "var: `where` must broadcast to the shape of the operand; got bool[2,3] and f32[3]");
  EXPECT_ERROR(ShapeError, jnp::nanstd(x, {.where = jnp::ones({2}, jnp::bool_)}),
               "nanstd: `where` must broadcast to the shape of the operand; got bool[2] and f32[2,3]");
  EXPECT_ERROR(ValueError, jnp::nanmin(v, {.where = mask}), "min: with `where` there may be no element left: give `initial`, the result then");
  EXPECT_ERROR(ValueError, jnp::std(v, {.dtype = jnp::int32}), "std: dtype must be floating; got int32");
  EXPECT_ERROR(ValueError, jnp::nanvar(jnp::ones({2}, jnp::complex64), {.dtype = jnp::float32}),
               "nanvar: the variance of complex numbers in a real dtype is not defined; got c64[2] and float32");
}

// What a mask hides, NaN and infinities too, reaches neither the result nor a derivative.
TEST(Numpy, MasksHide) {
  const double nan = jnp::nan;
  const Array x = jnp::array({1.0, nan, 3.0, jnp::inf, 8.0}), shown = jnp::array({true, false, true, false, true});
  const Array kept = jnp::array({1.0, 3.0, 8.0}), places = jnp::array({0, 2, 4});
  const auto check = [&](const char* name, auto masked, auto plain) {
    const auto alone = [&](Array v) { return plain(v); };
    EXPECT_NEAR(float(masked(x)), float(alone(kept)), 1e-4) << name;
    EXPECT_NEAR(float(jit(masked)(x)), float(alone(kept)), 1e-4) << name;
    const Array wanted = jnp::zeros({5}).at(places).set(grad(alone)(kept));
    EXPECT_TRUE(bool(jnp::allclose(grad(masked)(x), wanted, 1e-4, 1e-5))) << name << " " << grad(masked)(x).str();
    EXPECT_TRUE(bool(jnp::allclose(jit(grad(masked))(x), wanted, 1e-4, 1e-5))) << name;
    EXPECT_TRUE(bool(jnp::allclose(jacfwd(masked)(x), wanted, 1e-4, 1e-5))) << name << " " << jacfwd(masked)(x).str();
  };
  check("var", [&](Array v) { return jnp::var(v, {.where = shown}); }, [](Array v) { return jnp::var(v); });
  check("std", [&](Array v) { return v.std({.ddof = 1, .where = shown}); }, [](Array v) { return jnp::std(v, {.ddof = 1}); });
  check("mean", [&](Array v) { return v.mean({.where = shown}); }, [](Array v) { return v.mean(); });
  check("sum of squares", [&](Array v) { return jnp::power(v, 2).sum({.where = shown}); }, [](Array v) { return jnp::power(v, 2).sum(); });
  check("nansum", [&](Array v) { return jnp::nansum(v, {.where = shown}); }, [](Array v) { return v.sum(); });
  check("nanprod", [&](Array v) { return jnp::nanprod(v, {.where = shown}); }, [](Array v) { return v.prod(); });
  check("nanmax", [&](Array v) { return jnp::nanmax(v, {.initial = 0.0, .where = shown}); }, [](Array v) { return v.max(); });
  check("nanmean", [&](Array v) { return jnp::nanmean(v, {.where = shown}); }, [](Array v) { return v.mean(); });
  check("nanvar", [&](Array v) { return jnp::nanvar(v, {.where = shown}); }, [](Array v) { return jnp::var(v); });
  check("nanstd", [&](Array v) { return jnp::nanstd(v, {.ddof = 1, .where = shown}); }, [](Array v) { return jnp::std(v, {.ddof = 1}); });
  EXPECT_TRUE(std::isnan(float(jnp::var(x, {.where = jnp::zeros({5}, jnp::bool_)}))));
  EXPECT_TRUE(std::isnan(float(jnp::nanvar(jnp::array({nan, 1.0}), {.ddof = 1}))));
  EXPECT_EQ(float(jnp::nanvar(jnp::array({nan, 1.0, 3.0}))), 1.0f);
}

TEST(Numpy, LeavesNanOut) {
  const double nan = jnp::nan;
  const Array x = jnp::array({{1.0, nan, 3.0}, {nan, nan, nan}});
  EXPECT_EQ(float(jnp::nansum(x)), 4.0f);
  EXPECT_EQ(float(jnp::nanmean(x)), 2.0f);
  EXPECT_EQ(float(jnp::nanmax(x)), 3.0f);
  EXPECT_EQ(float(jnp::nanmin(x)), 1.0f);
  EXPECT_EQ(float(jnp::nanmedian(x)), 2.0f);
  EXPECT_EQ(jnp::nanmedian(x, {.axis = 1}).str(), "Array([ 2., nan], dtype=float32)");
  EXPECT_EQ(jnp::nanmax(x, {.axis = 1}).str(), "Array([ 3., nan], dtype=float32)");
  EXPECT_EQ(jnp::median(x, {.axis = 1}).str(), "Array([nan, nan], dtype=float32)");
  EXPECT_EQ(jnp::nanmedian(jnp::array({3.0, -nan, 1.0, nan})).str(), "Array(2., dtype=float32)");  // jax-6431: of either sign
  EXPECT_EQ(jnp::nan_to_num(jnp::array({nan, jnp::inf, -1.0}), {.nan = 7, .posinf = 8}).str(), "Array([ 7.,  8., -1.], dtype=float32)");
  EXPECT_EQ(jnp::fmax(jnp::array({nan, 1.0, nan}), jnp::array({2.0, nan, nan})).str(), "Array([ 2.,  1., nan], dtype=float32)");
}

}  // namespace
}  // namespace tenon::test
