// The primitive operations, in the spelling of jax.lax: one declaration and one docstring each.
//
// Elementwise operations with several operands want equal dtypes, and shapes that are equal up to
// axes of size 1; a scalar fits any shape. Nothing is converted: that is what jnp.h does.
// They throw TypeError for a dtype that they do not take and ShapeError for shapes that do not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/array.h"
#include "tenon/detail/ref.h"
#include "tenon/options_tag.h"

#pragma GCC visibility push(default)

namespace tenon::lax {

// ---- Elementwise, one operand -------------------------------------------------------------------

/// -x. Any number.
Array neg(const Operand& x);
/// -1, 0 or 1 with the sign of x; NaN and -0.0 stay. Any number; x / |x| for complex.
Array sign(const Operand& x);
/// Largest integer not above x. Floating.
Array floor(const Operand& x);
/// Smallest integer not below x. Floating.
Array ceil(const Operand& x);
/// How `round` treats halves.
enum class RoundingMethod { away_from_zero = 0, to_nearest_even = 1 };
/// Nearest integer. Floating.
Array round(const Operand& x, RoundingMethod method = RoundingMethod::away_from_zero);
/// Neither infinite nor NaN, as bool. Floating.
Array is_finite(const Operand& x);
/// |x|. Signed integers (the least one wraps), floating, complex (result: the real dtype).
Array abs(const Operand& x);
/// e^x. Floating or complex, as the following ones.
Array exp(const Operand& x);
/// Natural logarithm; NaN below 0.
Array log(const Operand& x);
/// e^x - 1 and log(1 + x), exact where x is small.
Array expm1(const Operand& x);
Array log1p(const Operand& x);
/// Logarithm to base 2.
Array log2(const Operand& x);
/// 2^x.
Array exp2(const Operand& x);
Array sin(const Operand& x);
Array cos(const Operand& x);
Array tan(const Operand& x);
Array asin(const Operand& x);
Array acos(const Operand& x);
Array atan(const Operand& x);
Array sinh(const Operand& x);
Array cosh(const Operand& x);
Array tanh(const Operand& x);
Array asinh(const Operand& x);
Array acosh(const Operand& x);
Array atanh(const Operand& x);
/// 1 / (1 + e^-x).
Array logistic(const Operand& x);
/// Square root; NaN below 0.
Array sqrt(const Operand& x);
/// 1 / sqrt(x).
Array rsqrt(const Operand& x);
/// Cube root. Floating, as the following ones.
Array cbrt(const Operand& x);
/// The error function, 1 - erf(x), and the inverse: erf(erf_inv(x)) = x.
Array erf(const Operand& x);
Array erfc(const Operand& x);
Array erf_inv(const Operand& x);
/// log |gamma(x)|, and the derivative of log gamma.
Array lgamma(const Operand& x);
Array digamma(const Operand& x);
/// The m-th derivative of digamma at x, m = 0, 1, 2, ...; NaN for another m. Floating.
Array polygamma(const Operand& m, const Operand& x);
/// Hurwitz' zeta function: the sum of (q + k)^-x over k = 0, 1, 2, ..., for x > 1. Floating.
Array zeta(const Operand& x, const Operand& q);
/// x as a format with these bits holds it: rounded to nearest even, infinite or 0 beyond its range.
/// Throws ValueError for exponent_bits < 1 or mantissa_bits < 0.
Array reduce_precision(const Operand& x, int exponent_bits, int mantissa_bits);
/// The parts of a complex number.
Array real(const Operand& x);
Array imag(const Operand& x);
/// x with the imaginary part negated. Complex; or float32, float64, which become complex.
Array conj(const Operand& x);
/// How many bits are 1; how many of the highest ones are 0. Integer.
Array population_count(const Operand& x);
Array clz(const Operand& x);
/// x * x. Any number.
Array square(const Operand& x);
/// 1 - x * x, exact where |x| is near 1.
Array one_minus_square(const Operand& x);
/// x to the power of an integer that is known while tracing, by repeated multiplication.
/// Throws TypeError for an integer x with y < 0.
Array integer_pow(const Operand& x, int y);
/// !x of bool, ~x of integers.
Array bitwise_not(const Operand& x);
/// x, whose derivative is zero.
Array stop_gradient(const Operand& x);
/// A new array with the elements of x.
Array copy(const Operand& x);

// ---- Elementwise, two and three operands --------------------------------------------------------

/// x + y; integers wrap.
Array add(const Operand& x, const Operand& y);
Array sub(const Operand& x, const Operand& y);
/// x + y, where derivatives meet. One shape.
Array add_any(const Operand& x, const Operand& y);
Array mul(const Operand& x, const Operand& y);
/// x / y; integers truncate towards zero, x / 0 is -1.
Array div(const Operand& x, const Operand& y);
/// Remainder with the sign of x; x for an integer y of 0. Integer or floating.
Array rem(const Operand& x, const Operand& y);
/// x to the power of y. x floating or complex; y of the same dtype or an integer.
Array pow(const Operand& x, const Operand& y);
/// The angle of the point (y, x), in [-pi, pi]. Floating or complex.
Array atan2(const Operand& y, const Operand& x);
/// The neighbour of x on the way to y. Floating.
Array nextafter(const Operand& x, const Operand& y);
/// x + iy. float32 or float64.
Array complex(const Operand& x, const Operand& y);
/// The larger; NaN when one is NaN.
Array max(const Operand& x, const Operand& y);
/// The smaller; NaN when one is NaN.
Array min(const Operand& x, const Operand& y);
/// Bool or integer, as or and xor.
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);
/// x shifted by y bits; integers. 0 (the sign, for an arithmetic shift) when y is not in [0, bits).
Array shift_left(const Operand& x, const Operand& y);
Array shift_right_arithmetic(const Operand& x, const Operand& y);
Array shift_right_logical(const Operand& x, const Operand& y);
/// x == y, as bool. Any dtype.
Array eq(const Operand& x, const Operand& y);
Array ne(const Operand& x, const Operand& y);
/// x < y, as bool. Any dtype with an order, as the following ones.
Array lt(const Operand& x, const Operand& y);
Array le(const Operand& x, const Operand& y);
Array gt(const Operand& x, const Operand& y);
Array ge(const Operand& x, const Operand& y);
/// min(max(x, low), high); low and high are scalars or have x's shape.
Array clamp(const Operand& low, const Operand& x, const Operand& high);
/// cases[which], element by element.
///
///   which    bool (two cases: false, true) or int32; a scalar or the cases' shape
///   cases    one shape, one dtype
Array select_n(const Operand& which, const Arrays& cases);
/// on_true where pred is, else on_false.
Array select(const Operand& pred, const Operand& on_true, const Operand& on_false);

// ---- Types and shapes ---------------------------------------------------------------------------

/// The elements converted to `dtype` (64-bit ones become 32-bit unless enable_x64 is set).
/// Floating to integer truncates and saturates; NaN becomes 0; anything to bool is x != 0.
Array convert_element_type(const Operand& x, DType dtype);
/// The bits of x as elements of `dtype`. Smaller elements make a new minor axis, larger ones take the
/// last axis, which holds their parts. Integer and floating; bool and complex only to themselves.
/// Throws TypeError for those, ValueError when the last axis does not fit.
Array bitcast_convert_type(const Operand& x, DType dtype);
/// Axis i of x becomes axis `broadcast_dimensions[i]` of the result; other axes repeat.
///
///   x            size 1 or the result's size along each axis
///   result       shape `shape`
///
///     broadcast_in_dim(v, {3, 4}, {1})   // f32[4] -> f32[3,4], each row v
Array broadcast_in_dim(const Operand& x, const Shape& shape, const Axes& broadcast_dimensions);
/// New major axes of the given sizes.
Array broadcast(const Operand& x, const Shape& sizes);
/// The same elements in row-major order under another shape. x itself when the shape is x's.
Array reshape(const Operand& x, const Shape& new_sizes);
/// Permutes axes: axis i of the result is axis `permutation[i]` of x. x itself for the identity.
Array transpose(const Operand& x, const Axes& permutation);
/// Removes axes of size 1.
Array squeeze(const Operand& x, const Axes& dimensions);
/// Adds axes of size 1: the result's `dimensions` (a broadcast_in_dim).
Array expand_dims(const Operand& x, const Axes& dimensions);
/// Elements start, start + stride, ... below limit, along each axis.
Array slice(const Operand& x, const Shape& start_indices, const Shape& limit_indices, const std::optional<Shape>& strides = {});
/// A block of the given sizes at indices that may be traced; moved inside where it would reach out.
/// A negative index counts from the end.
Array dynamic_slice(const Operand& x, const Arrays& start_indices, const Shape& slice_sizes);
/// x with `update` at indices that may be traced; moved inside where it would reach out.
/// A negative index counts from the end.
Array dynamic_update_slice(const Operand& x, const Operand& update, const Arrays& start_indices);

/// How many values go before, after and between the elements along each axis; negative ones before
/// and after cut elements off.
struct PaddingConfig {
  struct Axis {
    int64_t low = 0, high = 0, interior = 0;
    bool operator==(const Axis&) const;
  };
  std::vector<Axis> axes;
  PaddingConfig(std::initializer_list<Axis> list);
  explicit PaddingConfig(std::vector<Axis> list);
  bool operator==(const PaddingConfig&) const;
  std::string str() const;  // "((1, 2, 0), (0, -1, 0))"
};
/// x with `padding_value`, a scalar of its dtype, around its elements and between them.
///
///     pad(v, 0.0f, {{1, 2, 0}})   // f32[4] -> f32[7]
Array pad(const Operand& x, const Operand& padding_value, const PaddingConfig& padding_config);
/// Reverses the order along axes.
Array rev(const Operand& x, const Axes& dimensions);
/// The arrays one after the other along `dimension`. One dtype; other axes equal.
Array concatenate(const Arrays& xs, int dimension, Loc loc = Loc::current());
/// The arrays side by side along a new axis.
Array stack(const Arrays& xs, int axis, Loc loc = Loc::current());
/// Parts of the given sizes along `axis`.
Arrays split(const Operand& x, const std::vector<int64_t>& sizes, int axis);
/// The arrays side by side along `axis`, without that axis.
Arrays unstack(const Operand& x, int axis = 0);
/// x repeated `reps[i]` times along each axis.
Array tile(const Operand& x, const Shape& reps);

/// Which axis of a gather is what; as in the StableHLO specification.
struct GatherDimensionNumbers {
  Axes offset_dims, collapsed_slice_dims, start_index_map;
  Axes operand_batching_dims = {}, start_indices_batching_dims = {};
  bool operator==(const GatherDimensionNumbers&) const = default;
  std::string str() const;
};
/// What becomes of indices out of bounds: the program promises that there are none, they are moved
/// inside, they give a fill value.
enum class GatherScatterMode { promise_in_bounds, clip, fill_or_drop };
std::string param_str(GatherScatterMode mode);
struct GatherOptions {
  TENON_NAMED;
  GatherScatterMode mode = GatherScatterMode::promise_in_bounds;
  bool indices_are_sorted = false, unique_indices = false;
  Array fill_value = {};  // a C++ scalar; when empty, NaN, the least signed or largest unsigned integer, true
};
/// Slices of x at the positions in `start_indices` (their last axis is an index vector).
Array gather(const Operand& x, const Operand& start_indices, const GatherDimensionNumbers& dimension_numbers,
             const Shape& slice_sizes, const GatherOptions& options = {});

/// Which axis of a scatter is what.
struct ScatterDimensionNumbers {
  Axes update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  Axes operand_batching_dims = {}, scatter_indices_batching_dims = {};
  bool operator==(const ScatterDimensionNumbers&) const = default;
  std::string str() const;
};
struct ScatterOptions {
  TENON_NAMED;
  bool indices_are_sorted = false, unique_indices = false;
  GatherScatterMode mode = GatherScatterMode::fill_or_drop;
};
/// x with windows of `updates` at the positions in `scatter_indices` (their last axis is an index
/// vector). A window that reaches out of x is dropped whole (with `clip` moved inside). Of several
/// updates of one element the last wins.
Array scatter(const Operand& x, const Operand& scatter_indices, const Operand& updates,
              const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
/// The same, where updates combine with what is there: one after the other in the order of the
/// indices.
Array scatter_add(const Operand& x, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
Array scatter_max(const Operand& x, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
Array scatter_min(const Operand& x, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
Array scatter_mul(const Operand& x, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
Array scatter_sub(const Operand& x, const Operand& scatter_indices, const Operand& updates,
                  const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {});
/// x with function(element) at the positions; `update_shape` is the shape that updates would have.
Array scatter_apply(const Operand& x, const Operand& scatter_indices, tenon::detail::FunctionRef<Array(const Array&)> function,
                    const ScatterDimensionNumbers& dimension_numbers, const Shape& update_shape,
                    const ScatterOptions& options = {});

// ---- Sources ------------------------------------------------------------------------------------

/// 0, 1, 2, ... size - 1.
Array iota(DType dtype, int64_t size, Loc loc = Loc::current());
/// The index along `dimension`.
Array broadcasted_iota(DType dtype, const Shape& shape, int dimension, Loc loc = Loc::current());
/// `value` everywhere.
Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype = {});
/// `value` everywhere, with the shape and (unless given) the dtype of x.
Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype = {});
/// An array whose elements nobody should read (they are zeros). Throws TypeError for keys.
Array empty(const Shape& shape, DType dtype, Loc loc = Loc::current());

// ---- Reductions ---------------------------------------------------------------------------------

/// Sum over axes, which the result lacks. Any number. The order of additions is a function of the
/// shape only (docs/semantics.md).
Array reduce_sum(const Operand& x, const Axes& axes);
Array reduce_prod(const Operand& x, const Axes& axes);
/// Largest over axes; NaN when one is NaN; -inf or the least integer over no elements.
Array reduce_max(const Operand& x, const Axes& axes);
Array reduce_min(const Operand& x, const Axes& axes);
/// Bool or integer.
Array reduce_and(const Operand& x, const Axes& axes);
Array reduce_or(const Operand& x, const Axes& axes);
Array reduce_xor(const Operand& x, const Axes& axes);
/// By any associative function of two scalars; `init` changes nothing under it.
Array reduce(const Operand& x, const Operand& init, tenon::detail::FunctionRef<Array(const Array&, const Array&)> combine,
             const Axes& dimensions);
/// Several arrays at once: combine(accumulated values, values).
Arrays reduce(const Arrays& xs, const Arrays& inits, tenon::detail::FunctionRef<Arrays(const Arrays&, const Arrays&)> combine,
              const Axes& dimensions, Loc loc = Loc::current());
/// Index of the largest element along `axis`: the first of equal ones, or the first NaN.
Array argmax(const Operand& x, int axis, DType index_dtype = jnp::int32);
Array argmin(const Operand& x, int axis, DType index_dtype = jnp::int32);

// ---- Running totals and order ---------------------------------------------------------------------

/// Element i of the result combines elements 0 .. i along `axis`, or with `reverse` i and the
/// following. Any number. The order of additions is a function of the shape only.
Array cumsum(const Operand& x, int axis = 0, bool reverse = false);
Array cumprod(const Operand& x, int axis = 0, bool reverse = false);
/// NaN stays from where it first comes.
Array cummax(const Operand& x, int axis = 0, bool reverse = false);
Array cummin(const Operand& x, int axis = 0, bool reverse = false);
/// log of the running sum of e^x. Floating.
Array cumlogsumexp(const Operand& x, int axis = 0, bool reverse = false);

struct SortOptions {
  TENON_NAMED;
  int dimension = -1;
  bool is_stable = true;
  int num_keys = 1;
};
/// The elements in ascending order; NaN last, -0.0 equal to 0.0, complex by real part first.
Array sort(const Operand& x, const SortOptions& options = {});
/// All arrays reordered by the first `num_keys` of them, lexicographically.
Arrays sort(const Arrays& xs, const SortOptions& options = {}, Loc loc = Loc::current());
Arrays sort_key_val(const Operand& keys, const Operand& values, const SortOptions& options = {});
enum class FftType { FFT = 0, IFFT = 1, RFFT = 2, IRFFT = 3 };
/// The discrete Fourier transform of the last axes, at most three, whose sizes are `fft_lengths`: complex to complex
/// (FFT and its inverse, which divides by the number of elements), or from real numbers to the first half of the last
/// axis, n / 2 + 1 results (RFFT), and back (IRFFT). Numbers are converted to what it takes. Any length takes n log n
/// steps. Lowers to stablehlo.fft.
/// Throws ShapeError for lengths that are not the sizes, TypeError for a complex operand of RFFT.
Array fft(const Operand& x, FftType fft_type, const Shape& fft_lengths);
/// The k largest elements along an axis, largest first, and their indices (int32). Of equal ones the
/// first; NaN is the largest, and 0.0 larger than -0.0.
Arrays top_k(const Operand& x, int64_t k, int axis = -1);

// ---- Products -----------------------------------------------------------------------------------

/// Which axes of a dot_general are summed over and which are paired.
struct DotDimensionNumbers {
  Axes lhs_contracting, rhs_contracting;
  Axes lhs_batch = {}, rhs_batch = {};
  bool operator==(const DotDimensionNumbers&) const = default;
  std::string str() const;  // "(([1], [0]), ([], []))"
};
std::string param_str(Precision precision);  // "(Precision.HIGH, Precision.HIGH)"
/// Sum of products.
///
///   result   batch axes, then the rest of x, then the rest of y; the dtype of the operands
///            or `preferred_element_type`
///
///     dot_general(a, b, {{1}, {0}})   // matrix product
Array dot_general(const Operand& x, const Operand& y, const DotDimensionNumbers& dimension_numbers, const DotOptions& options = {});
/// Product of vectors and matrices.
Array dot(const Operand& x, const Operand& y);

// ---- Along named axes -----------------------------------------------------------------------------

/// Sum, largest, smallest, mean over the elements along an axis that vmap has named; the same for
/// each of them. Any number; reverse derivatives of psum and pmean.
/// Throw ValueError when no axis has this name.
Array psum(const Operand& x, std::string_view axis_name);
Array pmax(const Operand& x, std::string_view axis_name);
Array pmin(const Operand& x, std::string_view axis_name);
Array pmean(const Operand& x, std::string_view axis_name);
/// The index of the element along the axis, int32; the number of elements.
Array axis_index(std::string_view axis_name, Loc loc = Loc::current());
int64_t axis_size(std::string_view axis_name, Loc loc = Loc::current());
struct AllGatherOptions {
  TENON_NAMED;
  int axis = 0;
  bool tiled = false;  // one after the other along the axis, instead of along a new one
};
/// The elements along the named axis side by side.
Array all_gather(const Operand& x, std::string_view axis_name, const AllGatherOptions& options = {});

// ---- Order --------------------------------------------------------------------------------------

/// x, computed before and apart from what uses it: no optimization reaches over.
Array optimization_barrier(const Operand& x);
Arrays optimization_barrier(const Arrays& xs, Loc loc = Loc::current());

}  // namespace tenon::lax

#pragma GCC visibility pop
