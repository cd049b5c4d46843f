// check: a demand of the user's, which a checkify around makes part of its error.
#include "base/fail.h"
#include "control/checkify.h"
#include "control/debug_callback.h"
#include "control/value_format.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"

namespace tenon {
namespace detail {
namespace {

const char* const kCheck = "checkify::check";

std::string current_location() {
  const SourceInfo source = current_source();
  if (source.line == 0) return {};
  std::string_view file(source.file);
  file.remove_prefix(file.rfind('/') + 1);
  return text(file, ":", source.line);
}

// Of a batch: does any fail, and of the first that does the rest.
BatchResult batch_check(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  Arrays reduced = operands;
  if (axis.size == 0) fail<ValueError>(kCheck, "vmap over an axis of size 0 has nothing to check");
  const bool is_mapped = axes[0] != kNotMapped;
  const Array first = is_mapped ? lax::argmax(operands[0], axes[0]) : Array();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (axes[i] == kNotMapped) continue;
    const Array& x = operands[i];
    Arrays starts(static_cast<size_t>(x.ndim()), Array(make_scalar(int64_t{0}, jnp::int32, false)));
    if (is_mapped) starts[static_cast<size_t>(axes[i])] = first;
    std::vector<int64_t> sizes = x.shape().dims();
    sizes[static_cast<size_t>(axes[i])] = 1;
    reduced[i] = lax::squeeze(lax::dynamic_slice(x, starts, Shape(sizes)), Axes(axes[i]));
  }
  if (is_mapped) reduced[0] = lax::reduce_or(operands[0], Axes(axes[0]));
  bind_all(self, reduced, params);
  return {};
}

}  // namespace

constinit const Primitive check_p{
    .name = "check",
    .abstract_eval = [](const Avals&, const EqnParams&) -> Avals { return {}; },
    .jvp = jvp_debug,
    .transpose = transpose_debug,
    .batching = batch_check,
    .lowering = [](StablehloBuilder&, const Values&, const EqnParams& params) -> Values {
      if (params.get<bool>("debug")) return {};
      fail<ValueError>(kCheck, "a check inside of jit, scan, ... has nobody who hears of it: compile checkify::checkify(f), not f, and look at the error "
                       "that it returns");
    },
    .evaluate = [](const Arrays& operands, const EqnParams& params) -> Arrays {
      if (params.get<bool>("debug")) return {};
      const Ref<const CheckFacts>& facts = params.get<CheckFactsParam>("facts").facts;
      checkify::Error(operands, facts, facts->key()).throw_();
      return {};
    },
    .effects = [](const EqnParams&) { return Effects::debug; },
};

static void bind_facts(const CheckKind& kind, const std::vector<CheckMessage>& messages, const Arrays& operands, bool debug) {
  auto facts = make_ref<CheckFacts>();
  facts->kinds = {kind};
  facts->messages = messages;
  bind_all(check_p, operands, {{"debug", debug}, {"facts", CheckFactsParam{Ref<const CheckFacts>(facts)}}});
}

void bind_check(const Operand& pred, const DebugFormat& message, const Arrays& values, bool debug) {
  const SiteScope site(message.loc);
  const Aval aval = pred.value.aval();
  if (!aval.shape.empty() || !aval.dtype.is_bool()) fail<TypeError>(kCheck, "it takes a bool scalar; got ", aval, "; reduce it with jnp::all");
  static_cast<void>(ValueFormat(kCheck, message.text, values.size()));
  Arrays operands{lax::bitwise_not(pred.value), Array(make_scalar(int64_t{0}, jnp::int32, false))};
  for (const Array& x : values) operands.push_back(x.weak_type() ? lax::convert_element_type(x, x.dtype()) : x);
  Avals payload = avals_of(operands);
  payload.erase(payload.begin(), payload.begin() + 2);
  bind_facts({checkify::Checks::user, std::move(payload)}, {{checkify::Checks::user, message.text, {}, current_location()}}, operands, debug);
}

}  // namespace detail

void checkify::check_error(const Error& error) {
  const auto* facts = static_cast<const detail::CheckFacts*>(error.facts().get());
  if (!facts) return;
  for (size_t k = 0; const detail::CheckState& state : detail::states_of(facts->kinds, error.values())) {
    if (!state.failed.shape().empty())
      fail<ValueError>("checkify::check_error", "the error is that of a batch, ", state.failed.aval(), "; check_error takes one: reduce the batch, or throw_() it");
    Arrays operands{state.failed, state.code};
    operands.insert(operands.end(), state.payload.begin(), state.payload.end());
    detail::bind_facts(facts->kinds[k++], facts->messages, operands, false);
  }
}

}  // namespace tenon
