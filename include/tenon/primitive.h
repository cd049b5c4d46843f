// To add an operation: one record of rules, and `bind`. Tenon's own operations use this header.
#pragma once

#include <initializer_list>
#include <string>

#include "tenon/jaxpr.h"

#pragma GCC visibility push(default)

namespace tenon {

class StablehloBuilder;  // tenon/stablehlo_builder.h
class Value;

/// The tangent of an array; a symbolic zero has an aval and no data.
class Tangent {
 public:
  Tangent(Array value) : value_(std::move(value)), aval_(value_.aval()) {}
  static Tangent zero(ShapedArray aval) { return Tangent(std::move(aval)); }
  bool is_zero() const { return value_.is_empty(); }
  const Array& value() const { return value_; }
  const ShapedArray& aval() const { return aval_; }

 private:
  explicit Tangent(ShapedArray aval) : aval_(std::move(aval)) {}
  Array value_;
  ShapedArray aval_;
};
using Tangents = std::vector<Tangent>;
using Cotangent = Tangent;
using Cotangents = std::vector<Cotangent>;

struct JvpResult {
  Arrays primals;
  Tangents tangents;
};
/// An operand of an equation that is transposed: linear (aval only) or a known value.
struct LinearOperand {
  bool linear;
  Array value;  // empty when linear
  ShapedArray aval;
};
using LinearOperands = std::vector<LinearOperand>;
/// Axis of each operand or result that is batched; kNotMapped when it is not.
constexpr int kNotMapped = -1;
struct BatchResult {
  Arrays values;
  std::vector<int> axes;
};
/// The axis over which a vmap runs; its name is empty unless the user gave one.
struct BatchAxis {
  int64_t size;
  std::string name;
};

/// What is left of an equation when only some of its results are used.
struct PrunedEqn {
  EqnParams params;
  std::vector<bool> operands, results;  // those that it keeps
};

/// What is known of an operation that sums products of its operands.
struct Contraction {
  bool batched;  // some axes are paired
};

/// A name that is a string when called: `eqn.primitive().name()`.
struct PrimitiveName {
  const char* text;
  constexpr PrimitiveName(const char* t) : text(t) {}
  std::string operator()() const { return text; }
};

/// Everything that is known about an operation. A missing rule is a null pointer; using it
/// throws UnimplementedError that names the operation.
struct Primitive {
  PrimitiveName name;
  /// Avals of the results. Throws ShapeError, TypeError for operands it does not take.
  Avals (*abstract_eval)(const Avals& operands, const EqnParams& params) = nullptr;
  /// Results and their tangents. At least one tangent is not zero.
  JvpResult (*jvp)(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) = nullptr;
  /// The same where the tangents are not known yet: what is bound to a tangent is recorded, and must
  /// be linear in it. Null: `jvp` does.
  JvpResult (*linearize)(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) = nullptr;
  /// Cotangents of the linear operands (anything for the others), given those of the results, of
  /// which at least one is not zero.
  Cotangents (*transpose)(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) = nullptr;
  /// Results for all elements along the axis at once. At least one operand is mapped.
  BatchResult (*batching)(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) = nullptr;
  /// What computes the used results alone. Null: the whole equation.
  PrunedEqn (*prune)(const Eqn& eqn, const std::vector<bool>& used) = nullptr;
  /// Creates the StableHLO operations; one value per result.
  std::vector<Value> (*lowering)(StablehloBuilder& builder, const std::vector<Value>& operands, const EqnParams& params) = nullptr;
  /// The results of known operands, computed by the host at once. Null: the lowered operation runs.
  Arrays (*evaluate)(const Arrays& operands, const EqnParams& params) = nullptr;
  Effects (*effects)(const EqnParams& params) = nullptr;
  /// Parameters that a jaxpr shows (rules 10 and 11 of the printed form). Null: all of them.
  bool (*prints_param)(std::string_view name, const Param& value, const EqnParams& params) = nullptr;
  /// The parameter that a jaxpr shows first; the others follow by name. Null: all by name.
  const char* first_param = nullptr;
  /// Not null for a sum of products (dot_general, convolution): what policies of checkpoint ask.
  Contraction (*contraction)(const EqnParams& params) = nullptr;
  /// Does the operation go along an axis that a vmap calls `name`? Null: no.
  bool (*uses_axis)(const EqnParams& params, std::string_view name) = nullptr;
  /// True for an operation whose whole effect is its jaxpr (jit, custom_jvp_call, ...).
  bool call_like = false;
  /// True for an operation that lowers to a call of a private function (argmax, cumsum, ...).
  bool outlined = false;
};

/// Applies `primitive` under the current trace: evaluates it, or records it, or transforms it.
Arrays bind_all(const Primitive& primitive, const Arrays& operands, const EqnParams& params = {});
/// The same for a primitive with one result.
Array bind(const Primitive& primitive, const Arrays& operands, const EqnParams& params = {});

namespace detail {
/// Makes `loc` the user's line for what is bound while it lives, unless an outer scope did.
/// Every public function that takes an Operand or a Loc opens one.
class SiteScope {
 public:
  explicit SiteScope(const Loc& loc);
  ~SiteScope();
  SiteScope(const SiteScope&) = delete;

 private:
  bool outermost_;
};
/// The same for a function of jnp, nn, ... (not lax) that derivatives take as a whole: in JAX it is jitted.
class FunctionScope : public SiteScope {
 public:
  explicit FunctionScope(const Loc& loc);
  /// Of a function whose only array is `only`.
  explicit FunctionScope(const Operand& only);
  ~FunctionScope();

 private:
  bool opens_call_;
};
/// The user's line now; nullptr outside of any public function.
const Loc* current_site();
}  // namespace detail

/// Names the operations that are traced while it lives: they print as "name/..." in metadata.
class named_scope {
 public:
  [[nodiscard]] explicit named_scope(std::string_view name);
  ~named_scope();
  named_scope(const named_scope&) = delete;

 private:
  size_t previous_size_;
};

}  // namespace tenon

#pragma GCC visibility pop
