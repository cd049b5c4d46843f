// `custom_call @tenon_host_call`: a call of a function of the host. The functions stand beside the operations, in the
// context, by the number that the call names; so all copies of a module have them, and its text has not.
#pragma once

#include <vector>

#include "dialect/stablehlo.h"
#include "mlir/IR/DialectInterface.h"
#include "tenon/detail/host_callee.h"

namespace tenon {

inline constexpr char kHostCallTarget[] = "tenon_host_call";

inline bool is_host_call(stablehlo::CustomCallOp op) { return op.getCallTargetName() == kHostCallTarget; }

/// Gives the number of `callee` in the context.
size_t add_host_callee(mlir::MLIRContext& context, detail::HostCalleeRef callee);
/// What `op` calls. Throws CompileError when it is not there: the module was read from text.
detail::HostCalleeRef host_callee_of(stablehlo::CustomCallOp op);

/// The functions of a context; Tenon's dialect holds them.
class HostCallees : public mlir::DialectInterface::Base<HostCallees> {
 public:
  explicit HostCallees(mlir::Dialect* dialect) : Base(dialect) {}
  mutable std::vector<detail::HostCalleeRef> list;
};

}  // namespace tenon

MLIR_DECLARE_EXPLICIT_TYPE_ID(tenon::HostCallees)
