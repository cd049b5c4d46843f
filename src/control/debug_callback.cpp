// debug_callback: a function of the host that looks at values. Transformations leave it where it is.
#include "control/debug_callback.h"

#include "base/fail.h"
#include "control/primitives.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"

namespace tenon::detail {

namespace {

/// The parameter `effect`.
struct DebugEffect {
  bool ordered;
  bool operator==(const DebugEffect&) const = default;
  std::string str() const { return ordered ? "OrderedDebug" : "Debug"; }
};
const char* const kDebugCallback = "debug::callback";

Array element(const Array& x, int axis, int64_t index) {
  std::vector<int64_t> start(x.shape().size()), limit = x.shape().dims();
  const std::vector<int64_t> ones(start.size(), 1);
  start[static_cast<size_t>(axis)] = index;
  limit[static_cast<size_t>(axis)] = index + 1;
  return lax::squeeze(lax::slice(x, Shape(start), Shape(limit), Shape(ones)), Axes(axis));
}

}  // namespace

JvpResult jvp_debug(const Primitive& self, const Arrays& primals, const Tangents&, const EqnParams& params) {
  bind_all(self, primals, params);
  return {};
}

BatchResult batch_debug(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  for (int64_t index = 0; index < axis.size; ++index) {
    Arrays elements = operands;
    for (size_t i = 0; i < operands.size(); ++i)
      if (axes[i] != kNotMapped) elements[i] = element(operands[i], axes[i], index);
    bind_all(self, elements, params);
  }
  return {};
}

Cotangents transpose_debug(const Primitive& self, const Cotangents&, const LinearOperands&, const EqnParams&) {
  fail<ValueError>(self.name(), "looking at values has no transpose");
}

constinit const Primitive debug_callback_p{
    .name = "debug_callback",
    .abstract_eval = [](const Avals&, const EqnParams&) -> Avals { return {}; },
    .jvp = jvp_debug,
    .transpose = transpose_debug,
    .batching = batch_debug,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      return lower_host_call(b, kDebugCallback, params.get<DebugFunctionParam>("callback").function, operands, {}, true);
    },
    .evaluate = [](const Arrays& operands, const EqnParams& params) -> Arrays {
      return evaluate_host_call(kDebugCallback, *params.get<DebugFunctionParam>("callback").function, operands, {});
    },
    .effects = [](const EqnParams& params) { return params.get<DebugEffect>("effect").ordered ? Effects::ordered_debug : Effects::debug; },
};

void call_debug(const HostFunctionRef& function, const Arrays& operands, const DebugCallbackOptions& options) {
  const SiteScope site(options.loc);
  bind_all(debug_callback_p, operands, {{"callback", DebugFunctionParam{function}}, {"effect", DebugEffect{options.ordered}}, {"partitioned", false}});
}

}  // namespace tenon::detail
