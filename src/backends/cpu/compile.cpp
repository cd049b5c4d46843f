#include "backends/cpu/compile.h"

#include <map>
#include <string>

#include "backends/cpu/constant_operands.h"
#include "backends/cpu/executable.h"
#include "backends/cpu/saved_code.h"
#include "base/fail.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::cpu {

namespace {

/// The kernels of a program in one LLVM module.
struct Emitted {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::vector<Kernel> kernels;

  Emitted(const Program& program, const Target& target)
      : module(std::make_unique<llvm::Module>(program.name, *context)) {
    prepare_module(*module, target);
    for (const Graph& graph : program.graphs)
      kernels.push_back(emit_kernel(*module, graph, target));
    read_constants_from_memory(*module, target);
#if !defined(NDEBUG) || defined(TENON_SANITIZE)
    check();
#endif
  }
  void check() const {
    std::string message;
    llvm::raw_string_ostream out(message);
    if (llvm::verifyModule(*module, &out))
      fail<InternalError>("cpu", "generated LLVM IR does not verify: ", message);
  }
};

}  // namespace

// Kernels are found by name.
static void make_names_unique(Program& program) {
  std::map<std::string, int> taken;  // how often each was wanted
  for (Graph& graph : program.graphs) {
    const std::string wanted = graph.name.empty() ? "kernel" : graph.name;
    std::string name = wanted;
    for (int& uses = taken[wanted]; uses++ > 0;) {
      name = wanted + "_" + std::to_string(uses - 1);
      if (taken.try_emplace(name, 1).second) break;
    }
    graph.name = name;
  }
}

ExecutableRef compile(const Module& module, Device device, std::string* saved) {
  Program program = read_program(module);
  make_names_unique(program);
  Target target = Target::selected();
  std::vector<Kernel> kernels;
  std::unique_ptr<MachineCode> code;
  ObjectCode object;
  if (!program.graphs.empty()) {
    Emitted emitted(program, target);
    object = generate_object(*emitted.module, target);
    kernels = std::move(emitted.kernels);
  }
  if (saved) *saved = save_code(kernels, object);
  if (!kernels.empty()) code = std::make_unique<MachineCode>(program.name, std::move(object));
  return detail::make_ref<CpuExecutable>(device, std::move(program), std::move(target),
                                         std::move(kernels), std::move(code));
}

ExecutableRef load(const Module& module, Device device, std::string_view saved) {
  Program program = read_program(module);
  make_names_unique(program);
  SavedCode from = load_code(saved);
  if (from.kernels.size() != program.graphs.size())
    fail<CompileError>("cpu", "saved code has ", from.kernels.size(), " kernels, and the program ", program.graphs.size());
  std::unique_ptr<MachineCode> code;
  if (!from.kernels.empty()) code = std::make_unique<MachineCode>(program.name, std::move(from.object));
  return detail::make_ref<CpuExecutable>(device, std::move(program), Target::selected(), std::move(from.kernels), std::move(code));
}

std::string llvm_text(const Program& program, const Target& target) {
  const Emitted emitted(program, target);
  std::string text;
  llvm::raw_string_ostream out(text);
  emitted.module->print(out, nullptr);
  return text;
}

std::string assembly_text(const Program& program, const Target& target) {
  const Emitted emitted(program, target);
  return generate_assembly(*emitted.module, target);
}

std::string object_code(const Program& program, const Target& target) {
  const Emitted emitted(program, target);
  const ObjectCode object = generate_object(*emitted.module, target);
  return {object.begin(), object.end()};
}

}  // namespace tenon::cpu
