#include "backends/cpu/show_code.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <mutex>

#include "backends/cpu/kernel_tools.h"
#include "base/log.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"

namespace tenon::cpu {
namespace {

// A line for each kernel: address, size, name. What is freed stays in the file; perf takes the last line of an address.
llvm::Error append_to_perf_map(llvm::jitlink::LinkGraph& graph) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (!file) {
    detail::log("tenon.profiler", logging::Level::warning, "kernel_tools: cannot write ", path);
    return llvm::Error::success();
  }
  for (llvm::jitlink::Symbol* symbol : graph.defined_symbols())
    if (symbol->isCallable() && symbol->hasName())
      std::fprintf(file, "%" PRIx64 " %" PRIx64 " %s\n", symbol->getAddress().getValue(), static_cast<uint64_t>(symbol->getSize()), (*symbol->getName()).str().c_str());
  std::fclose(file);
  return llvm::Error::success();
}

class PerfFiles final : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  explicit PerfFiles(llvm::orc::ExecutionSession& session) : session_(session) {}

  void modifyPassConfig(llvm::orc::MaterializationResponsibility& work, llvm::jitlink::LinkGraph& graph, llvm::jitlink::PassConfiguration& passes) override {
    const KernelTools tools = kernel_tools();
    if (tools.perf_map) passes.PostAllocationPasses.push_back(append_to_perf_map);
    if (!tools.jitdump) return;
    passes.PrePrunePasses.push_back(llvm::orc::preserveDebugSections);  // for the lines
    jitdump().modifyPassConfig(work, graph, passes);
  }
  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override { return llvm::Error::success(); }
  void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey, llvm::orc::ResourceKey) override {}

 private:
  // Opens its file, below $JITDUMPDIR or the home directory.
  llvm::orc::PerfSupportPlugin& jitdump() {
    std::call_once(once_, [this] {
      const auto address = [](auto* function) { return llvm::orc::ExecutorAddr::fromPtr(function); };
      jitdump_ = std::make_unique<llvm::orc::PerfSupportPlugin>(session_.getExecutorProcessControl(), address(&llvm_orc_registerJITLoaderPerfStart),
                                                                address(&llvm_orc_registerJITLoaderPerfEnd), address(&llvm_orc_registerJITLoaderPerfImpl),
                                                                /*EmitDebugInfo=*/true, /*EmitUnwindInfo=*/true);
    });
    return *jitdump_;
  }

  llvm::orc::ExecutionSession& session_;
  std::once_flag once_;
  std::unique_ptr<llvm::orc::PerfSupportPlugin> jitdump_;
};

}  // namespace

// Objects with DWARF are registered by the JIT interface; others are not touched.
static void add_debugger_interface(llvm::orc::ExecutionSession& session, llvm::orc::ObjectLinkingLayer& layer) {
  llvm::Error error = llvm::Error::success();
  auto plugin = std::make_shared<llvm::orc::ELFDebugObjectPlugin>(session, /*RequireDebugSections=*/true, /*AutoRegisterCode=*/true, error);
  if (!error) return static_cast<void>(layer.addPlugin(std::move(plugin)));
  detail::log("tenon.profiler", logging::Level::warning, "kernel_tools: no interface to debuggers: ", llvm::toString(std::move(error)));
}

void show_linked_code(llvm::orc::ExecutionSession& session, llvm::orc::ObjectLinkingLayer& layer) {
  static std::once_flag has_debugger_interface, has_perf_files;
  const KernelTools tools = kernel_tools();
  if (tools.gdb) std::call_once(has_debugger_interface, [&] { add_debugger_interface(session, layer); });
  if (tools.perf_map || tools.jitdump) std::call_once(has_perf_files, [&] { layer.addPlugin(std::make_shared<PerfFiles>(session)); });
}

}  // namespace tenon::cpu
