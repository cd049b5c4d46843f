// The IR that tracing makes: variables, equations, jaxprs. Printed exactly as JAX 0.12 prints it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon {

struct Primitive;
class Jaxpr;
class EqnParams;

namespace detail {
struct VarNode : RefCounted {
  ShapedArray aval;
  Array literal;  // empty for a variable
};
struct JaxprNode;

/// The value of one parameter; immutable and shared.
struct ParamNode : RefCounted {
  virtual std::string str() const = 0;
  virtual bool equals(const ParamNode& other) const = 0;
  virtual size_t hash() const = 0;
  virtual const std::type_info& type() const = 0;
};
[[noreturn]] void throw_param_type(const std::type_info& wanted, const ParamNode& got);

// How a type prints, as Python prints it, and hashes, as a parameter.
std::string param_str(bool v);
std::string param_str(int64_t v);
std::string param_str(double v);
std::string param_str(const std::string& v);
std::string param_str(DType v);
std::string param_str(const Shape& v);
std::string param_str(const Axes& v);
std::string param_str(const Jaxpr& v);
std::string param_str(const std::vector<Jaxpr>& v);
template <class T>
  requires requires(const T& v) { v.str(); }
std::string param_str(const T& v) { return v.str(); }
size_t hash_bytes(const void* data, size_t size, size_t seed = 0);
size_t hash_text(const std::string& text);

template <class T>
struct ParamValue final : ParamNode {
  T value;
  explicit ParamValue(T v) : value(std::move(v)) {}
  std::string str() const override { return param_str(value); }
  bool equals(const ParamNode& other) const override {
    return other.type() == typeid(T) && static_cast<const ParamValue&>(other).value == value;
  }
  size_t hash() const override { return hash_text(str()); }
  const std::type_info& type() const override { return typeid(T); }
};
// Floats are equal by their bits.
template <>
bool ParamValue<double>::equals(const ParamNode& other) const;
}  // namespace detail

/// Something known while tracing: None, bool, int, double, string, dtype, shape, axes, jaxpr(s),
/// or any struct with str() and ==.
class Param {
 public:
  Param() = default;  // None
  Param(bool v);
  Param(int v);
  Param(int64_t v);
  Param(double v);
  Param(const char* v);
  template <class T>
    requires(!std::is_arithmetic_v<T> && !std::is_same_v<T, Param> && !std::is_pointer_v<T>)
  Param(T v) : node_(detail::make_ref<detail::ParamValue<T>>(std::move(v))) {}

  bool is_none() const { return !node_; }
  /// Python's str() of the value.
  std::string str() const { return node_ ? node_->str() : "None"; }
  template <class T>
  bool is() const { return node_ && node_->type() == typeid(T); }
  /// The value as T. Throws InternalError when it is something else.
  template <class T>
  const T& get() const {
    if (!is<T>()) throw_type(typeid(T));
    return static_cast<const detail::ParamValue<T>&>(*node_).value;
  }
  bool operator==(const Param& other) const {
    return node_ == other.node_ || (node_ && other.node_ && node_->equals(*other.node_));
  }
  size_t hash() const { return node_ ? node_->hash() : 0; }

 private:
  [[noreturn]] void throw_type(const std::type_info& wanted) const;
  detail::Ref<detail::ParamNode> node_;
};

/// Parameters of an equation, sorted by name.
class EqnParams {
 public:
  struct Entry {
    std::string_view name;  // a string literal
    Param value;
    bool operator==(const Entry&) const;
  };
  EqnParams() = default;
  EqnParams(std::initializer_list<Entry> entries);

  /// Throws ValueError that lists the names when there is none called `name`.
  const Param& at(std::string_view name) const;
  const Param* find(std::string_view name) const;
  template <class T>
  const T& get(std::string_view name) const { return at(name).get<T>(); }
  /// A copy with one value set.
  EqnParams with(std::string_view name, Param value) const;
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const EqnParams&) const;
  size_t hash() const;

 private:
  std::vector<Entry> entries_;
};

/// A variable or a literal.
class Var {
 public:
  Var() = default;
  explicit Var(detail::Ref<detail::VarNode> node) : node_(std::move(node)) {}
  const ShapedArray& aval() const { return node_->aval; }
  bool is_literal() const { return !node_->literal.is_empty(); }
  /// The value of a literal; an empty Array for a variable.
  const Array& literal() const { return node_->literal; }
  /// "2.0:f32[]" for a literal, "Var:f32[3]" for a variable (names exist only while printing).
  std::string str() const;
  /// The same variable?
  bool operator==(const Var& other) const = default;
  const void* id() const { return node_.get(); }

 private:
  detail::Ref<detail::VarNode> node_;
};
using Vars = std::vector<Var>;

/// Things a program does besides computing results. Bits.
enum class Effects : uint32_t { none = 0, ordered_io = 1, unordered_io = 2, reads = 4, writes = 8, debug = 16, ordered_debug = 32 };
constexpr Effects operator|(Effects a, Effects b) { return Effects(uint32_t(a) | uint32_t(b)); }
constexpr Effects operator&(Effects a, Effects b) { return Effects(uint32_t(a) & uint32_t(b)); }

/// Where an equation comes from: the user's line and the named scopes around it.
struct SourceInfo {
  const char* file = "";
  const char* function = "";
  uint32_t line = 0, column = 0;
  std::string scope;  // "alpha/beta"
};

/// One application of a primitive.
class Eqn {
 public:
  Eqn(const Primitive& primitive, Vars invars, Vars outvars, EqnParams params, SourceInfo source = {}, Effects effects = Effects::none,
      uint32_t call = 0);
  const Primitive& primitive() const { return *primitive_; }
  const EqnParams& params() const { return params_; }
  const Vars& invars() const { return invars_; }
  const Vars& outvars() const { return outvars_; }
  const SourceInfo& source() const { return source_; }
  Effects effects() const { return effects_; }
  /// In a recorded linear map: which call of a library function it belongs to; its cotangents are added as those of
  /// one operation (JAX transposes a jnp function as a unit). Else 0.
  uint32_t call() const { return call_; }

 private:
  const Primitive* primitive_;
  Vars invars_, outvars_;
  EqnParams params_;
  SourceInfo source_;
  Effects effects_;
  uint32_t call_;
};

struct JaxprTextOptions {
  TENON_NAMED;
  bool source_info = false;
  bool name_stack = false;
  bool print_shapes = true;
};

/// A typed, pure program in A-normal form, with the arrays it captured. Shared and immutable.
class Jaxpr {
 public:
  Jaxpr() = default;
  explicit Jaxpr(detail::Ref<const detail::JaxprNode> node) : node_(std::move(node)) {}
  const std::vector<Eqn>& eqns() const&;
  std::vector<Eqn> eqns() &&;
  const Vars& invars() const&;
  Vars invars() &&;
  const Vars& outvars() const&;
  Vars outvars() &&;
  const Vars& constvars() const&;
  Vars constvars() &&;
  const Arrays& consts() const&;
  Arrays consts() &&;
  Effects effects() const;
  Avals in_avals() const;
  Avals out_avals() const;
  /// As JAX prints it.
  std::string str(const JaxprTextOptions& options = {}) const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Jaxpr& x) {
    out << x.str();
    return out;
  }
  bool is_empty() const { return !node_; }
  /// The same object?
  bool operator==(const Jaxpr& other) const { return node_ == other.node_; }
  const detail::JaxprNode* id() const { return node_.get(); }

 private:
  detail::Ref<const detail::JaxprNode> node_;
};

namespace detail {
struct JaxprNode : RefCounted {
  Vars constvars, invars, outvars;
  Arrays consts;
  std::vector<Eqn> eqns;
  Effects effects = Effects::none;
  std::string name;                    // of the traced function
  std::vector<std::string> arg_names;  // one per invar, or empty
};
}  // namespace detail

/// The jaxprs among the values of `params`, in order of the names.
std::vector<Jaxpr> jaxprs_in_params(const EqnParams& params);

namespace detail {
// By identity: the text of a graph is long.
template <>
size_t ParamValue<Jaxpr>::hash() const;
template <>
size_t ParamValue<std::vector<Jaxpr>>::hash() const;
}  // namespace detail

}  // namespace tenon

#pragma GCC visibility pop
