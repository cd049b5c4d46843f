// CustomRoot: x with F(p, x) = 0, however `solve` finds it. F(p, x(p)) = 0 for all p, so that
//   D_p F dp + D_x F dx = 0,  dx = -(D_x F)^-1 D_p F dp,  where `tangent_solve` applies the inverse.
#include "base/fail.h"
#include "control/call.h"
#include "control/rules.h"
#include "core/rearrange.h"
#include "tenon/solves.h"
#include "tenon/stablehlo_builder.h"
#include "trace/jaxpr_trace.h"
#include "core/jaxpr_cache.h"

namespace tenon::detail {
namespace {

/// A program that rules use; to others it is a function.
struct ClosedFunction {
  Jaxpr jaxpr;
  const char* name = "fun";
  std::string str() const { return name; }
  bool operator==(const ClosedFunction&) const = default;
};

const Jaxpr& function_of(const EqnParams& params, const char* name) { return params.get<ClosedFunction>(name).jaxpr; }

// ---- The derivative of f by x, as a linear map of v: an operation of its own, which is taken apart only where its value
// or its own derivative is wanted. Operands: what f uses, x, v.

extern const Primitive root_linear_map_p;

Arrays call(const Jaxpr& jaxpr, const Arrays& operands) { return bind_all(eval_jaxpr_p, operands, {{"call_jaxpr", jaxpr}}); }

Jaxpr make_expanded(const Jaxpr& f, bool transposed) {
  const size_t count = f.outvars().size(), constants = f.invars().size() - count;
  Avals avals = f.in_avals();
  for (size_t i = 0; i < count; ++i) avals.push_back(tangent_aval(f.invars()[constants + i].aval()));
  const auto forwards = [&](const Arrays& all) {
    Tangents tangents;
    for (size_t i = 0; i < constants; ++i) tangents.push_back(zero_like(all[i]));
    for (size_t i = constants + count; i < all.size(); ++i) tangents.emplace_back(all[i]);
    const JvpResult derived = jvp_flat([&](const Arrays& x) { return eval_jaxpr(f, x); }, part(all, 0, constants + count), tangents);
    return instantiated(derived.tangents, Flags(count, true));
  };
  const auto live = [&](const Jaxpr& jaxpr) { return dead_code_eliminated(jaxpr, Flags(count, true), true).jaxpr; };  // without f's value
  const Jaxpr map = live(trace_to_jaxpr(forwards, avals, "custom_root", f.id()->name));
  if (!transposed) return map;
  const auto backwards = [&](const Arrays& all) {
    LinearOperands inputs;
    for (size_t i = 0; i < map.invars().size(); ++i) {
      const bool linear = i >= constants + count;
      inputs.push_back({linear, linear ? Array() : all[i], map.invars()[i].aval()});
    }
    const Arrays given = part(all, constants + count, all.size());
    const Cotangents of_inputs = backward_pass(map, inputs, Cotangents(given.begin(), given.end()));
    return instantiated(part(of_inputs, constants + count, of_inputs.size()), Flags(count, true));
  };
  return live(trace_to_jaxpr(backwards, avals, "custom_root", f.id()->name));
}
// What the map does, operation by operation.
Jaxpr expanded(const EqnParams& params) {
  static auto* cache = new JaxprCache<Jaxpr>;
  const bool transposed = params.get<bool>("transposed");
  return cache->get(function_of(params, "f"), transposed ? "transposed" : "", [&] { return make_expanded(function_of(params, "f"), transposed); });
}

JvpResult map_derivative(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params, bool linearizes) {
  const size_t count = function_of(params, "f").outvars().size(), linear = primals.size() - count;
  if (any_of(nonzero_flags(part(tangents, 0, linear)))) {
    const auto rule = linearizes ? call_linearize : call_jvp;
    return rule(eval_jaxpr_p, primals, tangents, {{"call_jaxpr", known("custom_root", expanded(params))}});
  }
  const Arrays results = bind_all(self, primals, params);
  Arrays operands = part(primals, 0, linear);
  extend(operands, instantiated(part(tangents, linear, tangents.size()), Flags(count, true)));
  const Arrays changes = bind_all(self, operands, params);
  return {results, Tangents(changes.begin(), changes.end())};
}

constinit const Primitive root_linear_map_p{
    .name = "_RootLinearMap",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals { return called_avals("_RootLinearMap", expanded(params), operands); },
    .jvp = [](const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
      return map_derivative(self, primals, tangents, params, false);
    },
    .linearize = [](const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
      return map_derivative(self, primals, tangents, params, true);
    },
    .transpose = [](const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) -> Cotangents {
      const size_t linear = operands.size() - cotangents.size();
      Cotangents out;
      Arrays inputs;
      for (size_t i = 0; i < linear; ++i) {
        if (operands[i].linear) fail<UnimplementedError>("custom_root", "the derivative of f is transposed by its point, in which it is not linear");
        out.push_back(Cotangent::zero(tangent_aval(operands[i].aval)));
        inputs.push_back(operands[i].value);
      }
      extend(inputs, instantiated(cotangents, Flags(cotangents.size(), true)));
      for (const Array& x : bind_all(self, inputs, params.with("transposed", !params.get<bool>("transposed")))) out.emplace_back(x);
      return out;
    },
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      const Jaxpr& f = function_of(params, "f");
      const size_t count = f.outvars().size(), constants = f.invars().size() - count;
      const Flags whole(count, true), batched = concatenated({part(mapped_flags(axes), 0, constants), whole});
      const Jaxpr of_all = known("custom_root", batched_in_front(f, axis, batched, whole).jaxpr);
      Arrays values;
      for (size_t i = 0; i < operands.size(); ++i)
        values.push_back(i < constants && axes[i] == kNotMapped ? operands[i] : match_axis(operands[i], axes[i], 0, axis.size));
      return {bind_all(self, values, params.with("f", ClosedFunction{of_all, "batched"})), axes_where(whole, 0)};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) { return b.inlined(expanded(params), x, ""); },
};

// f at known values of what it captured.
class ClosedMap final : public FlatMap {
 public:
  ClosedMap(Jaxpr f, Arrays captured, ErasedTree like) : f_(std::move(f)), captured_(std::move(captured)), like_(std::move(like)) {}
  ErasedTree call(const Arrays& leaves) const override {
    ErasedTree out = like_;
    out.leaves = detail::call(f_, concatenated({captured_, leaves}));
    return out;
  }

 private:
  Jaxpr f_;
  Arrays captured_;
  ErasedTree like_;
};
// Its derivative at `point`.
class DerivativeMap final : public FlatMap {
 public:
  DerivativeMap(Jaxpr f, Arrays point, ErasedTree like) : f_(std::move(f)), point_(std::move(point)), like_(std::move(like)) {}
  ErasedTree call(const Arrays& leaves) const override {
    ErasedTree out = like_;
    out.leaves = bind_all(root_linear_map_p, concatenated({point_, leaves}), {{"f", ClosedFunction{f_}}, {"transposed", false}});
    return out;
  }

 private:
  Jaxpr f_;
  Arrays point_;
  ErasedTree like_;
};

// ---- The root.

// What an equation is given, in parts: operands of solve, of f, of tangent_solve.
struct RootParts {
  const Jaxpr &solve, &f, &tangent_solve;
  size_t count, f_at, tangent_at;
  explicit RootParts(const EqnParams& params)
      : solve(params.get<Jaxpr>("solve_jaxpr")), f(function_of(params, "f")), tangent_solve(function_of(params, "tangent_solve")),
        count(f.outvars().size()), f_at(solve.invars().size()), tangent_at(f_at + f.invars().size() - count) {}
};

JvpResult root_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const RootParts root(params);
  const Arrays results = bind_all(self, primals, params);
  Flags moving(results.size(), false);
  const JvpResult constant{results, spread({}, 0, moving, avals_of(results))};
  Tangents along = part(tangents, root.f_at, root.tangent_at);
  if (!any_of(nonzero_flags(along))) return constant;
  const Arrays x = part(results, 0, root.count);
  for (const Array& leaf : x) along.push_back(zero_like(leaf));
  const JvpResult of_f = call_linearize(eval_jaxpr_p, concatenated({part(primals, root.f_at, root.tangent_at), x}), along, {{"call_jaxpr", root.f}});
  if (!any_of(nonzero_flags(of_f.tangents))) return constant;
  Arrays operands = concatenated({part(primals, root.tangent_at, primals.size()), x});
  extend(operands, instantiated(of_f.tangents, Flags(root.count, true)));
  Arrays changes;
  for (const Array& change : call(root.tangent_solve, operands)) changes.push_back(lax::neg(change));
  for (size_t i = 0; i < root.count; ++i) moving[i] = true;
  return {results, spread(changes, 0, moving, avals_of(results))};
}

// ---- The linear map from tangents of operands to that of the root: one operation, which derivatives in reverse record.
// EqnParams: jaxpr (its program), read (which operands are tangents that the program reads). Operands: what is known, then
// tangents in the order of CustomRoot's operands.

struct ReadOperands {
  Flags flags;
  bool operator==(const ReadOperands&) const = default;
  std::string str() const { return "..."; }
};

// In JAX every operand gets a cotangent, zeros where it has no part in the equation.
Cotangents root_tangent_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const Flags& read = params.get<ReadOperands>("read").flags;
  const Arrays given = instantiated(cotangents, Flags(cotangents.size(), true));
  const Cotangents found = hoisted_backward_pass(params.get<Jaxpr>("jaxpr"), operands, Cotangents(given.begin(), given.end()));
  Cotangents out;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool has_part = read[i] && !found[i].is_zero();
    out.push_back(has_part || !operands[i].linear ? found[i] : instantiate(Cotangent::zero(tangent_aval(operands[i].aval))));
  }
  return out;
}

constinit const Primitive root_tangent_p{
    .name = "custom_root_tangent",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("custom_root", params.get<Jaxpr>("jaxpr"), operands);
    },
    .jvp = call_jvp,
    .transpose = root_tangent_transpose,
    .batching = call_batching,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) { return b.inlined(params.get<Jaxpr>("jaxpr"), x, ""); },
};

JvpResult root_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const RootParts root(params);
  const Arrays results = bind_all(self, primals, params);
  Flags moving(results.size(), false);
  const Flags nonzero = nonzero_flags(tangents), of_f = part(nonzero, root.f_at, root.tangent_at);
  if (!any_of(of_f)) return {results, spread({}, 0, moving, avals_of(results))};
  const Arrays x = part(results, 0, root.count);
  const auto f = [&](const Arrays& p) { return call(root.f, concatenated({p, x})); };
  const Linearized linear = linearize_flat(f, part(primals, root.f_at, root.tangent_at), of_f);
  const Arrays residuals = linear.tangents.consts();
  const Arrays known = concatenated({residuals, part(primals, root.tangent_at, primals.size()), x});
  Arrays operands = known;
  append_nonzero(operands, tangents);
  ReadOperands read{Flags(known.size(), false)};
  for (size_t i = 0; i < nonzero.size(); ++i)
    if (nonzero[i]) read.flags.push_back(i >= root.f_at && i < root.tangent_at);
  const Jaxpr map = with_constants_as_inputs(linear.tangents);
  const auto program = [&](const Arrays& in) {
    size_t next = known.size();
    Arrays along = part(in, 0, residuals.size());
    for (size_t i = 0; i < nonzero.size(); ++i) {
      const bool of_f = i >= root.f_at && i < root.tangent_at;
      if (of_f) along.push_back(nonzero[i] ? in[next] : instantiate(zero_like(primals[i])));
      if (nonzero[i]) ++next;
    }
    Tangents rhs;
    const Arrays moved = eval_jaxpr(map, along);
    for (size_t i = 0, k = 0; i < root.count; ++i)
      rhs.push_back(linear.nonzero[i] ? Tangent(moved[k++]) : Tangent::zero(tangent_aval(x[i].aval())));
    Arrays solve = part(in, residuals.size(), known.size());
    extend(solve, instantiated(rhs, Flags(root.count, true)));
    Arrays changes;
    for (const Array& change : call(root.tangent_solve, solve)) changes.push_back(lax::neg(change));
    return changes;
  };
  const Jaxpr jaxpr = trace_to_jaxpr(program, avals_of(operands), "custom_root", "");
  const Arrays changes = bind_all(root_tangent_p, operands, {{"jaxpr", jaxpr}, {"read", read}});
  for (size_t i = 0; i < root.count; ++i) moving[i] = true;
  return {results, spread(changes, 0, moving, avals_of(results))};
}

BatchResult root_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  const RootParts root(params);
  const Flags batched = mapped_flags(axes), whole(root.count, true);
  const Flags results = concatenated({whole, Flags(root.solve.outvars().size() - root.count, false)});
  const BatchedInFront solve = batched_in_front(root.solve, axis, part(batched, 0, root.f_at), results);
  const BatchedInFront f = batched_in_front(root.f, axis, concatenated({part(batched, root.f_at, root.tangent_at), whole}), whole);
  const Flags of_tangent = concatenated({part(batched, root.tangent_at, batched.size()), whole, whole});
  const BatchedInFront tangent = batched_in_front(root.tangent_solve, axis, of_tangent, whole);
  const Jaxpr solver = trace_to_jaxpr([&](const Arrays& x) { return call(solve.jaxpr, x); }, solve.jaxpr.in_avals(), "custom_root", "");
  Arrays values;
  for (size_t i = 0; i < operands.size(); ++i) values.push_back(batched[i] ? move_axis(operands[i], axes[i], 0) : operands[i]);
  const EqnParams all = params.with("solve_jaxpr", known("custom_root", solver)).with("f", ClosedFunction{known("custom_root", f.jaxpr)})
                            .with("tangent_solve", ClosedFunction{known("custom_root", tangent.jaxpr)});
  return {bind_all(self, values, all), axes_where(solve.batched, 0)};
}

}  // namespace

constinit const Primitive custom_root_p{
    .name = "CustomRoot",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      const RootParts root(params);
      return called_avals("CustomRoot", root.solve, part(operands, 0, root.f_at));
    },
    .jvp = root_jvp,
    .linearize = root_linearize,
    .batching = root_batching,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const RootParts root(params);
      const PrunedJaxpr live = pruned_call(root.solve, Flags(root.solve.outvars().size(), true), true);
      return b.inlined(live.jaxpr, part(x, 0, root.f_at), "");
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("solve_jaxpr").effects(); },
    .prints_param = [](std::string_view name, const Param&, const EqnParams&) { return name == "solve_jaxpr" || name == "has_aux"; },
    .first_param = "solve_jaxpr",
};

Solved custom_root(const FlatMapRef& f, const ErasedTree& guess, Solver solve, Solver tangent_solve, bool aux, const Loc& loc) {
  const char* who = "custom_root";
  SiteScope site(loc);
  const Avals avals = avals_of(guess.leaves);
  Avals tangents;
  for (const Aval& aval : avals) tangents.push_back(tangent_aval(aval));
  const ErasedTree like{{}, guess.structure, guess.paths};
  const auto check = [&](const char* what, const ErasedTree& tree, const Avals& results) {
    check_like(who, what, "initial_guess", guess, avals, tree, part(results, 0, std::min(results.size(), tree.leaves.size())));
  };

  ErasedTree tree;
  Arrays of_f, of_solve, of_tangent;
  const auto run_f = [&](const Arrays& leaves) {
    tree = f->call(leaves);
    return tree.leaves;
  };
  const Jaxpr function = known(who, trace_closed(who, run_f, avals, of_f));
  check("f", tree, function.out_avals());

  FlatResult more;
  const FlatMapRef closed = make_ref<ClosedMap>(function, of_f, like);
  const auto run_solve = [&](const Arrays& leaves) {
    Solution found = solve(closed, leaves);
    more.prototype = found.y.prototype;
    tree = std::move(found.carry);
    return concatenated({tree.leaves, found.y.tree.leaves});
  };
  const Jaxpr solver = known(who, trace_closed(who, run_solve, avals, of_solve));
  check("solve", tree, solver.out_avals());

  const auto run_tangent = [&](const Arrays& leaves) {
    const Arrays point = concatenated({of_f, part(leaves, 0, avals.size())});
    tree = tangent_solve(make_ref<DerivativeMap>(function, point, like), part(leaves, avals.size(), leaves.size())).carry;
    return tree.leaves;
  };
  const Jaxpr tangent = known(who, trace_closed(who, run_tangent, concatenated({avals, tangents}), of_tangent));
  check("tangent_solve", tree, tangent.out_avals());

  const Arrays operands = concatenated({of_solve, guess.leaves, of_f, of_tangent});
  const Arrays results = bind_all(custom_root_p, operands,
                                  {{"f", ClosedFunction{function}}, {"has_aux", aux}, {"solve_jaxpr", solver}, {"tangent_solve", ClosedFunction{tangent}}});
  more.leaves = part(results, avals.size(), results.size());
  return {part(results, 0, avals.size()), std::move(more)};
}

}  // namespace tenon::detail
