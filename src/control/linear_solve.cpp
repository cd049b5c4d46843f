// custom_linear_solve: x with A x = b, however `solve` finds it. Derivatives are solutions of the same equation:
//   A dx = db - dA x,  and backwards  A^T db = dx.
#include <algorithm>
#include <array>

#include "base/fail.h"
#include "control/call.h"
#include "control/rules.h"
#include "core/named_jaxprs.h"
#include "core/nodes.h"
#include "tenon/solves.h"
#include "tenon/stablehlo_builder.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

enum Program : size_t { kMatvec, kVecmat, kSolve, kTransposeSolve };

using Jaxprs = std::array<Jaxpr, 4>;
constexpr const char *kTuple = "_LinearSolveTuple", *kFields[] = {"matvec", "vecmat", "solve", "transpose_solve"};

template <class T>
std::array<T, 4> transposed(const std::array<T, 4>& of) {
  return {of[kVecmat], of[kMatvec], of[kTransposeSolve], of[kSolve]};
}

// The parameters: the programs, and how many values each uses beside b.
struct Counts {
  std::array<int64_t, 4> of;
  bool operator==(const Counts&) const = default;
  std::string str() const {
    std::string out = std::string(kTuple) + "(";
    for (size_t p = 0; p < 4; ++p) out += std::string(p == 0 ? "" : ", ") + kFields[p] + "=" + std::to_string(of[p]);
    return out + ")";
  }
};
NamedJaxprs named(const Jaxprs& jaxprs) {
  NamedJaxprs out{kTuple, {}};
  for (size_t p = 0; p < 4; ++p) out.fields.emplace_back(kFields[p], jaxprs[p]);
  return out;
}

// What an equation is given, in parts.
class LinearSolve {
 public:
  explicit LinearSolve(const EqnParams& params) : counts(params.get<Counts>("const_lengths")) {
    for (size_t p = 0; p < 4; ++p) {
      jaxprs[p] = params.get<NamedJaxprs>("jaxprs").fields[p].second;
      begin_[p + 1] = begin_[p] + static_cast<size_t>(counts.of[p]);
    }
  }
  Jaxprs jaxprs;
  const Counts& counts;
  size_t b_at() const { return begin_[4]; }
  template <class T>
  std::vector<T> consts(const std::vector<T>& operands, size_t program) const { return part(operands, begin_[program], begin_[program + 1]); }
  template <class T>
  std::vector<T> b(const std::vector<T>& operands) const { return part(operands, b_at(), operands.size()); }
  /// The inputs of a program on b.
  template <class T>
  std::vector<T> inputs(const std::vector<T>& operands, size_t program) const { return concatenated({consts(operands, program), b(operands)}); }

 private:
  size_t begin_[5] = {};
};

Avals linear_solve_abstract_eval(const Avals& operands, const EqnParams& params) {
  const LinearSolve eqn(params);
  const Avals results = called_avals("custom_linear_solve", eqn.jaxprs[kSolve], eqn.inputs(operands, kSolve));
  const Avals b = eqn.b(operands);
  return concatenated({b, part(results, b.size(), results.size())});
}

JvpResult linear_solve_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const LinearSolve eqn(params);
  const Arrays results = bind_all(self, primals, params);
  Tangents right_side = eqn.b(tangents);
  const size_t count = right_side.size();
  Tangents along = eqn.consts(tangents, kMatvec);
  if (any_of(nonzero_flags(along))) {  // dA x
    const Arrays at = concatenated({eqn.consts(primals, kMatvec), part(results, 0, count)});
    for (size_t i = 0; i < count; ++i) along.push_back(zero_like(results[i]));
    const JvpResult change = jvp_flat([&](const Arrays& x) { return eval_jaxpr(eqn.jaxprs[kMatvec], x); }, at, along);
    for (size_t i = 0; i < count; ++i)
      if (!change.tangents[i].is_zero()) right_side[i] = add_tangents(right_side[i], lax::neg(change.tangents[i].value()));
  }
  Flags moving(results.size(), false);
  if (!any_of(nonzero_flags(right_side))) return {results, spread({}, 0, moving, avals_of(results))};
  Arrays operands = part(primals, 0, eqn.b_at());
  extend(operands, instantiated(right_side, Flags(count, true)));
  const Arrays changes = bind_all(self, operands, params);
  for (size_t i = 0; i < count; ++i) moving[i] = true;
  return {results, spread(changes, 0, moving, avals_of(results))};
}

Cotangents linear_solve_transpose(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const char* who = "custom_linear_solve";
  const LinearSolve eqn(params);
  if (eqn.jaxprs[kTransposeSolve].is_empty())
    fail<TypeError>(who, "reverse derivatives solve the transposed equation: give transpose_solve, or set symmetric where matvec is its own transpose");
  Cotangents out;
  Arrays values;
  for (size_t i = 0; i < eqn.b_at(); ++i) {
    if (operands[i].linear) fail<UnimplementedError>(who, "it is transposed by what its programs use beside b, in which it is not linear");
    out.push_back(Cotangent::zero(tangent_aval(operands[i].aval)));
    values.push_back(operands[i].value);
  }
  const size_t count = operands.size() - eqn.b_at();
  Arrays inputs = concatenated({eqn.consts(values, kVecmat), eqn.consts(values, kMatvec), eqn.consts(values, kTransposeSolve), eqn.consts(values, kSolve)});
  extend(inputs, instantiated(part(cotangents, 0, count), Flags(count, true)));
  const EqnParams back = params.with("jaxprs", named(transposed(eqn.jaxprs))).with("const_lengths", Counts{transposed(eqn.counts.of)});
  const Arrays results = bind_all(self, inputs, back);
  for (size_t i = 0; i < count; ++i) out.emplace_back(results[i]);
  return out;
}

// Solution and right side are batched where any of the four programs makes them so.
BatchResult linear_solve_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  const LinearSolve eqn(params);
  const Flags batched = mapped_flags(axes);
  const auto all = [&](size_t program, const Flags& vector, const Flags& results) {
    return batched_in_front(eqn.jaxprs[program], axis, concatenated({eqn.consts(batched, program), vector}), results);
  };
  const bool transposes = !eqn.jaxprs[kTransposeSolve].is_empty();
  const size_t count = operands.size() - eqn.b_at(), results = eqn.jaxprs[kSolve].outvars().size();
  Flags b = eqn.b(batched), x(results, false);
  Jaxprs programs;
  while (true) {
    const BatchedInFront solved = all(kSolve, b, x);
    Flags x_next = solved.batched;
    programs[kSolve] = solved.jaxpr;
    if (transposes) {
      const BatchedInFront multiplied = all(kVecmat, b, part(x, 0, count));
      programs[kVecmat] = multiplied.jaxpr;
      x_next = either(x_next, concatenated({multiplied.batched, Flags(results - count, true)}));
    }
    const Flags vector = part(x_next, 0, count);
    const BatchedInFront multiplied = all(kMatvec, vector, b);
    programs[kMatvec] = multiplied.jaxpr;
    Flags b_next = either(b, multiplied.batched);
    if (transposes) {
      const BatchedInFront back = all(kTransposeSolve, vector, x_next);
      programs[kTransposeSolve] = back.jaxpr;
      b_next = either(b_next, part(back.batched, 0, count));
    }
    if (x_next == x && b_next == b) break;
    x = x_next;
    b = b_next;
  }
  for (Jaxpr& program : programs)
    if (!program.is_empty()) program = known("custom_linear_solve", program);
  Arrays values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool wanted = i < eqn.b_at() ? batched[i] : b[i - eqn.b_at()];
    values.push_back(wanted ? match_axis(operands[i], axes[i], 0, axis.size) : operands[i]);
  }
  return {bind_all(self, values, params.with("jaxprs", named(programs))), axes_where(x, 0)};
}

// A number as a value that traces may capture (JaxprTrace::capture_residuals), or as any other.
Array marked(const Array& x, bool is_residual) {
  if (x.node("literal").kind() != ArrayNode::Kind::scalar) return x;
  auto node = make_ref<ScalarNode>(x.aval());
  const auto& from = static_cast<const ScalarNode&>(x.node("literal"));
  std::ranges::copy(from.bytes, node->bytes);
  node->written = from.written;
  node->is_residual = is_residual;
  return Array(node);
}
// In JAX the numbers of a program that is transposed are values that the transpose captures.
Jaxpr with_residual_literals(const Jaxpr& jaxpr) {
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  for (Eqn& eqn : node->eqns) {
    Vars invars = eqn.invars();
    for (Var& v : invars) {
      if (!v.is_literal()) continue;
      auto literal = make_ref<VarNode>();
      literal->aval = v.aval();
      literal->literal = marked(v.literal(), true);
      v = Var(literal);
    }
    eqn = Eqn(eqn.primitive(), invars, eqn.outvars(), eqn.params(), eqn.source(), eqn.effects(), eqn.call());
  }
  return Jaxpr(Ref<const JaxprNode>(node));
}

// Values of what a program captured; its other inputs are not known.
Arrays followed_by_unknown(Arrays captured, const Jaxpr& jaxpr) {
  captured.resize(jaxpr.invars().size());
  return captured;
}

// The transpose of a linear map at known values of what it uses.
class TransposedMap final : public FlatMap {
 public:
  TransposedMap(const Jaxpr& matvec, const Arrays& captured, ErasedTree like) : map_(hoisted(matvec, followed_by_unknown(captured, matvec))), like_(std::move(like)) {
    like_.leaves = {};
    map_.jaxpr = with_residual_literals(map_.jaxpr);
  }
  ErasedTree call(const Arrays& leaves) const override {
    LinearOperands inputs;
    for (const Array& value : map_.values) inputs.push_back({false, value, value.aval()});
    for (size_t i = inputs.size(); i < map_.jaxpr.invars().size(); ++i) inputs.push_back({true, {}, map_.jaxpr.invars()[i].aval()});
    Cotangents cotangents;
    for (size_t i = 0; i < leaves.size(); ++i)
      if (map_.known[i].is_empty()) cotangents.emplace_back(leaves[i]);  // what is known does not depend on x
    const Cotangents all = backward_pass(map_.jaxpr, inputs, cotangents);
    ErasedTree out = like_;
    for (size_t i = map_.values.size(); i < all.size(); ++i) out.leaves.push_back(instantiate(all[i]));
    return out;
  }

 private:
  HoistedJaxpr map_;
  ErasedTree like_;
};

}  // namespace

constinit const Primitive custom_linear_solve_p{
    .name = "custom_linear_solve",
    .abstract_eval = linear_solve_abstract_eval,
    .jvp = linear_solve_jvp,
    .transpose = linear_solve_transpose,
    .batching = linear_solve_batching,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const LinearSolve eqn(params);
      return b.inlined(eqn.jaxprs[kSolve], eqn.inputs(x, kSolve), "custom_linear_solve");
    },
    .effects = [](const EqnParams& params) { return LinearSolve(params).jaxprs[kSolve].effects(); },
};

Solved custom_linear_solve(const FlatMapRef& matvec, const ErasedTree& b, Solver solve, const Solver* transpose_solve, const Loc& loc, bool symmetric) {
  const char* who = "custom_linear_solve";
  SiteScope site(loc);
  const Avals avals = avals_of(b.leaves);
  Jaxprs jaxprs;
  std::array<Arrays, 4> captured;
  const auto trace = [&](Program program, FunctionRef<Arrays(const Arrays&)> body) {
    const auto capturing = [&](const Arrays& x) {
      static_cast<JaxprTrace&>(current_trace()).capture_residuals();
      return body(x);
    };
    jaxprs[program] = known(who, trace_closed(who, capturing, avals, captured[program]));
    for (Array& x : captured[program]) x = marked(x, false);
  };
  FlatResult aux;
  const auto trace_solver = [&](Program program, const char* what, const Solver& solver, const FlatMapRef& map) {
    ErasedTree solution;
    trace(program, [&](const Arrays& leaves) {
      Solution found = solver(map, leaves);
      if (program == kSolve) aux.prototype = found.y.prototype;
      solution = std::move(found.carry);
      return concatenated({solution.leaves, found.y.tree.leaves});
    });
    const Avals results = jaxprs[program].out_avals();
    check_like(who, what, "b", b, avals, solution, part(results, 0, std::min(results.size(), solution.leaves.size())));
  };

  ErasedTree product;
  trace(kMatvec, [&](const Arrays& leaves) {
    product = matvec->call(leaves);
    return product.leaves;
  });
  check_like(who, "matvec", "b", b, avals, product, jaxprs[kMatvec].out_avals());
  trace_solver(kSolve, "solve", solve, matvec);
  if (transpose_solve || symmetric) {
    FlatMapRef vecmat = matvec;
    if (symmetric) {
      jaxprs[kVecmat] = jaxprs[kMatvec];
      captured[kVecmat] = captured[kMatvec];
    } else {
      vecmat = make_ref<TransposedMap>(jaxprs[kMatvec], captured[kMatvec], b);
      trace(kVecmat, [&](const Arrays& leaves) { return vecmat->call(leaves).leaves; });
    }
    trace_solver(kTransposeSolve, "transpose_solve", transpose_solve ? *transpose_solve : solve, vecmat);
    if (jaxprs[kTransposeSolve].outvars().size() != jaxprs[kSolve].outvars().size())
      fail<TypeError>(who, "solve and transpose_solve must give the same beside the solution; got ", jaxprs[kSolve].out_avals(), " and ",
                      jaxprs[kTransposeSolve].out_avals());
  }
  Arrays operands;
  Counts counts{};
  for (size_t program = 0; program < 4; ++program) {
    counts.of[program] = static_cast<int64_t>(captured[program].size());
    extend(operands, captured[program]);
  }
  extend(operands, b.leaves);
  const Arrays results = bind_all(custom_linear_solve_p, operands, {{"const_lengths", counts}, {"jaxprs", named(jaxprs)}});
  aux.leaves = part(results, avals.size(), results.size());
  return {part(results, 0, avals.size()), std::move(aux)};
}

}  // namespace tenon::detail
