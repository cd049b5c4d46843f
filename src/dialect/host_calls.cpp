#include "dialect/host_calls.h"

#include "base/fail.h"
#include "dialect/tenon_ops.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(tenon::HostCallees)

namespace tenon {

static std::vector<detail::HostCalleeRef>& callees_of(mlir::MLIRContext& context) {
  return context.getLoadedDialect<ir::TenonDialect>()->getRegisteredInterface<HostCallees>()->list;
}

size_t add_host_callee(mlir::MLIRContext& context, detail::HostCalleeRef callee) {
  std::vector<detail::HostCalleeRef>& list = callees_of(context);
  list.push_back(std::move(callee));
  return list.size() - 1;
}

detail::HostCalleeRef host_callee_of(stablehlo::CustomCallOp op) {
  const std::vector<detail::HostCalleeRef>& list = callees_of(*op.getContext());
  const auto config = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(op.getBackendConfigAttr());
  const auto index = config ? llvm::dyn_cast_if_present<mlir::IntegerAttr>(config.get("index")) : mlir::IntegerAttr();
  if (!index || index.getValue().getZExtValue() >= list.size())
    fail<CompileError>(kHostCallTarget, "the function of the host is not there: a program that calls one runs where it was traced, "
                       "its text alone does not");
  return list[index.getValue().getZExtValue()];
}

}  // namespace tenon
