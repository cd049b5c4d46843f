// The array functions, in the spelling of jax.numpy. Operands are converted to a common dtype
// (C++ scalars are weak: they take the dtype of what they meet) and broadcast as NumPy does.
// Throws TypeError for dtypes that have none in common, ShapeError for shapes that do not fit,
// ValueError for an axis that is not there.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon {
class HostView;  // host.h

namespace detail {
/// Elements of the representation `from`, as an array of `dtype` (64-bit ones become 32-bit
/// unless enable_x64 is set).
Array array_of_elements(const void* data, DType::Code from, const Shape& shape, std::optional<DType> dtype);

// Nested initializer lists: their shape, then their elements in row-major order.
template <class T>
struct NestedList;
template <Scalar T>
struct NestedList<T> {
  using scalar = T;
  static void shape(const T&, Shape&, size_t) {}
  static bool fits(const T&, const Shape& shape, size_t depth) { return depth == shape.size(); }
  template <class Out>
  static void append(const T& v, Out& out) { out.push_back(v); }
};
template <class U>
struct NestedList<std::initializer_list<U>> {
  using scalar = typename NestedList<U>::scalar;
  static void shape(const std::initializer_list<U>& list, Shape& out, size_t depth) {
    out.push_back(static_cast<int64_t>(list.size()));
    if (list.size() > 0) NestedList<U>::shape(*list.begin(), out, depth + 1);
  }
  static bool fits(const std::initializer_list<U>& list, const Shape& shape, size_t depth) {
    if (depth >= shape.size() || static_cast<int64_t>(list.size()) != shape[depth]) return false;
    for (const U& inner : list)
      if (!NestedList<U>::fits(inner, shape, depth + 1)) return false;
    return true;
  }
  template <class Out>
  static void append(const std::initializer_list<U>& list, Out& out) {
    for (const U& inner : list) NestedList<U>::append(inner, out);
  }
};
[[noreturn]] void throw_ragged_list(const Shape& shape);
}  // namespace detail

namespace jnp {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double e = 2.71828182845904523536;
inline constexpr double inf = __builtin_inf(), nan = __builtin_nan("");

// ---- Making arrays ------------------------------------------------------------------------------

/// A copy of `x`; of a C++ scalar, a (weak) scalar array.
Array array(const Operand& x, std::optional<DType> dtype = {});
/// Arrays or scalars side by side along a new first axis: array({x, 1.0, y}).
Array array(std::initializer_list<Array> list, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// array({1, 2, 3}), array({{1.0, 2.0}, {3.0, 4.0}}): int32, float32 or bool as the elements are.
/// Throws ValueError when the lists are not rectangular.
template <Scalar T>
Array array(std::initializer_list<T> list, std::optional<DType> dtype = {}) {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> elements(list.begin(), list.end());
  return detail::array_of_elements(elements.data(), detail::dtype_code_of<T>(), {static_cast<int64_t>(list.size())}, dtype);
}
namespace detail_ {
template <class L>
Array from_lists(const L& lists, std::optional<DType> dtype) {
  using Nested = detail::NestedList<L>;
  using T = typename Nested::scalar;
  Shape shape;
  Nested::shape(lists, shape, 0);
  if (!Nested::fits(lists, shape, 0)) detail::throw_ragged_list(shape);
  std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> elements;
  Nested::append(lists, elements);
  return detail::array_of_elements(elements.data(), detail::dtype_code_of<T>(), shape, dtype);
}
}  // namespace detail_
template <Scalar T>
Array array(std::initializer_list<std::initializer_list<T>> lists, std::optional<DType> dtype = {}) {
  return detail_::from_lists(lists, dtype);
}
template <Scalar T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> lists, std::optional<DType> dtype = {}) {
  return detail_::from_lists(lists, dtype);
}
template <Scalar T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>> lists, std::optional<DType> dtype = {}) {
  return detail_::from_lists(lists, dtype);
}
/// The elements of a vector, in an array of one axis, or of the given shape.
template <Scalar T>
Array array(const std::vector<T>& elements, std::optional<DType> dtype = {}) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<unsigned char> bytes(elements.begin(), elements.end());
    return detail::array_of_elements(bytes.data(), DType::kBool, {static_cast<int64_t>(bytes.size())}, dtype);
  } else {
    return detail::array_of_elements(elements.data(), detail::dtype_code_of<T>(), {static_cast<int64_t>(elements.size())}, dtype);
  }
}
/// Arrays side by side along a new first axis.
Array array(const Arrays& list, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// As array, without a copy of what is an Array already.
Array asarray(const Operand& x, std::optional<DType> dtype = {});
template <Scalar T>
Array asarray(const std::vector<T>& elements, std::optional<DType> dtype = {}) { return array(elements, dtype); }
template <Scalar T>
Array asarray(std::initializer_list<T> list, std::optional<DType> dtype = {}) { return array(list, dtype); }
/// What lies in host memory, row-major whatever its order there; a copy. 64-bit elements become 32-bit ones unless enable_x64
/// is set or `dtype` says otherwise.
Array array(const HostView& view, std::optional<DType> dtype = {}, Loc loc = Loc::current());
Array asarray(const HostView& view, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// A copy.
Array copy(const Operand& x);

/// Ones, zeros, `value`. float32 (float64 with enable_x64) unless a dtype is given.
Array ones(const Shape& shape, std::optional<DType> dtype = {}, Loc loc = Loc::current());
Array zeros(const Shape& shape, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// Zeros: there is no uninitialized memory.
Array empty(const Shape& shape, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// `value` (an array is broadcast) with its own dtype unless one is given.
Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype = {});
/// With the shape and, unless given, the dtype of x.
Array ones_like(const Operand& x, std::optional<DType> dtype = {});
Array zeros_like(const Operand& x, std::optional<DType> dtype = {});
Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype = {});
/// 0, 1, ... below `stop`. The bounds must be known while tracing; their dtype is the result's.
Array arange(const Operand& stop, std::optional<DType> dtype = {});
/// start, start + 1, ... below `stop`.
Array arange(const Operand& start, const Operand& stop, std::optional<DType> dtype = {});
/// start, start + step, ... before `stop`.
Array arange(const Operand& start, const Operand& stop, const Operand& step, std::optional<DType> dtype = {});
struct LinspaceOptions {
  TENON_NAMED;
  bool endpoint = true;
  std::optional<DType> dtype = {};
};
/// `num` numbers, evenly from start to stop.
Array linspace(const Operand& start, const Operand& stop, int64_t num = 50, const LinspaceOptions& options = {});
/// Ones on the k-th diagonal of n x m (m = n when left out).
Array eye(int64_t n, std::optional<DType> dtype = {}, Loc loc = Loc::current());
Array eye(int64_t n, int64_t m, int k = 0, std::optional<DType> dtype = {}, Loc loc = Loc::current());
/// Ones on the diagonal.
Array identity(int64_t n, std::optional<DType> dtype = {}, Loc loc = Loc::current());
enum class Indexing : uint8_t { xy, ij };
struct MeshgridOptions {
  TENON_NAMED;
  bool sparse = false;              // size 1 instead of repeated elements
  Indexing indexing = Indexing::xy;  // xy: the first vector runs along axis 1
};
/// The coordinates of the points of a grid, given those along its axes.
Arrays meshgrid(const Arrays& xs, const MeshgridOptions& options = {}, Loc loc = Loc::current());
/// Ones at and below the k-th diagonal.
Array tri(int64_t n, int64_t m, int k = 0, std::optional<DType> dtype = {}, Loc loc = Loc::current());

// ---- Elementwise: one operand -------------------------------------------------------------------
// Integers and bool become floating where the function is not one of integers.

Array sin(const Operand& x);
Array cos(const Operand& x);
Array tan(const Operand& x);
/// The inverse functions; each has two names.
Array arcsin(const Operand& x);
Array asin(const Operand& x);
Array arccos(const Operand& x);
Array acos(const Operand& x);
Array arctan(const Operand& x);
Array atan(const Operand& x);
Array sinh(const Operand& x);
Array cosh(const Operand& x);
Array tanh(const Operand& x);
Array arcsinh(const Operand& x);
Array asinh(const Operand& x);
Array arccosh(const Operand& x);
Array acosh(const Operand& x);
Array arctanh(const Operand& x);
Array atanh(const Operand& x);
Array exp(const Operand& x);
/// 2^x.
Array exp2(const Operand& x);
/// e^x - 1, exact where x is small; so is log1p, log(1 + x).
Array expm1(const Operand& x);
Array log(const Operand& x);
Array log1p(const Operand& x);
Array log2(const Operand& x);
Array log10(const Operand& x);
Array sqrt(const Operand& x);
Array rsqrt(const Operand& x);
Array cbrt(const Operand& x);
Array deg2rad(const Operand& x);
Array radians(const Operand& x);
Array rad2deg(const Operand& x);
Array degrees(const Operand& x);
/// Parts of a complex number; of a real number x and 0.
Array real(const Operand& x);
Array imag(const Operand& x);
Array conj(const Operand& x);
Array conjugate(const Operand& x);
/// Of the point (real, imag), in [-pi, pi].
Array angle(const Operand& x);
/// 1 / x.
Array reciprocal(const Operand& x);
/// x * x; of bool as int32.
Array square(const Operand& x);
Array abs(const Operand& x);
Array absolute(const Operand& x);
/// -1, 0 or 1.
Array sign(const Operand& x);
/// |x|, floating. Throws TypeError for complex x.
Array fabs(const Operand& x);
/// Largest integer not above x.
Array floor(const Operand& x);
/// Smallest integer not below x.
Array ceil(const Operand& x);
/// The integer next to x towards 0.
Array trunc(const Operand& x);
/// Whether the sign bit is set: of -0.0 and NaN too.
Array signbit(const Operand& x);
/// How many bits of |x| are 1, as uint8.
Array bitwise_count(const Operand& x);
/// To `decimals` places, halves to even.
Array round(const Operand& x, int decimals = 0);
Array around(const Operand& x, int decimals = 0);
/// To the nearest integer, halves to even; floating.
Array rint(const Operand& x);
/// x = fraction * 2^exponent with |fraction| in [0.5, 1), exponent int32. Of 0, infinities and NaN: x and 0.
std::pair<Array, Array> frexp(const Operand& x);
struct NanToNumOptions {
  TENON_NAMED;
  double nan = 0;
  std::optional<double> posinf = {}, neginf = {};
};
/// Numbers instead of NaN and infinities: 0 and the largest ones, unless others are given.
Array nan_to_num(const Operand& x, const NanToNumOptions& options = {});
Array negative(const Operand& x);
Array positive(const Operand& x);
Array isnan(const Operand& x);
Array isinf(const Operand& x);
Array isfinite(const Operand& x);
/// !x; a number is false when it is 0.
Array logical_not(const Operand& x);
/// !x of bool, ~x of integers.
Array bitwise_not(const Operand& x);
Array invert(const Operand& x);

// ---- Elementwise: two operands ------------------------------------------------------------------

/// x + y; of bools the union.
Array add(const Operand& x, const Operand& y);
Array subtract(const Operand& x, const Operand& y);
/// x * y; of bools the intersection.
Array multiply(const Operand& x, const Operand& y);
/// x / y, floating.
Array divide(const Operand& x, const Operand& y);
Array true_divide(const Operand& x, const Operand& y);
/// Largest integer not above x / y.
Array floor_divide(const Operand& x, const Operand& y);
/// x - y * floor_divide(x, y): it has the sign of y.
Array remainder(const Operand& x, const Operand& y);
Array mod(const Operand& x, const Operand& y);
/// x to the power y. An integer y that is known while tracing multiplies (exact for integers).
Array power(const Operand& x, const Operand& y);
Array pow(const Operand& x, const Operand& y);
/// x to the power y, floating.
Array float_power(const Operand& x, const Operand& y);
/// Remainder with the sign of x.
Array fmod(const Operand& x, const Operand& y);
/// The angle of the point (y, x).
Array arctan2(const Operand& y, const Operand& x);
Array atan2(const Operand& y, const Operand& x);
/// sqrt(x^2 + y^2) without overflow on the way.
Array hypot(const Operand& x, const Operand& y);
/// log(e^x + e^y) without overflow on the way.
Array logaddexp(const Operand& x, const Operand& y);
/// |x| with the sign of y.
Array copysign(const Operand& x, const Operand& y);
/// The neighbour of x on the way to y.
Array nextafter(const Operand& x, const Operand& y);
Array left_shift(const Operand& x, const Operand& y);
/// With the sign moved in, for signed integers.
Array right_shift(const Operand& x, const Operand& y);
/// The larger, NaN when one is NaN.
Array maximum(const Operand& x, const Operand& y);
Array minimum(const Operand& x, const Operand& y);
/// The larger, the other one when one is NaN.
Array fmax(const Operand& x, const Operand& y);
Array fmin(const Operand& x, const Operand& y);
Array equal(const Operand& x, const Operand& y);
Array not_equal(const Operand& x, const Operand& y);
Array less(const Operand& x, const Operand& y);
Array less_equal(const Operand& x, const Operand& y);
Array greater(const Operand& x, const Operand& y);
Array greater_equal(const Operand& x, const Operand& y);
Array logical_and(const Operand& x, const Operand& y);
Array logical_or(const Operand& x, const Operand& y);
Array logical_xor(const Operand& x, const Operand& y);
Array bitwise_and(const Operand& x, const Operand& y);
Array bitwise_or(const Operand& x, const Operand& y);
Array bitwise_xor(const Operand& x, const Operand& y);

// ---- Choosing -----------------------------------------------------------------------------------

/// x where the condition holds, else y; all three broadcast.
Array where(const Operand& condition, const Operand& x, const Operand& y);
/// x moved into [low, high].
Array clip(const Operand& x, const Operand& low, const Operand& high);
struct ClipOptions {
  TENON_NAMED;
  Array min = {}, max = {};  // an empty one sets no bound
};
/// x moved above `min` or below `max`: clip(x, {.min = 0.0}).
Array clip(const Operand& x, const ClipOptions& options);

// ---- Reductions ---------------------------------------------------------------------------------
// Over all axes, or `{.axis = 1}`, `{.axis = {0, 2}, .keepdims = true}`. With `{.where = mask}` the elements take part
// where the mask, of bools that broadcast against x, is true; the others reach neither the result nor a derivative.

using tenon::SumOptions, tenon::MeanOptions, tenon::ExtremeOptions, tenon::MaskedOptions, tenon::VarOptions;
/// Sum; of bool and small integers as int32.
Array sum(const Operand& x, const SumOptions& options = {});
Array prod(const Operand& x, const SumOptions& options = {});
/// Arithmetic mean, floating. NaN of no elements.
Array mean(const Operand& x, const MeanOptions& options = {});
/// Largest; NaN when one is NaN. Throws ValueError for no elements, and for a mask, without `initial`.
Array max(const Operand& x, const ExtremeOptions& options = {});
Array min(const Operand& x, const ExtremeOptions& options = {});
Array amax(const Operand& x, const ExtremeOptions& options = {});
Array amin(const Operand& x, const ExtremeOptions& options = {});
/// Largest less smallest.
Array ptp(const Operand& x, const ReduceOptions& options = {});
/// How many are not 0.
Array count_nonzero(const Operand& x, const ReduceOptions& options = {});
/// Whether any, all are not 0.
Array any(const Operand& x, const MaskedOptions& options = {});
Array all(const Operand& x, const MaskedOptions& options = {});
/// Index of the largest along an axis, or in row-major order; the first of equal ones.
Array argmax(const Operand& x, const ArgOptions& options = {});
Array argmin(const Operand& x, const ArgOptions& options = {});
/// Variance, the sum of squared differences from the mean divided by the number of elements less `ddof`, and its
/// square root; NaN where that number is not positive. Real also of complex numbers. Throws ValueError for a
/// real dtype of complex ones, and for one that is not floating.
Array var(const Operand& x, const VarOptions& options = {});
Array std(const Operand& x, const VarOptions& options = {});
struct AverageOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  Array weights = {};  // of x's shape, or that of the axes; when empty all are equal
  bool keepdims = false;
};
/// Mean with weights.
Array average(const Operand& x, const AverageOptions& options = {});
/// The middle element in order, or the mean of the two in the middle; NaN when one is NaN.
Array median(const Operand& x, const ReduceOptions& options = {});
/// Of an element between two places: their interpolation, one of them, the nearer one, their mean.
enum class QuantileMethod : uint8_t { linear, lower, higher, nearest, midpoint };
struct QuantileOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  QuantileMethod method = QuantileMethod::linear;
  bool keepdims = false;
};
/// The element at the part q (percentile: q percent) of the way through the elements in order. q is a scalar, or a
/// vector, whose axis comes first in the result.
Array quantile(const Operand& x, const Operand& q, const QuantileOptions& options = {});
Array percentile(const Operand& x, const Operand& q, const QuantileOptions& options = {});
/// The same without the elements that are NaN; max, min, mean, variance and median of NaN alone are NaN.
Array nansum(const Operand& x, const SumOptions& options = {});
Array nanprod(const Operand& x, const SumOptions& options = {});
Array nanmean(const Operand& x, const MeanOptions& options = {});
Array nanvar(const Operand& x, const VarOptions& options = {});
Array nanstd(const Operand& x, const VarOptions& options = {});
Array nanmax(const Operand& x, const ExtremeOptions& options = {});
Array nanmin(const Operand& x, const ExtremeOptions& options = {});
Array nanmedian(const Operand& x, const ReduceOptions& options = {});

// ---- Running totals and order ---------------------------------------------------------------------

struct CumulativeOptions {
  TENON_NAMED;
  std::optional<int> axis = {};  // none: of the elements in row-major order
  std::optional<DType> dtype = {};
};
/// Sum of the elements up to each one; of bool as int32.
Array cumsum(const Operand& x, const CumulativeOptions& options = {});
Array cumprod(const Operand& x, const CumulativeOptions& options = {});
/// Differences of neighbours along an axis, n times; of bools whether they differ.
Array diff(const Operand& x, int n = 1, int axis = -1);

struct SortOptions {
  TENON_NAMED;
  std::optional<int> axis = -1;  // none: of the elements in row-major order
  bool stable = true;
  bool descending = false;
};
/// The elements in ascending order; NaN last, -0.0 equal to 0.0.
Array sort(const Operand& x, const SortOptions& options = {});
/// The indices that sort x: take_along_axis(x, argsort(x)) is sort(x).
Array argsort(const Operand& x, const SortOptions& options = {});

// ---- Products -----------------------------------------------------------------------------------

/// Over the last axis of x and the second to last (or only) one of y.
Array dot(const Operand& x, const Operand& y, const lax::DotOptions& options = {});
/// Matrix product; axes before the last two broadcast.
Array matmul(const Operand& x, const Operand& y, const lax::DotOptions& options = {});
/// Over the last `axes` axes of x and the first ones of y.
Array tensordot(const Operand& x, const Operand& y, int axes = 2);
Array tensordot(const Operand& x, const Operand& y, const Axes& x_axes, const Axes& y_axes);
/// Over the last axes of both.
Array inner(const Operand& x, const Operand& y);
/// Of the elements of x with those of y: a matrix.
Array outer(const Operand& x, const Operand& y);
Array vdot(const Operand& x, const Operand& y);
/// Of vectors of 3 components along an axis.
Array cross(const Operand& x, const Operand& y, int axis = -1);
/// What an einsum does, and the user's line.
struct Subscripts {
  std::string_view text;
  Loc loc;
  template <class T>
    requires std::is_convertible_v<const T&, std::string_view>
  Subscripts(const T& subscripts, Loc l = Loc::current()) : text(subscripts), loc(l) {}
};
/// Products of elements, summed: each letter names an axis of the operands, and those that the result lacks are
/// summed over. Without `->` the result has the letters that come once, in alphabetical order. An ellipsis stands for
/// the axes that are not named; it broadcasts, as axes of size 1 do. Operands are contracted in pairs, in the order
/// with the fewest operations.
///
///     einsum("bij,bjk->bik", x, y)   // matrix products
///     einsum("ii", x)                // trace
///     einsum("...ij->...ji", x)      // transposed
///
/// Throws ValueError for subscripts that do not fit the operands, ShapeError for sizes that differ.
Array einsum(const Subscripts& subscripts, const Arrays& operands, const lax::DotOptions& options = {});
template <class... A>
  requires(std::is_convertible_v<const A&, Array> && ...)
Array einsum(const Subscripts& subscripts, const A&... operands) {
  return einsum(subscripts, Arrays{Array(operands)...});
}

// ---- Shapes -------------------------------------------------------------------------------------

/// One size may be -1.
Array reshape(const Operand& x, const Shape& shape);
Array ravel(const Operand& x);
/// Axes reversed, or in the given order.
Array transpose(const Operand& x);
Array transpose(const Operand& x, const Axes& permutation);
Array permute_dims(const Operand& x, const Axes& permutation);
/// The last two axes swapped.
Array matrix_transpose(const Operand& x);
Array swapaxes(const Operand& x, int axis1, int axis2);
/// Moves an axis to another place.
Array moveaxis(const Operand& x, int source, int destination);
Array moveaxis(const Operand& x, const Axes& sources, const Axes& destinations);
/// Without axes of size 1: all of them, or those given.
Array squeeze(const Operand& x);
Array squeeze(const Operand& x, const Axes& axes);
/// New axes of size 1.
Array expand_dims(const Operand& x, const Axes& axes);
Array broadcast_to(const Operand& x, const Shape& shape);
Array concatenate(const Arrays& xs, int axis = 0, Loc loc = Loc::current());
Array concat(const Arrays& xs, int axis = 0, Loc loc = Loc::current());
/// With axes of size 1 in front, where there are fewer.
Array atleast_1d(const Operand& x);
Array atleast_2d(const Operand& x);
/// One below the other (vectors are rows), one beside the other, and vectors as columns beside each other.
Array vstack(const Arrays& xs, Loc loc = Loc::current());
Array hstack(const Arrays& xs, Loc loc = Loc::current());
Array column_stack(const Arrays& xs, Loc loc = Loc::current());
/// Along a new axis.
Array stack(const Arrays& xs, int axis = 0, Loc loc = Loc::current());
/// Into equal parts, or before the given indices.
Arrays split(const Operand& x, int sections, int axis = 0);
Arrays split(const Operand& x, std::initializer_list<int64_t> indices, int axis = 0);
/// Reversed along axes; all of them when none are given.
Array flip(const Operand& x);
Array flip(const Operand& x, const Axes& axes);
Array tile(const Operand& x, const Shape& reps);
Array repeat(const Operand& x, int64_t repeats, int axis);
/// Of the elements in row-major order.
Array repeat(const Operand& x, int64_t repeats);
/// Elements move by `shift` places along an axis (or in row-major order); what leaves comes in at the other end.
Array roll(const Operand& x, const Operand& shift, std::optional<int> axis = {});
Array roll(const Operand& x, const Shape& shifts, const Axes& axes);
/// How wide a border is: 1 everywhere; {{before, after}} on each axis; {{1, 2}, {0, 3}}.
class PadWidth {
 public:
  PadWidth(int64_t all);
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> each);
  explicit PadWidth(std::vector<std::pair<int64_t, int64_t>> each) : each_(std::move(each)) {}
  const std::vector<std::pair<int64_t, int64_t>>& each() const { return each_; }

 private:
  std::vector<std::pair<int64_t, int64_t>> each_;
};
struct PadOptions {
  TENON_NAMED;
  Array constant_values = {};  // a scalar; 0 when empty
};
/// x in a border.
Array pad(const Operand& x, const PadWidth& width, const PadOptions& options = {});
/// A matrix with the elements of x on its k-th diagonal; of a matrix, that diagonal.
Array diag(const Operand& x, int k = 0);
/// Elements i, i + offset of two axes, along a new last axis.
Array diagonal(const Operand& x, int offset = 0, int axis1 = 0, int axis2 = 1);
/// Sum of the diagonal.
Array trace(const Operand& x);
Array trace(const Operand& x, int offset, int axis1 = 0, int axis2 = 1);
/// 0 above (tril) or below (triu) the k-th diagonal of the last two axes.
Array tril(const Operand& x, int k = 0);
Array triu(const Operand& x, int k = 0);
/// The elements converted to `dtype`.
Array astype(const Operand& x, DType dtype);

// ---- Looking up and comparing -------------------------------------------------------------------

enum class TakeMode { fill, clip };
struct TakeOptions {
  TENON_NAMED;
  std::optional<int> axis = {};
  TakeMode mode = TakeMode::fill;
  bool unique_indices = false, indices_are_sorted = false;
};
/// Elements (or slices along an axis) at indices. An index out of bounds gives NaN (or the least
/// integer), or with `clip` the nearest element.
Array take(const Operand& x, const Operand& indices, const TakeOptions& options = {});
struct TakeAlongAxisOptions {
  TENON_NAMED;
  std::optional<int> axis = -1;  // none: of the elements in row-major order
  TakeMode mode = TakeMode::fill;
};
/// An index along the axis for each element of the result; the other axes of both broadcast.
Array take_along_axis(const Operand& x, const Operand& indices, const TakeAlongAxisOptions& options = {});
/// Equal shapes and elements, as a bool scalar.
Array array_equal(const Operand& x, const Operand& y);
/// |x - y| <= atol + rtol * |y|, element by element.
Array isclose(const Operand& x, const Operand& y, double rtol = 1e-5, double atol = 1e-8);
/// All of isclose.
Array allclose(const Operand& x, const Operand& y, double rtol = 1e-5, double atol = 1e-8);

}  // namespace jnp
}  // namespace tenon

#pragma GCC visibility pop
