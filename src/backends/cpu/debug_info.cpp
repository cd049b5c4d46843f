#include "backends/cpu/debug_info.h"

#include <unistd.h>

#include <algorithm>

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace tenon::cpu {

// As compilers write it: a relative path is below the directory in which the program was compiled, for which this one stands.
static llvm::DIFile* file_of(llvm::LLVMContext& context, const std::string& path) {
  static const std::string directory = [] {
    char name[4096];
    return std::string(::getcwd(name, sizeof name) ? name : "/");
  }();
  return llvm::DIFile::get(context, path, directory);
}

static llvm::DICompileUnit* unit_of(llvm::Module& module, llvm::DIFile* file) {
  for (llvm::DICompileUnit* unit : module.debug_compile_units()) return unit;
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  llvm::DIBuilder builder(module);
  auto* unit = builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C_plus_plus_14), file, "Tenon", /*isOptimized=*/true, "", 0);
  builder.finalize();
  return unit;
}

void describe_kernel(llvm::Function& function, const Graph& graph) {
  // Its results come last: their line names it.
  const auto last = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), [](const Node& node) { return node.source != nullptr; });
  if (last == graph.nodes.rend()) return;
  llvm::Module& module = *function.getParent();
  llvm::DIFile* file = file_of(module.getContext(), last->source->file);
  llvm::DICompileUnit* unit = unit_of(module, file);
  llvm::DIBuilder builder(module, /*AllowUnresolved=*/true, unit);
  const auto line = static_cast<unsigned>(last->source->line);
  auto* program = builder.createFunction(file, function.getName(), function.getName(), file, line, builder.createSubroutineType(builder.getOrCreateTypeArray({})), line,
                                         llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  builder.finalizeSubprogram(program);
  function.setSubprogram(program);
}

LineScope::LineScope(llvm::IRBuilderBase& b, const llvm::Function& function, const Node& node) : b_(b), is_set_(node.source && function.getSubprogram()) {
  if (!is_set_) return;
  outer_ = b.getCurrentDebugLocation();
  llvm::DISubprogram* program = function.getSubprogram();
  llvm::LLVMContext& context = function.getContext();
  llvm::DIScope* scope = program;
  if (llvm::DIFile* file = file_of(context, node.source->file); file != program->getFile()) scope = llvm::DILexicalBlockFile::get(context, program, file, 0);
  b.SetCurrentDebugLocation(llvm::DILocation::get(context, static_cast<unsigned>(node.source->line), 0, scope));
}

}  // namespace tenon::cpu
