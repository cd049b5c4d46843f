#include "backends/cpu/machine_code.h"

#include <cmath>
#include <cstring>
#include <mutex>

#include "backends/cpu/show_code.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "math/complex.h"
#include "math/rare.h"
#include "math/zeta.h"
#include "tenon/error.h"

namespace tenon::cpu {

namespace {

// LLVM calls this where it would exit: the exception leaves its frames, and what they held is lost.
[[noreturn]] void raise_fatal_error(void*, const char* reason, bool) {
  throw CompileError(std::string("cpu: LLVM gave up: ") + reason);
}

// Machines are not thread safe; a few threads may compile at once.
class TargetMachines {
 public:
  using Machine = std::unique_ptr<llvm::TargetMachine>;

  static TargetMachines& get() {
    static TargetMachines* machines = new TargetMachines;
    return *machines;
  }
  Machine take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Machine machine = std::move(free_.back());
        free_.pop_back();
        return machine;
      }
    }
    return make();
  }
  void give(Machine machine) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(machine));
  }

 private:
  TargetMachines() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::install_fatal_error_handler(raise_fatal_error);
    disable_strength_reduction();
  }
  // Addresses are hoisted as they are emitted: it finds nothing, in 10 to 20 % of the time.
  static void disable_strength_reduction() {
    const auto& options = llvm::cl::getRegisteredOptions();
    if (const auto it = options.find("disable-lsr"); it != options.end()) static_cast<llvm::cl::opt<bool>*>(it->second)->setValue(true);
  }
  static Machine make() {
    const llvm::Triple triple(llvm::sys::getProcessTriple());
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) throw CompileError("cpu: no LLVM target for this machine: " + error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.ExceptionModel = llvm::ExceptionHandling::None;
    // The processor and its features are attributes of each function.
    return Machine(target->createTargetMachine(triple, "", "", options, llvm::Reloc::PIC_,
                                               llvm::CodeModel::Small,
                                               llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  }

  std::mutex mutex_;
  std::vector<Machine> free_;
};

// Functions that generated code calls.
struct RuntimeSymbol {
  const char* name;
  void* address;
};

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

std::vector<RuntimeSymbol> runtime_symbols() {
  using F = float (*)(float);
  using D = double (*)(double);
  using F2 = float (*)(float, float);
  using D2 = double (*)(double, double);
  return {
      {"fmaf", address_of(static_cast<float (*)(float, float, float)>(::fmaf))},
      {"fma", address_of(static_cast<double (*)(double, double, double)>(::fma))},
      {"fmodf", address_of(static_cast<F2>(::fmodf))},
      {"fmod", address_of(static_cast<D2>(::fmod))},
      {"floorf", address_of(static_cast<F>(::floorf))},
      {"floor", address_of(static_cast<D>(::floor))},
      {"ceilf", address_of(static_cast<F>(::ceilf))},
      {"ceil", address_of(static_cast<D>(::ceil))},
      {"roundf", address_of(static_cast<F>(::roundf))},
      {"round", address_of(static_cast<D>(::round))},
      {"roundevenf", address_of(static_cast<F>(::nearbyintf))},  // the mode is to nearest even
      {"roundeven", address_of(static_cast<D>(::nearbyint))},
      {"memcpy", address_of(::memcpy)},
      {"memset", address_of(::memset)},
      {"memmove", address_of(::memmove)},
  };
}

class Linker {
 public:
  static Linker& get() {
    static Linker* linker = new Linker;
    return *linker;
  }

  llvm::orc::JITDylib& add(const std::string& name, ObjectCode object) {
    llvm::SmallVector<char, 0> bytes(object.begin(), object.end());
    const std::string unique = name + "#" + std::to_string(count_.fetch_add(1));
    show_linked_code(*session_, *layer_);
    llvm::orc::JITDylib& library = session_->createBareJITDylib(unique);
    library.addToLinkOrder(*runtime_);
    check(layer_->add(
        library.getDefaultResourceTracker(),
        std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), unique, false)));
    return library;
  }
  void* find(llvm::orc::JITDylib& library, std::string_view symbol) {
    auto found = session_->lookup({&library}, llvm::StringRef(symbol.data(), symbol.size()));
    if (!found) check(found.takeError());
    return found->getAddress().toPtr<void*>();
  }
  void remove(llvm::orc::JITDylib& library) {
    llvm::consumeError(session_->removeJITDylib(library));
  }

  static void check(llvm::Error error) {
    if (error) throw CompileError("cpu: linking failed: " + llvm::toString(std::move(error)));
  }

 private:
  Linker() {
    auto control = llvm::orc::SelfExecutorProcessControl::Create();
    if (!control) check(control.takeError());
    session_ = std::make_unique<llvm::orc::ExecutionSession>(std::move(*control));
    session_->setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
    memory_ = std::make_unique<llvm::jitlink::InProcessMemoryManager>(
        llvm::sys::Process::getPageSizeEstimate());
    layer_ = std::make_unique<llvm::orc::ObjectLinkingLayer>(*session_, *memory_);
    runtime_ = &session_->createBareJITDylib("runtime");
    llvm::orc::SymbolMap symbols;
    const auto define = [&](const std::string& name, void* address) {
      symbols[session_->intern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for (const RuntimeSymbol& symbol : runtime_symbols()) define(symbol.name, symbol.address);
    for (const math::RareFunction& function : math::rare_functions()) {
      define("tenon_" + std::string(function.name) + "_f32", address_of(function.f32));
      define("tenon_" + std::string(function.name) + "_f64", address_of(function.f64));
    }
    for (const math::FunctionOfTwo& function : math::functions_of_two()) {
      define("tenon_" + std::string(function.name) + "_f32", address_of(function.f32));
      define("tenon_" + std::string(function.name) + "_f64", address_of(function.f64));
    }
    for (const math::ComplexFunction& function : math::complex_functions()) {
      define("tenon_" + std::string(function.name) + "_c64", address_of(function.c64));
      define("tenon_" + std::string(function.name) + "_c128", address_of(function.c128));
    }
    check(runtime_->define(llvm::orc::absoluteSymbols(std::move(symbols))));
  }

  std::unique_ptr<llvm::orc::ExecutionSession> session_;
  std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory_;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer_;
  llvm::orc::JITDylib* runtime_ = nullptr;
  std::atomic<int64_t> count_{0};
};

}  // namespace

void prepare_module(llvm::Module& module, const Target&) {
  auto machine = TargetMachines::get().take();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  TargetMachines::get().give(std::move(machine));
}

static llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::CodeGenFileType type) {
  auto machine = TargetMachines::get().take();
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true))
    throw CompileError("cpu: LLVM cannot emit code for this machine");
  passes.run(module);
  TargetMachines::get().give(std::move(machine));
  return bytes;
}

ObjectCode generate_object(llvm::Module& module, const Target&) {
  const auto bytes = generate(module, llvm::CodeGenFileType::ObjectFile);
  return {bytes.begin(), bytes.end()};
}

std::string generate_assembly(llvm::Module& module, const Target&) {
  const auto bytes = generate(module, llvm::CodeGenFileType::AssemblyFile);
  return {bytes.begin(), bytes.end()};
}

MachineCode::MachineCode(const std::string& name, ObjectCode object)
    : size_bytes_(static_cast<int64_t>(object.size())) {
  library_ = &Linker::get().add(name, std::move(object));
}

MachineCode::~MachineCode() { Linker::get().remove(*static_cast<llvm::orc::JITDylib*>(library_)); }

KernelPointer MachineCode::find(std::string_view symbol) const {
  return reinterpret_cast<KernelPointer>(
      Linker::get().find(*static_cast<llvm::orc::JITDylib*>(library_), symbol));
}

}  // namespace tenon::cpu
