// The function of a module at which a program begins.
#include "base/fail.h"
#include "dialect/module_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tenon {

using mlir::func::FuncOp;

static std::string function_names(mlir::ModuleOp module) {
  std::string names;
  for (FuncOp function : module.getOps<FuncOp>())
    if (!function.isDeclaration()) names += (names.empty() ? "@" : ", @") + function.getName().str();
  return names.empty() ? "none" : names;
}

std::string Module::entry_name() const {
  mlir::ModuleOp module = module_op(*this);
  if (auto main = module.lookupSymbol<FuncOp>("main"); main && !main.isDeclaration()) return "main";
  llvm::SmallVector<FuncOp> all, exported;
  for (FuncOp function : module.getOps<FuncOp>()) {
    if (function.isDeclaration()) continue;
    all.push_back(function);
    if (function.isPublic()) exported.push_back(function);
  }
  if (exported.size() == 1) return exported[0].getName().str();
  if (all.size() == 1) return all[0].getName().str();
  fail<ValueError>("module", "it has no function @main, and which other one to run is not clear; it has ", function_names(module));
}

Module Module::with_entry(std::string_view function) const {
  Module result = clone();
  mlir::ModuleOp module = module_op(result);
  auto entry = module.lookupSymbol<FuncOp>(llvm::StringRef(function));
  if (!entry || entry.isDeclaration())
    fail<ValueError>("module", "it has no function @", function, " with a body; it has ", function_names(module));
  mlir::SymbolTable symbols(module);
  const auto rename = [&](FuncOp renamed, const std::string& name) {
    TENON_CHECK(mlir::succeeded(symbols.rename(renamed, name)), "a function cannot be renamed to ", name);
  };
  if (auto main = module.lookupSymbol<FuncOp>("main"); main && main != entry) {
    std::string name = "main_";
    while (module.lookupSymbol(name)) name += "_";
    rename(main, name);
  }
  if (entry.getName() != "main") rename(entry, "main");
  using Visibility = mlir::SymbolTable::Visibility;
  for (FuncOp other : module.getOps<FuncOp>()) other.setVisibility(other == entry ? Visibility::Public : Visibility::Private);
  return result;
}

}  // namespace tenon
