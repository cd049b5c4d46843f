// while: a program again and again, as long as another one says so. Operands: what the condition and the body capture
// (cond_nconsts, body_nconsts), then the carry, which the body takes and gives.
#include "control/rules.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

static Avals while_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "while";
  const auto &condition = params.get<Jaxpr>("cond_jaxpr"), &body = params.get<Jaxpr>("body_jaxpr");
  const auto cond_nconsts = static_cast<size_t>(params.get<int64_t>("cond_nconsts"));
  const auto body_nconsts = static_cast<size_t>(params.get<int64_t>("body_nconsts"));
  const size_t carry = body.outvars().size();
  if (in.size() != cond_nconsts + body_nconsts + carry || condition.invars().size() != cond_nconsts + carry ||
      body.invars().size() != body_nconsts + carry)
    fail<TypeError>(who, "operands must be the constants of the condition, those of the body and the carry; got ", in.size(),
                    " operands, a condition of ", condition.invars().size(), " inputs and a body of ", body.invars().size(),
                    " inputs and ", carry, " results");
  const Avals decision = condition.out_avals();
  if (decision.size() != 1 || decision[0].dtype != DType(DType::kBool))
    fail<TypeError>(who, "the condition must give a bool; got ", decision);
  return body.out_avals();
}

static Values joined(std::initializer_list<std::pair<Values::const_iterator, Values::const_iterator>> parts) {
  Values all;
  for (const auto& [begin, end] : parts) all.insert(all.end(), begin, end);
  return all;
}

constinit const Primitive while_p{
    .name = "while",
    .abstract_eval = while_abstract_eval,
    .jvp = while_jvp,
    .linearize = while_linearize,
    .transpose = while_transpose,
    .batching = while_batching,
    .prune = while_prune,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const auto &condition = params.get<Jaxpr>("cond_jaxpr"), &body = params.get<Jaxpr>("body_jaxpr");
      const auto cond_nconsts = static_cast<std::ptrdiff_t>(params.get<int64_t>("cond_nconsts"));
      const auto carry_at = cond_nconsts + static_cast<std::ptrdiff_t>(params.get<int64_t>("body_nconsts"));
      // What is captured goes around with the carry.
      Avals avals;
      for (const Value& v : x) avals.push_back(v.aval());
      const Shape batch = condition.out_avals()[0].shape;  // one condition for each element of a batch: any of them
      Axes axes;
      for (int axis = 0; axis < batch.ndim(); ++axis) axes.push_back(axis);
      auto decide = [&](StablehloBuilder& in, const Values& v) -> Values {
        const Values again = in.inlined(condition, joined({{v.begin(), v.begin() + cond_nconsts}, {v.begin() + carry_at, v.end()}}), "while/cond");
        if (batch.empty()) return again;
        return {in.reduce(again[0], in.constant_integer(0, DType(DType::kBool)), axes, ReduceKind::or_)};
      };
      auto step = [&](StablehloBuilder& in, const Values& v) -> Values {
        Values next = in.inlined(body, joined({{v.begin() + cond_nconsts, v.end()}}), "while/body");
        if (!batch.empty()) {
          const Values again = in.inlined(condition, joined({{v.begin(), v.begin() + cond_nconsts}, {v.begin() + carry_at, v.end()}}), "while/body_pred");
          for (size_t i = 0; i < next.size(); ++i) {
            const Value& before = v[static_cast<size_t>(carry_at) + i];
            const Shape shape = next[i].aval().shape;
            next[i] = in.select(shape == batch ? again[0] : in.broadcast_in_dim(again[0], shape, axes), next[i], before);
          }
        }
        return joined({{v.begin(), v.begin() + carry_at}, {next.begin(), next.end()}});
      };
      const Values results = b.while_(x, Region{avals, decide}, Region{avals, step});
      return Values(results.begin() + carry_at, results.end());
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("cond_jaxpr").effects() | params.get<Jaxpr>("body_jaxpr").effects(); },
};

}  // namespace tenon::detail
