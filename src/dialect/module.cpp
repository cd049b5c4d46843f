// Text in, a verified module out; a module in, text out. Everything MLIR has to say arrives as one exception.
#include "dialect/module.h"

#include "base/fail.h"
#include "dialect/bool_literals.h"
#include "dialect/check.h"
#include "dialect/chlo.h"
#include "dialect/foreign.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(tenon::SdyDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(tenon::MhloDialect)

namespace tenon {

// ------------------------------------------------------------------------------------- diagnostics
static std::string location_str(mlir::Location location) {
  if (auto file = location->findInstanceOf<mlir::FileLineColLoc>()) {
    return detail::text(std::string_view(file.getFilename().strref()), ":", file.getLine(), ":", file.getColumn(), ": ");
  }
  return "";
}

// Text of one diagnostic; a constant or an operation inside it may be huge.
static std::string shortened(std::string text) {
  constexpr size_t kLongest = 600;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + " ...";
  return text;
}

struct Diagnostics::State {
  explicit State(mlir::MLIRContext& context) : handler(&context, [this](mlir::Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && first.empty()) {
      first = location_str(diagnostic.getLocation()) + shortened(diagnostic.str());
      for (mlir::Diagnostic& note : diagnostic.getNotes()) {
        // The operation's own text helps nobody who has the line; other notes do.
        if (!note.str().starts_with("see current operation")) first += "; " + shortened(note.str());
      }
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

// ---------------------------------------------------------------------------------------- contexts
namespace {
struct Context final : mlir::MLIRContext {
  using MLIRContext::MLIRContext;
  std::recursive_mutex mutex;
};
}  // namespace

std::recursive_mutex& context_mutex(const Module& module) { return static_cast<Context*>(module.impl().context.get())->mutex; }

std::shared_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                  ir::TenonDialect, check::CheckDialect, check::InterpreterDialect, SdyDialect, MhloDialect>();
  auto context = std::make_shared<Context>(registry, mlir::MLIRContext::Threading::DISABLED);
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

// ----------------------------------------------------------------------------------------- parsing
namespace {

// The parser recurses over nesting: text deeper than this is refused before it can exhaust the stack.
constexpr int kMaxNesting = 256;

// How deep brackets nest, outside of strings and comments.
int nesting_depth(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false, in_comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_comment) {
      in_comment = c != '\n';
    } else if (in_string) {
      if (c == '\\') ++i;
      else in_string = c != '"' && c != '\n';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      in_comment = true;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth = std::max(depth - 1, 0);
    }
  }
  return deepest;
}

// MLIR's parser makes room for each result that a use such as %0#1000000000 implies.
constexpr size_t kMaxResultDigits = 6;

bool has_huge_result_number(std::string_view text) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    if (end - at - 1 > kMaxResultDigits) return true;
  }
  return false;
}

// MLIR's parser asks `index` for its width in array<index: ...>.
bool has_index_array(std::string_view text) {
  constexpr std::string_view kArray = "array<";
  for (size_t at = text.find(kArray); at != text.npos; at = text.find(kArray, at + 1)) {
    const size_t type = text.find_first_not_of(" \t\r\n", at + kArray.size());
    if (type != text.npos && text.substr(type).starts_with("index")) return true;
  }
  return false;
}

// Passes look at each pair of axes.
constexpr int64_t kMaxRank = 256;

bool rank_fits(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return !tensor || tensor.getRank() <= kMaxRank;
}

// Later stages multiply sizes without asking.
bool bytes_fit(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return true;
  int64_t bytes = std::max<int64_t>(storage_bits(tensor.getElementType()) / 8, 1);
  bool overflow = false;
  for (const int64_t size : tensor.getShape()) {
    if (size == 0) return true;
    overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  return !overflow;
}

// Each value is one that programs know, of a size that fits.
mlir::LogicalResult check_values(mlir::ModuleOp module) {
  const auto check = [](mlir::Operation* op, mlir::TypeRange types) -> mlir::WalkResult {
    for (const mlir::Type type : types) {
      if (!stablehlo::detail::is_value(type)) {
        op->emitOpError("has a value of a type that is none of StableHLO's; got ") << type;
        return mlir::WalkResult::interrupt();
      }
      if (!rank_fits(type)) {
        op->emitOpError("has a tensor of more than ") << kMaxRank << " dimensions";
        return mlir::WalkResult::interrupt();
      }
      if (!bytes_fit(type)) {
        op->emitOpError("has a tensor whose bytes do not fit in 63 bits; got ") << type;
        return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  };
  return mlir::failure(module.walk([&](mlir::Operation* op) -> mlir::WalkResult {
    if (check(op, op->getResultTypes()).wasInterrupted()) return mlir::WalkResult::interrupt();
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        if (check(op, block.getArgumentTypes()).wasInterrupted()) return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  }).wasInterrupted());
}

}  // namespace

Module Module::parse(std::string_view text, std::string_view filename) { return parse_module(text, filename, make_context()); }

Module parse_module(std::string_view text, std::string_view filename, std::shared_ptr<mlir::MLIRContext> context) {
  if (text.starts_with("ML\xefR")) fail<ParseError>(filename, "this is bytecode, not text");
  if (text.find('\0') != text.npos) fail<ParseError>(filename, "a NUL byte at ", text.find('\0'), "; this is not text");
  if (const int depth = nesting_depth(text); depth > kMaxNesting) {
    fail<ParseError>(filename, "brackets nest ", depth, " deep; at most ", kMaxNesting, " levels are read");
  }
  if (has_index_array(text)) fail<ParseError>(filename, "array<index: ...> has no meaning here; array<i64: ...> has");
  if (has_huge_result_number(text)) fail<ParseError>(filename, "a number after '#' has more than ", kMaxResultDigits, " digits");
  const Diagnostics diagnostics(*context);
  llvm::SourceMgr sources;
  const std::string packed = detail::pack_bool_literals(text);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(packed, llvm::StringRef(filename)), llvm::SMLoc());
  auto op = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(context.get()));
  if (!op || check_values(*op).failed()) {
    op = {};  // before the context that it lives in
    throw ParseError(diagnostics.first(detail::text(filename, ": this is not a module")));
  }
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
  return detail::unpack_bool_literals(std::move(out));
}

std::string Module::name() const { return impl_->op->getName().value_or("").str(); }

void Module::verify() const {
  const Diagnostics diagnostics(module_context(*this));
  if (mlir::failed(mlir::verify(*impl_->op)) || check_values(*impl_->op).failed()) {
    throw CompileError(diagnostics.first("the module does not verify"));
  }
}

}  // namespace tenon
