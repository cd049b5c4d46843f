#include "dialect/module.h"

#include "base/fail.h"
#include "dialect/check.h"
#include "dialect/chlo.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace tenon {
namespace {

// The parser recurses over nesting: text deeper than this is refused before it can exhaust the stack.
constexpr int kMaxNesting = 500;

int nesting_depth(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false, in_comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_comment) in_comment = c != '\n';
    else if (in_string) {
      if (c == '\\') ++i;
      else in_string = c != '"' && c != '\n';
    } else if (c == '"') in_string = true;
    else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') in_comment = true;
    else if (c == '(' || c == '[' || c == '{' || c == '<') deepest = std::max(deepest, ++depth);
    else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || text[i - 1] != '-'))) --depth;
  }
  return deepest;
}

std::string location_str(mlir::Location location) {
  if (auto file = location->findInstanceOf<mlir::FileLineColLoc>())
    return detail::text(std::string_view(file.getFilename().strref()), ":", file.getLine(), ":", file.getColumn(), ": ");
  return "";
}

}  // namespace

struct Diagnostics::State {
  explicit State(mlir::MLIRContext& context)
      : handler(&context, [this](mlir::Diagnostic& diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first.empty()) {
            first = location_str(diagnostic.getLocation()) + diagnostic.str();
            for (mlir::Diagnostic& note : diagnostic.getNotes()) first += "; " + note.str();
          }
          return mlir::success();
        }) {}
  std::string first;
  mlir::ScopedDiagnosticHandler handler;
};
Diagnostics::Diagnostics(mlir::MLIRContext& context) : state_(std::make_unique<State>(context)) {}
Diagnostics::~Diagnostics() = default;
std::string Diagnostics::first(std::string_view otherwise) const {
  return state_->first.empty() ? std::string(otherwise) : state_->first;
}

std::shared_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, stablehlo::StablehloDialect, chlo::ChloDialect, ir::TenonDialect,
                  check::CheckDialect, check::InterpreterDialect>();
  auto context = std::make_shared<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects(false);
  context->loadAllAvailableDialects();
  return context;
}

Module make_module(std::shared_ptr<mlir::MLIRContext> context, mlir::OwningOpRef<mlir::ModuleOp> op) {
  auto impl = std::make_shared<Module::Impl>();
  impl->context = std::move(context);
  impl->op = std::move(op);
  return Module(std::move(impl));
}

Module Module::parse(std::string_view text, std::string_view filename) {
  if (int depth = nesting_depth(text); depth > kMaxNesting)
    fail<ParseError>(filename, "brackets are nested ", depth, " deep; at most ", kMaxNesting, " are read");
  auto context = make_context();
  Diagnostics diagnostics(*context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size()), llvm::StringRef(filename.data(), filename.size())),
      llvm::SMLoc());
  auto op = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(context.get()));
  if (!op) throw ParseError(diagnostics.first(detail::text(filename, ": this is no module")));
  return make_module(std::move(context), std::move(op));
}

Module Module::clone() const {
  return make_module(impl_->context, mlir::OwningOpRef<mlir::ModuleOp>(impl_->op->clone()));
}

std::string Module::str(const ModuleTextOptions& options) const {
  std::string out;
  llvm::raw_string_ostream stream(out);
  mlir::OpPrintingFlags flags;
  if (options.debug_info) flags.enableDebugInfo(true, false);
  if (options.generic) flags.printGenericOpForm();
  impl_->op->print(stream, flags);
  out += '\n';
  return out;
}

std::string Module::name() const { return impl_->op->getName().value_or("").str(); }

void Module::verify() const {
  Diagnostics diagnostics(module_context(*this));
  if (mlir::failed(mlir::verify(*impl_->op))) throw CompileError(diagnostics.first("the module does not verify"));
}

}  // namespace tenon
