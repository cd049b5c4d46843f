// Rules of differentiation and batching of branches and loops, and what they are written with.
#pragma once

#include <algorithm>

#include "control/carry.h"
#include "tenon/detail/rules.h"
#include "trace/called_jaxprs.h"
#include "transforms/backward.h"
#include "transforms/batch.h"
#include "transforms/hoist.h"
#include "transforms/jaxpr.h"
#include "transforms/linearize.h"

namespace tenon::detail {

JvpResult cond_jvp(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
JvpResult cond_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents cond_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params);
BatchResult cond_batching(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params);
PrunedEqn cond_prune(const Eqn& eqn, const Flags& used);

JvpResult while_jvp(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
JvpResult while_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents while_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params);
BatchResult while_batching(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params);

JvpResult scan_jvp(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
JvpResult scan_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents scan_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params);
BatchResult scan_batching(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params);
PrunedEqn scan_prune(const Eqn& eqn, const Flags& used);
PrunedEqn while_prune(const Eqn& eqn, const Flags& used);

/// Input and output: what must happen once for each time that the program says so, and in no other place.
constexpr Effects kInputOutput = Effects::ordered_io | Effects::unordered_io;
/// Throws UnimplementedError when `jaxpr` has input or output: `who` would run it when the program does not.
void check_no_io(const char* who, const Jaxpr& jaxpr, const char* why);

/// `jaxpr`, or where it will be evaluated the one of its structure that was evaluated before.
inline Jaxpr known(const char* name, const Jaxpr& jaxpr) { return current_trace().records() ? jaxpr : evaluated_jaxpr(name, jaxpr); }
inline std::vector<Jaxpr> known(const char* name, std::vector<Jaxpr> jaxprs) {
  for (Jaxpr& jaxpr : jaxprs) jaxpr = known(name, jaxpr);
  return jaxprs;
}

// ---- Lists and flags.

inline Flags nonzero_flags(const Tangents& tangents) {
  Flags flags;
  for (const Tangent& t : tangents) flags.push_back(!t.is_zero());
  return flags;
}
inline void append_nonzero(Arrays& operands, const Tangents& tangents) {
  for (const Tangent& t : tangents)
    if (!t.is_zero()) operands.push_back(t.value());
}
/// values[from .. to).
template <class T>
std::vector<T> part(const std::vector<T>& values, size_t from, size_t to) {
  return std::vector<T>(values.begin() + static_cast<ptrdiff_t>(from), values.begin() + static_cast<ptrdiff_t>(to));
}
template <class T>
void extend(std::vector<T>& list, const std::vector<T>& more) { list.insert(list.end(), more.begin(), more.end()); }
template <class T>
std::vector<T> concatenated(std::initializer_list<std::vector<T>> lists) {
  std::vector<T> all;
  for (const std::vector<T>& list : lists) extend(all, list);
  return all;
}
inline Flags either(const Flags& a, const Flags& b) {
  Flags out = a;
  for (size_t i = 0; i < out.size(); ++i) out[i] = a[i] || b[i];
  return out;
}
/// Values of the tangents with a flag; zeros become arrays.
inline Arrays instantiated(const Tangents& tangents, const Flags& flags) {
  Arrays out;
  for (size_t i = 0; i < tangents.size(); ++i)
    if (flags[i]) out.push_back(instantiate(tangents[i]));
  return out;
}
/// One tangent per result: the next of values[from ...] where a flag is set, else zero.
inline Tangents spread(const Arrays& values, size_t from, const Flags& flags, const Avals& results) {
  Tangents out;
  for (size_t i = 0; i < flags.size(); ++i) out.push_back(flags[i] ? Tangent(values[from++]) : Tangent::zero(tangent_aval(results[i])));
  return out;
}
/// Axes for the flags: `axis` or none.
inline std::vector<int> axes_where(const Flags& flags, int axis) {
  std::vector<int> out;
  for (bool flag : flags) out.push_back(flag ? axis : kNotMapped);
  return out;
}
inline Flags mapped_flags(const std::vector<int>& axes) {
  Flags out;
  for (int axis : axes) out.push_back(axis != kNotMapped);
  return out;
}

/// `jaxpr` for all elements, with the axes of inputs and results in front; `all`: results that are batched however they come.
struct BatchedInFront {
  Jaxpr jaxpr;
  Flags batched;
};
inline BatchedInFront batched_in_front(const Jaxpr& jaxpr, const BatchAxis& axis, const Flags& inputs, const Flags& all) {
  const std::vector<int> axes = axes_where(inputs, 0);
  const Flags wanted = either(all, mapped_flags(batch_jaxpr(jaxpr, axis, axes).axes));
  return {batch_jaxpr(jaxpr, axis, axes, axes_where(wanted, 0)).jaxpr, wanted};
}

/// `jaxpr` with these of its results and inputs; what it needs is among the inputs.
inline Jaxpr pruned_to(const Jaxpr& jaxpr, const Flags& results, const Flags& inputs) {
  const Jaxpr all = pruned_call(jaxpr, results, true).jaxpr;
  return all_of(inputs) ? all : with_binders(all, where(all.invars(), inputs, true), all.outvars());
}
/// Which results of the body of a loop are needed: those `wanted`, and the carries from which another needed one is
/// computed. `first_carry`: the input that is the first carry.
inline Flags needed_results(const Jaxpr& body, Flags wanted, size_t first_carry, size_t carries) {
  while (true) {
    const Flags inputs = pruned_call(body, wanted).used_inputs;
    Flags more = wanted;
    for (size_t k = 0; k < carries; ++k) more[k] = wanted[k] || inputs[first_carry + k];
    if (more == wanted) return wanted;
    wanted = more;
  }
}

/// The transpose of an equation whose whole effect is `jaxpr`; `bind` makes the equation of the transposed program. Its inputs have the types of
/// what it is given (`as_given`), or those of `jaxpr`; `apart`: see transpose_jaxpr.
template <class Bind>
Cotangents transposed_call(const Jaxpr& jaxpr, const Cotangents& cotangents, const LinearOperands& operands, bool as_given, bool apart, Bind bind) {
  Flags linear;
  Arrays inputs;
  for (const LinearOperand& x : operands) {
    linear.push_back(x.linear);
    if (!x.linear) inputs.push_back(x.value);
  }
  append_nonzero(inputs, cotangents);
  Flags weak;
  if (as_given)
    for (const Array& x : inputs) weak.push_back(x.weak_type());
  const TransposedJaxpr transposed = transpose_jaxpr(jaxpr, linear, nonzero_flags(cotangents), weak, apart);
  const Arrays values = bind(transposed.jaxpr, inputs);
  Avals avals;
  for (const LinearOperand& x : operands) avals.push_back(x.aval);
  return spread(values, 0, transposed.nonzero, avals);
}

}  // namespace tenon::detail
