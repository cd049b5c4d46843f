// The builder with which lowering rules make StableHLO: one method for each operation, generated
// from the dialect's records, so that a misspelt one does not compile.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/aval.h"
#include "tenon/detail/host_callee.h"
#include "tenon/detail/ref.h"

#pragma GCC visibility push(default)

namespace tenon {

/// A value of the program under construction. Keys are two words each: a last axis of size 2 of
/// uint32, which `aval` does not show.
class Value {
 public:
  Value() = default;
  explicit Value(void* impl, bool is_key = false) : impl_(impl), is_key_(is_key) {}
  Aval aval() const;
  void* impl() const { return impl_; }
  explicit operator bool() const { return impl_ != nullptr; }
  bool is_key() const { return is_key_; }
  /// uint32[..., 2] as keys of shape [...], and back.
  Value as_keys() const { return Value(impl_, true); }
  Value as_words() const { return Value(impl_); }

 private:
  void* impl_ = nullptr;
  bool is_key_ = false;
};
using Values = std::vector<Value>;

class EqnParams;
class Jaxpr;
class StablehloBuilder;

/// The body of a reduction, loop or branch: types of its arguments, and what it returns for them.
struct Region {
  Avals arguments;
  detail::FunctionRef<Values(StablehloBuilder&, const Values&)> body;
};

struct GatherDims {
  Axes offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
  int64_t index_vector_dim = 0;
  std::string str() const;
};
struct ScatterDims {
  Axes update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims, scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  std::string str() const;
};
struct DotDims {
  Axes lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions;
  std::string str() const;
};

namespace detail {

/// A list of integers, wherever it comes from.
struct Ints {
  std::vector<int64_t> values;
  bool given = false;
  Ints() = default;
  Ints(std::vector<int64_t> v) : values(std::move(v)), given(true) {}
  Ints(const Shape& shape) : values(shape.dims()), given(true) {}
  Ints(const Axes& axes) : values(axes.values()), given(true) {}
};

/// An attribute before MLIR has seen it.
struct Attribute {
  enum class Kind : uint8_t { absent, integer, integers, boolean, unit, number, string, parsed } kind = Kind::absent;
  int64_t integer_value = 0;
  int bits = 64;
  double number_value = 0;
  std::vector<int64_t> list;
  std::string text;
  static Attribute integer(int64_t v, int bits) { return {Kind::integer, v, bits, 0, {}, {}}; }
  static Attribute integers(std::vector<int64_t> v) { return {Kind::integers, 0, 64, 0, std::move(v), {}}; }
  static Attribute boolean(bool v) { return {Kind::boolean, v, 1, 0, {}, {}}; }
  static Attribute unit(bool v) { return {v ? Kind::unit : Kind::absent, 0, 0, 0, {}, {}}; }
  static Attribute number(double v) { return {Kind::number, 0, 32, v, {}, {}}; }
  static Attribute string(std::string_view v) { return {v.empty() ? Kind::absent : Kind::string, 0, 0, 0, {}, std::string(v)}; }
  /// As MLIR prints it; empty: absent.
  static Attribute parsed(std::string_view v) { return {v.empty() ? Kind::absent : Kind::parsed, 0, 0, 0, {}, std::string(v)}; }
};
struct NamedAttribute {
  const char* name;
  Attribute value;
};

/// The values of one operand: one, several, or none.
struct OperandGroup {
  Values values;
  explicit OperandGroup(const Value& v) { if (v) values.push_back(v); }
  explicit OperandGroup(const Values& v) : values(v) {}
};

#include "tenon/stablehlo_builder_enums.inc"

/// One method for each operation of stablehlo, and of chlo with the prefix chlo_. Operands come
/// first, then attributes that must be given, regions, types of results that cannot be inferred,
/// and optional attributes. Attributes of rare kinds are given as MLIR prints them.
class StablehloOps {
 public:
#include "tenon/stablehlo_builder_ops.inc"

 protected:
  explicit StablehloOps(void* impl) : impl_(impl) {}
  Values create(const char* op, std::initializer_list<OperandGroup> operands, bool segments,
                std::initializer_list<NamedAttribute> attributes, const std::vector<Region>& regions,
                const std::optional<Avals>& result_types);
  void* impl_;
};

}  // namespace detail

using detail::ComparisonDirection;
enum class ReduceKind { add, multiply, maximum, minimum, and_, or_ };

/// What a lowering rule gets. The methods below are shorter forms of those above.
class StablehloBuilder : public detail::StablehloOps {
 public:
  explicit StablehloBuilder(void* impl) : StablehloOps(impl) {}

  /// A scalar of the dtype.
  Value constant(double value, DType dtype);
  Value constant_integer(int64_t value, DType dtype);
  /// A vector of integers.
  Value constant_integers(const std::vector<int64_t>& values, DType dtype);
  /// An array; `bytes` are its elements, dense and row-major.
  Value constant_array(const Aval& aval, const void* bytes);

  using StablehloOps::iota;
  Value iota(const Aval& aval, int64_t dimension) { return StablehloOps::iota(dimension, aval); }
  using StablehloOps::convert;
  Value convert(const Value& x, DType dtype) { return StablehloOps::convert(x, x.aval().with_dtype(dtype)); }
  // What moves elements moves keys as well: shapes and axes are those of the keys.
  Value reshape(const Value& x, const Shape& shape);
  Value broadcast_in_dim(const Value& x, const Shape& shape, const Axes& dimensions);
  Value concatenate(const Values& x, int64_t dimension);
  Value slice(const Value& x, detail::Ints start, detail::Ints limit, detail::Ints strides);
  Value transpose(const Value& x, detail::Ints permutation);
  Value reverse(const Value& x, const detail::Ints& dimensions);
  Value select(const Value& predicate, const Value& on_true, const Value& on_false);
  Value gather(const Value& x, const Value& indices, GatherDims dims, detail::Ints slice_sizes, bool indices_are_sorted = false);
  Value dynamic_slice(const Value& x, Values indices, detail::Ints sizes);
  Value dynamic_update_slice(const Value& x, const Value& update, Values indices);
  /// The comparison type follows from the dtype. Keys are equal when both words are.
  Value compare(const Value& x, const Value& y, ComparisonDirection direction);
  using StablehloOps::reduce;
  /// Reduces one operand by a named monoid.
  Value reduce(const Value& x, const Value& init, const Axes& axes, ReduceKind kind);
  /// Reduces several operands by combine(accumulated values, values) -> values.
  template <class F>
    requires requires(F f, const Values& v) { f(v, v); }
  Values reduce(const Values& x, const Values& init, const Axes& axes, F combine);

  /// A call of the private function `name`, made by `body` unless there is one of this name for
  /// operands of these types and these params.
  Values call(const std::string& name, const EqnParams& params, const Values& operands,
              detail::FunctionRef<Values(StablehloBuilder&, const Values&)> body);

  /// A call of the host when the program runs. One with a side effect happens whether its results are used or not, and in
  /// the order of the program.
  Values host_call(const detail::HostCalleeRef& callee, const Values& operands, const Avals& results, bool has_side_effect);

  /// The equations of `jaxpr` in place, on these inputs: the body of a branch or a loop. `scope` is added to the name
  /// stack of what it makes.
  Values inlined(const Jaxpr& jaxpr, const Values& operands, const std::string& scope);

  /// The line and the name stack of the operations that follow.
  void set_location(const std::string& name_stack, const char* file, unsigned line, unsigned column);
};

template <class F>
  requires requires(F f, const Values& v) { f(v, v); }
Values StablehloBuilder::reduce(const Values& x, const Values& init, const Axes& axes, F combine) {
  Avals scalars;
  for (const Values& side : {x, x})
    for (const Value& v : side) scalars.push_back(v.aval().with_shape({}));
  auto body = [&](StablehloBuilder&, const Values& v) {
    auto middle = v.begin() + static_cast<std::ptrdiff_t>(x.size());
    return combine(Values(v.begin(), middle), Values(middle, v.end()));
  };
  return StablehloOps::reduce(x, init, detail::Ints(axes), Region{std::move(scalars), body});
}

}  // namespace tenon

#pragma GCC visibility pop
