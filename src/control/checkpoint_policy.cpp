// Which values derivatives of a checkpoint keep, and the names by which policies know values.
#include <algorithm>

#include "base/fail.h"
#include "control/remat.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon {
namespace detail {

constinit const Primitive name_p{
    .name = "name",
    .abstract_eval = lax::unary_rule<"name", lax::kAny | lax::kKey>,
    .jvp = [](const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) -> JvpResult {
      return {bind_all(self, primals, params), tangents};
    },
    .batching = lax::batch_unary,
    .lowering = [](StablehloBuilder&, const Values& x, const EqnParams&) -> Values { return {x[0]}; },
};

}  // namespace detail

Array checkpoint_name(const Operand& x, const std::string& name) {
  detail::SiteScope site(x.loc);
  return bind(detail::name_p, {x.value}, {{"name", name}});
}

CheckpointPolicy CheckpointPolicy::save_from_both_policies(CheckpointPolicy first, CheckpointPolicy second) {
  if (first.kind_ == Kind::everything || second.kind_ == Kind::everything) return everything_saveable;
  if (first.kind_ == Kind::nothing) return second;
  if (second.kind_ == Kind::nothing) return first;
  CheckpointPolicy both(Kind::both);
  both.parts_ = {std::move(first), std::move(second)};
  return both;
}

bool CheckpointPolicy::saves(const Eqn& eqn) const {
  const Primitive& primitive = eqn.primitive();
  const auto is_listed = [&] { return std::ranges::find(names_, eqn.params().get<std::string>("name")) != names_.end(); };
  switch (kind_) {
    case Kind::nothing: return false;
    case Kind::everything:
    case Kind::but_names: return true;
    case Kind::dots: return primitive.contraction != nullptr;
    case Kind::dots_without_batch: return primitive.contraction && !primitive.contraction(eqn.params()).batched;
    case Kind::only_names: return &primitive == &detail::name_p && is_listed();
    case Kind::other_names: return &primitive == &detail::name_p && !is_listed();
    case Kind::both: return std::ranges::any_of(parts_, [&](const CheckpointPolicy& part) { return part.saves(eqn); });
  }
  TENON_CHECK(false);
}

std::string CheckpointPolicy::key() const {
  std::string out = std::to_string(static_cast<int>(kind_));
  for (const std::string& name : names_) out += " " + std::to_string(name.size()) + ":" + name;
  for (const CheckpointPolicy& part : parts_) out += " (" + part.key() + ")";
  return out;
}
std::string CheckpointPolicy::str() const {
  const auto function = [](const char* name) { return std::string("<function ") + name + " at 0xXXXXXXXXXXXX>"; };
  switch (kind_) {
    case Kind::nothing: return function("nothing_saveable");
    case Kind::everything: return function("everything_saveable");
    case Kind::dots: return function("dots_saveable");
    case Kind::dots_without_batch: return function("dots_with_no_batch_dims_saveable");
    case Kind::only_names: return function("save_only_these_names.<locals>.policy");
    case Kind::other_names: return function("save_any_names_but_these.<locals>.policy");
    case Kind::but_names: return function("save_anything_except_these_names.<locals>.<lambda>");
    case Kind::both: return function("save_from_both_policies.<locals>.policy");
  }
  TENON_CHECK(false);
}

}  // namespace tenon
