// The checks of self-testing modules (dialect check, custom_call @check.*) become calls of the host, which the
// evaluator answers: backends need no code for them.
#include "dialect/check.h"
#include "dialect/host_calls.h"
#include "evaluator/prepare.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

class Check final : public detail::HostCallee {
 public:
  explicit Check(evaluator::ProgramRef program) : program_(std::move(program)) {}
  void call(const void* const* operands, void* const* results) const override { program_->run(operands, results); }

 private:
  evaluator::ProgramRef program_;
};

bool is_check(mlir::Operation* op) {
  if (auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op)) return call.getCallTargetName().starts_with("check.");
  return mlir::isa_and_present<check::CheckDialect>(op->getDialect());
}

// check.expect_eq %x, %y  ->  custom_call @tenon_host_call(%x, %y) {has_side_effect = true}
void bind(mlir::Operation* op) {
  mlir::OpBuilder builder(op);
  const size_t number = add_host_callee(*op->getContext(), detail::make_ref<Check>(evaluator::prepare_operation(op)));
  const auto index = mlir::IntegerAttr::get(builder.getIntegerType(64, /*isSigned=*/false), static_cast<int64_t>(number));
  stablehlo::CustomCallOp::Properties facts;
  facts.call_target_name = builder.getStringAttr(kHostCallTarget);
  facts.has_side_effect = builder.getBoolAttr(true);
  facts.backend_config = builder.getDictionaryAttr(builder.getNamedAttr("index", index));
  facts.api_version = stablehlo::CustomCallApiVersionAttr::get(op->getContext(), stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  auto call = stablehlo::CustomCallOp::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands(), facts);
  op->replaceAllUsesWith(call);
  op->erase();
}

}  // namespace

void bind_checks(mlir::ModuleOp module, PassContext&) {
  llvm::SmallVector<mlir::Operation*> checks;
  module.walk([&](mlir::Operation* op) {
    if (is_check(op)) checks.push_back(op);
  });
  for (mlir::Operation* op : checks) bind(op);
}

}  // namespace tenon::passes
