// Array: the value that all of Tenon computes with. One pointer; copies share.
// It holds a buffer (perhaps still being computed), a C++ scalar, or a tracer.
#pragma once

#if __cplusplus < 202002L
#error "Tenon needs C++20: compile with -std=c++20 (CMake: link tenon::tenon, which asks for it)"
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "tenon/aval.h"
#include "tenon/detail/ref.h"
#include "tenon/detail/text_stream.h"
#include "tenon/device.h"
#include "tenon/error.h"
#include "tenon/options_tag.h"

#pragma GCC visibility push(default)

namespace tenon {

/// A line of the user's source.
using Loc = std::source_location;

class Array;
class At;
class Buffer;
class Index;
struct FirstIndex;
struct Operand;
struct SumOptions;
struct MeanOptions;
struct ExtremeOptions;
struct MaskedOptions;
struct ArgOptions;
struct VarOptions;
using Arrays = std::vector<Array>;

/// std::complex<float>, std::complex<double>, or a class like them.
template <class T>
concept ComplexScalar = requires(const T& z) {
  requires std::is_floating_point_v<typename T::value_type>;
  requires std::is_same_v<decltype(z.real()), typename T::value_type>;
  requires std::is_same_v<decltype(z.imag()), typename T::value_type>;
};

namespace detail {

/// What an Array points to.
class ArrayNode : public RefCounted {
 public:
  enum class Kind : uint8_t { scalar, concrete, tracer, abstract };
  ArrayNode(Kind kind, ShapedArray aval) : aval_(std::move(aval)), kind_(kind) {}
  Kind kind() const { return kind_; }
  const ShapedArray& aval() const { return aval_; }

 private:
  ShapedArray aval_;
  Kind kind_;
};

/// A scalar known on the host. `bits` hold the value in the representation of `dtype`.
Ref<ArrayNode> make_scalar(double value, DType dtype, bool weak);
Ref<ArrayNode> make_scalar(int64_t value, DType dtype, bool weak);
Ref<ArrayNode> make_scalar(uint64_t value, DType dtype, bool weak);
/// The dtype of a C++ scalar: bool, int32 (int64 with enable_x64) or float32 (float64), weak.
template <Scalar T>
Ref<ArrayNode> weak_scalar(T value);
Ref<ArrayNode> weak_bool(bool value);
Ref<ArrayNode> weak_int(int64_t value);
Ref<ArrayNode> weak_uint(uint64_t value);
Ref<ArrayNode> weak_float(double value);
/// complex64 (complex128), weak.
Ref<ArrayNode> weak_complex(double real, double imag);
template <Scalar T>
Ref<ArrayNode> weak_scalar(T value) {
  if constexpr (std::is_same_v<T, bool>) return weak_bool(value);
  else if constexpr (std::is_floating_point_v<T>) return weak_float(value);
  else if constexpr (std::is_signed_v<T>) return weak_int(value);
  else return weak_uint(value);
}
/// Waits and converts the elements to T as `astype` would, into `out` (size elements).
void copy_elements(const Array& array, DType::Code dtype, void* out, int64_t count, const char* who, Loc loc);
std::vector<bool> bool_elements(const Array& array, Loc loc);

}  // namespace detail

/// `x(slice(1, 3))`: start, stop and step as in Python; negative values count from the end.
struct slice {
  std::optional<int64_t> start, stop, step;
  explicit slice(std::optional<int64_t> stop);
  slice(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t> step = {});
};
struct all_t { explicit all_t() = default; };
struct newaxis_t { explicit newaxis_t() = default; };
struct ellipsis_t { explicit ellipsis_t() = default; };
/// A whole axis; a new axis of size 1; as many whole axes as fit.
inline constexpr all_t all{};
inline constexpr newaxis_t newaxis{};
inline constexpr ellipsis_t ellipsis{};

/// An n-dimensional array of one dtype on one device, or a stand-in for one while tracing.
///
/// A default-constructed Array is empty: using it throws ValueError.
class Array {
 public:
  Array() = default;
  /// A scalar of weak type: it takes the dtype of what it meets.
  template <Scalar T>
  Array(T value) : node_(detail::weak_scalar(value)) {}
  /// The same of a std::complex.
  template <ComplexScalar T>
  Array(const T& value) : node_(detail::weak_complex(value.real(), value.imag())) {}
  /// Shape and dtype and nothing else; stands for an argument of lower, eval_shape, make_jaxpr.
  Array(const ShapeDtype& abstract);
  explicit Array(detail::Ref<detail::ArrayNode> node) : node_(std::move(node)) {}
  Array(const Array&) = default;
  Array(Array&&) = default;
  // Not for temporaries: x(0) = y would change nothing. Elements are replaced by x = x.at(0).set(y).
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;

  Shape shape() const { return node("shape").aval().shape; }
  DType dtype() const { return node("dtype").aval().dtype; }
  ShapedArray aval() const { return node("aval").aval(); }
  bool weak_type() const { return node("weak_type").aval().weak_type; }
  int ndim() const { return node("ndim").aval().ndim(); }
  /// Number of elements.
  int64_t size() const { return node("size").aval().shape.num_elements(); }
  int64_t nbytes() const { return node("nbytes").aval().nbytes(); }
  /// Where the elements are. Throws ConcretizationTypeError for a tracer.
  Device device() const;
  Format format() const;

  /// True when nothing has to be waited for.
  bool is_ready() const;
  bool is_tracer() const { return node_ && node_->kind() == detail::ArrayNode::Kind::tracer; }
  bool is_empty() const { return !node_; }
  /// True once it was donated to a program or deleted.
  bool is_deleted() const;
  /// Waits until the elements are there and hands the array back. Throws the error of the
  /// computation when it failed.
  Array block_until_ready() const;
  /// Gives the memory up now.
  void delete_buffer() const;
  /// Address of the first element on the device, without waiting.
  const void* unsafe_buffer_pointer() const;

  /// The elements in row-major order, converted as `astype` would. Waits.
  template <Scalar T>
  std::vector<T> to_vector(Loc loc = Loc::current()) const;
  /// The single element, as a double unless another type is asked for. Waits. Throws ValueError when there are
  /// more or fewer.
  template <Scalar T = double>
  T item(Loc loc = Loc::current()) const;
  /// The single element; under a trace TracerBoolConversionError / ConcretizationTypeError.
  template <Scalar U>
  explicit operator U() const;

  /// "Array([1., 2.], dtype=float32)"; from 1 MiB on shape and dtype only, without waiting.
  std::string str() const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Array& x) {
    out << x.str();
    return out;
  }

  /// NumPy indexing with ints, slices, `all`, `newaxis`, `ellipsis`, arrays of integers and of bools:
  /// x(1, slice(2), mask). Integers out of bounds are moved inside. A mask must be known.
  Array operator[](const Index& index) const;
  template <class... I>
    requires(std::is_convertible_v<const I&, Index> && ...)
  Array operator()(const FirstIndex& first, const I&... rest) const;
  /// The same place, to read with options or to write: x.at(1).set(2.0).
  template <class... I>
    requires(std::is_convertible_v<const I&, Index> && ...)
  At at(const FirstIndex& first, const I&... rest) const;

  /// Same elements in row-major order under another shape; one size may be -1.
  Array reshape(const Shape& shape, Loc loc = Loc::current()) const;
  /// Axes reversed.
  Array T(Loc loc = Loc::current()) const;
  Array transpose(const Axes& permutation, Loc loc = Loc::current()) const;
  Array astype(DType dtype, Loc loc = Loc::current()) const;
  Array sum(int axis, Loc loc = Loc::current()) const;
  Array sum(const SumOptions& options, Loc loc = Loc::current()) const;
  Array sum(Loc loc = Loc::current()) const;
  Array max(const ExtremeOptions& options, Loc loc = Loc::current()) const;
  Array max(Loc loc = Loc::current()) const;
  Array min(const ExtremeOptions& options, Loc loc = Loc::current()) const;
  Array min(Loc loc = Loc::current()) const;
  Array mean(const MeanOptions& options, Loc loc = Loc::current()) const;
  Array mean(Loc loc = Loc::current()) const;
  Array round(Loc loc = Loc::current()) const;
  /// Without axes of size 1: all of them, or those given.
  Array squeeze(Loc loc = Loc::current()) const;
  Array squeeze(const Axes& axes, Loc loc = Loc::current()) const;
  /// The elements in row-major order along one axis.
  Array flatten(Loc loc = Loc::current()) const;
  Array ravel(Loc loc = Loc::current()) const;
  Array swapaxes(int axis1, int axis2, Loc loc = Loc::current()) const;
  Array prod(const SumOptions& options, Loc loc = Loc::current()) const;
  Array prod(Loc loc = Loc::current()) const;
  Array any(const MaskedOptions& options, Loc loc = Loc::current()) const;
  Array any(Loc loc = Loc::current()) const;
  Array all(const MaskedOptions& options, Loc loc = Loc::current()) const;
  Array all(Loc loc = Loc::current()) const;
  Array argmax(const ArgOptions& options, Loc loc = Loc::current()) const;
  Array argmax(Loc loc = Loc::current()) const;
  Array argmin(const ArgOptions& options, Loc loc = Loc::current()) const;
  Array argmin(Loc loc = Loc::current()) const;
  Array var(const VarOptions& options, Loc loc = Loc::current()) const;
  Array var(Loc loc = Loc::current()) const;
  Array std(const VarOptions& options, Loc loc = Loc::current()) const;
  Array std(Loc loc = Loc::current()) const;
  /// Along an axis, or of the elements in row-major order.
  Array cumsum(std::optional<int> axis = {}, Loc loc = Loc::current()) const;
  Array cumprod(std::optional<int> axis = {}, Loc loc = Loc::current()) const;
  Array dot(const Operand& other) const;
  /// Moved into [min, max].
  Array clip(const Operand& min, const Operand& max) const;
  Array conj(Loc loc = Loc::current()) const;
  Array real(Loc loc = Loc::current()) const;
  Array imag(Loc loc = Loc::current()) const;
  Array copy(Loc loc = Loc::current()) const;

  friend Array operator+(const Operand& a, const Operand& b);
  friend Array operator-(const Operand& a, const Operand& b);
  friend Array operator*(const Operand& a, const Operand& b);
  friend Array operator/(const Operand& a, const Operand& b);
  friend Array operator%(const Operand& a, const Operand& b);
  friend Array operator<(const Operand& a, const Operand& b);
  friend Array operator<=(const Operand& a, const Operand& b);
  friend Array operator>(const Operand& a, const Operand& b);
  friend Array operator>=(const Operand& a, const Operand& b);
  friend Array operator==(const Operand& a, const Operand& b);
  friend Array operator!=(const Operand& a, const Operand& b);
  friend Array operator&(const Operand& a, const Operand& b);
  friend Array operator|(const Operand& a, const Operand& b);
  friend Array operator^(const Operand& a, const Operand& b);
  friend Array operator-(const Operand& a);
  friend Array operator~(const Operand& a);
  friend Array& operator+=(Array& a, const Operand& b);
  friend Array& operator-=(Array& a, const Operand& b);
  friend Array& operator*=(Array& a, const Operand& b);
  friend Array& operator/=(Array& a, const Operand& b);

  /// The node; throws ValueError naming `who` when the array is empty.
  const detail::ArrayNode& node(const char* who) const {
    if (!node_) throw_empty(who);
    return *node_;
  }
  const detail::Ref<detail::ArrayNode>& node_ref() const { return node_; }

 private:
  [[noreturn]] static void throw_empty(const char* who);
  detail::Ref<detail::ArrayNode> node_;
};

/// An argument of an operation: an Array or a C++ scalar, and the user's line.
struct Operand {
  Array value;
  Loc loc;
  Operand(const Array& a, Loc l = Loc::current()) : value(a), loc(l) {}
  template <Scalar T>
  Operand(T v, Loc l = Loc::current()) : value(v), loc(l) {}
  template <ComplexScalar T>
  Operand(const T& v, Loc l = Loc::current()) : value(v), loc(l) {}
};

/// A traced array of bools is an index: the shape of the result would depend on values.
struct NonConcreteBooleanIndexError : IndexError {
  using IndexError::IndexError;
};

/// One entry of an index expression.
class Index {
 public:
  enum class Kind : uint8_t { integer, slice, all, newaxis, ellipsis, array, boolean };
  template <Scalar T>
    requires(!std::is_floating_point_v<T>)
  Index(T i) : kind_(std::is_same_v<T, bool> ? Kind::boolean : Kind::integer), integer_(static_cast<int64_t>(i)) {}
  Index(const slice& s) : kind_(Kind::slice), slice_(s) {}
  Index(all_t) : kind_(Kind::all) {}
  Index(newaxis_t) : kind_(Kind::newaxis) {}
  Index(ellipsis_t) : kind_(Kind::ellipsis) {}
  Index(const Array& indices) : kind_(Kind::array), array_(indices) {}

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  const slice& range() const { return slice_; }
  const Array& array() const { return array_; }

 private:
  Kind kind_;
  int64_t integer_ = 0;
  slice slice_{std::nullopt};
  Array array_;
};

/// The first entry of an index expression, and the user's line.
struct FirstIndex {
  Index index;
  Loc loc;
  template <class T>
    requires std::is_convertible_v<const T&, Index>
  FirstIndex(const T& i, Loc l = Loc::current()) : index(i), loc(l) {}
};

/// What becomes of an index out of bounds: the program promises that there is none, it is moved
/// inside, it reads a fill value, what is written there is dropped (fill and drop are one).
enum class IndexMode : uint8_t { promise_in_bounds, clip, fill, drop };

struct AtOptions {
  TENON_NAMED;
  std::optional<IndexMode> mode = {};
  bool indices_are_sorted = false, unique_indices = false;
  bool wrap_negative_indices = true;  // -1 is the last
};
struct GetOptions {
  TENON_NAMED;
  std::optional<IndexMode> mode = {};
  bool indices_are_sorted = false, unique_indices = false;
  bool wrap_negative_indices = true;
  Array fill_value = {};  // a C++ scalar; when empty, NaN, or the least integer
};

/// A place in an array. Each function gives a new array; `values` broadcast to the shape of the place.
/// Where an index comes twice, both updates count; `set` leaves the last.
class At {
 public:
  At(Array array, std::vector<Index> indices, const Loc& loc);
  /// What is there; by default an index out of bounds is moved inside.
  Array get(const GetOptions& options = {}) const;
  /// The array with other values there; by default what is out of bounds is dropped.
  Array set(const Operand& values, const AtOptions& options = {}) const;
  Array add(const Operand& values, const AtOptions& options = {}) const;
  Array subtract(const Operand& values, const AtOptions& options = {}) const;
  Array multiply(const Operand& values, const AtOptions& options = {}) const;
  Array mul(const Operand& values, const AtOptions& options = {}) const { return multiply(values, options); }
  Array divide(const Operand& values, const AtOptions& options = {}) const;
  Array power(const Operand& values, const AtOptions& options = {}) const;
  Array min(const Operand& values, const AtOptions& options = {}) const;
  Array max(const Operand& values, const AtOptions& options = {}) const;
  /// function(element) there, once for each time that an index comes.
  Array apply(detail::FunctionRef<Array(const Array&)> function, const AtOptions& options = {}) const;

 private:
  Array array_;
  std::vector<Index> indices_;
  Loc loc_;
};

namespace detail {
Array index_array(const Array& array, const std::vector<Index>& indices, const Loc& loc);
}
template <class... I>
  requires(std::is_convertible_v<const I&, Index> && ...)
Array Array::operator()(const FirstIndex& first, const I&... rest) const {
  return detail::index_array(*this, {first.index, Index(rest)...}, first.loc);
}
template <class... I>
  requires(std::is_convertible_v<const I&, Index> && ...)
At Array::at(const FirstIndex& first, const I&... rest) const {
  return At(*this, {first.index, Index(rest)...}, first.loc);
}

template <Scalar T>
std::vector<T> Array::to_vector(Loc loc) const {
  if constexpr (std::is_same_v<T, bool>) {
    return detail::bool_elements(*this, loc);
  } else {
    std::vector<T> out(static_cast<size_t>(size()));
    detail::copy_elements(*this, detail::dtype_code_of<T>(), out.data(), static_cast<int64_t>(out.size()), "to_vector", loc);
    return out;
  }
}
template <Scalar T>
T Array::item(Loc loc) const {
  T out{};
  detail::copy_elements(*this, detail::dtype_code_of<T>(), &out, 1, "item", loc);
  return out;
}
template <Scalar U>
Array::operator U() const {
  U out{};
  detail::copy_elements(*this, detail::dtype_code_of<U>(), &out, 1,
                        std::is_same_v<U, bool> ? "bool" : std::is_floating_point_v<U> ? "float" : "int", Loc());
  return out;
}

namespace jnp {
/// A dtype, and a function that converts to it: jnp::float32(1) is a strong scalar.
struct ScalarType : DType {
  using DType::DType;
  Array operator()(const Operand& x) const;
};
inline constexpr ScalarType bool_{DType::kBool}, int8{DType::kInt8}, int16{DType::kInt16}, int32{DType::kInt32},
    int64{DType::kInt64}, uint8{DType::kUInt8}, uint16{DType::kUInt16}, uint32{DType::kUInt32}, uint64{DType::kUInt64},
    bfloat16{DType::kBFloat16}, float16{DType::kFloat16}, float32{DType::kFloat32}, float64{DType::kFloat64},
    complex64{DType::kComplex64}, complex128{DType::kComplex128};
}  // namespace jnp

/// Axes of a reduction: `.axis = 1`, `.axis = {0, 2}`; left out: all of them.
class AxisArgument {
 public:
  AxisArgument() = default;
  AxisArgument(int axis) : axes_(axis), all_(false) {}
  AxisArgument(std::initializer_list<int> axes) : axes_(axes), all_(false) {}
  AxisArgument(Axes axes) : axes_(std::move(axes)), all_(false) {}
  bool all() const { return all_; }
  const Axes& axes() const { return axes_; }

 private:
  Axes axes_;
  bool all_ = true;
};
struct ReduceOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  bool keepdims = false;
};
// With `where`, of bools that broadcast against the operand, the elements take part where it is true.
struct SumOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  std::optional<DType> dtype = {};  // of the sum; by default that of x, of small integers int32
  bool keepdims = false;
  Array initial = {};  // a scalar that is added (multiplied) at the end
  Array where = {};
};
struct MeanOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  std::optional<DType> dtype = {};  // of the mean
  bool keepdims = false;
  Array where = {};
};
struct ExtremeOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  bool keepdims = false;
  Array initial = {};  // a scalar that takes part: the result over no elements
  Array where = {};    // needs `initial`
};
struct MaskedOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  bool keepdims = false;
  Array where = {};
};
struct VarOptions {
  TENON_NAMED;
  AxisArgument axis = {};
  std::optional<DType> dtype = {};  // of the computation and the result
  int ddof = 0;  // the sum is divided by the number of elements less this
  bool keepdims = false;
  Array where = {};
  Array mean = {};  // the mean, with axes of size 1 in the place of those reduced, if it is known
};
struct ArgOptions {
  TENON_NAMED;
  std::optional<int> axis = {};
  bool keepdims = false;
};

namespace lax {
/// How exactly a product of float32 has to be computed, for devices that have a faster, coarser way. On a CPU all are exact.
enum class Precision : uint8_t { default_, high, highest };
struct DotOptions {
  TENON_NAMED;
  std::optional<DType> preferred_element_type = {};
  std::optional<Precision> precision = {};
};
}  // namespace lax

}  // namespace tenon

#pragma GCC visibility pop
