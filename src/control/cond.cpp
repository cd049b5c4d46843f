// cond: one of several programs, chosen by an index. Operands: the index (int32, in range), then the inputs of every
// branch; a branch that does not need one ignores it.
#include "control/rules.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

static Avals cond_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "cond";
  const auto& branches = params.get<std::vector<Jaxpr>>("branches");
  TENON_CHECK(!branches.empty(), who);
  if (in.empty() || !in[0].shape.empty() || in[0].dtype != DType(DType::kInt32))
    fail<TypeError>(who, "the index must be an int32 scalar; got ", in);
  for (const Jaxpr& branch : branches)
    if (branch.invars().size() + 1 != in.size() || branch.outvars().size() != branches[0].outvars().size())
      fail<TypeError>(who, "branches must take the operands and give equal results; got ", in.size() - 1, " operands and a branch of ",
                      branch.invars().size(), " inputs and ", branch.outvars().size(), " results");
  return branches[0].out_avals();
}

namespace {
// A branch has no arguments: it sees the values around it.
struct BranchBody {
  const Jaxpr* jaxpr;
  const Values* operands;
  std::string scope;
  Values operator()(StablehloBuilder& b, const Values&) const { return b.inlined(*jaxpr, *operands, scope); }
};
}  // namespace

constinit const Primitive cond_p{
    .name = "cond",
    .abstract_eval = cond_abstract_eval,
    .jvp = cond_jvp,
    .linearize = cond_linearize,
    .transpose = cond_transpose,
    .batching = cond_batching,
    .prune = cond_prune,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const Values operands(x.begin() + 1, x.end());
      std::vector<BranchBody> bodies;
      for (const Jaxpr& branch : params.get<std::vector<Jaxpr>>("branches"))
        bodies.push_back({&branch, &operands, text("cond/branch_", bodies.size(), "_fun")});
      std::vector<Region> regions;
      for (BranchBody& body : bodies) regions.push_back(Region{{}, body});
      return b.case_(x[0], regions);
    },
    .effects = [](const EqnParams& params) {
      Effects all = Effects::none;
      for (const Jaxpr& branch : params.get<std::vector<Jaxpr>>("branches")) all = all | branch.effects();
      return all;
    },
};

}  // namespace tenon::detail
