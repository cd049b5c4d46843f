// The machine's figures: what the runtime measures, and what kernels reach that are compiled for it.
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "dialect/module.h"
#include "passes/pipeline.h"
#include "runtime/machine/machine.h"
#include "runtime/thread_pool.h"
#include "runtime/trace_hook.h"
#include "tenon/backend.h"
#include "tenon/config.h"
#include "tenon/roofline.h"

namespace tenon {
namespace {

constexpr double kProbeSeconds = 0.5e-3;
// In the first cache with its result; worth less than another thread's attention (executable.cpp).
constexpr int64_t kElements = 2048;
constexpr int kFunctions = 4;
constexpr int64_t kRounds = 100;

// Four functions of each element.
std::string transcendentals_of(const char* type) {
  const std::string t = "tensor<" + std::to_string(kElements) + "x" + type + ">";
  std::string text = "module @machine {\n func.func public @main(%x: " + t + ") -> " + t + " {\n";
  const auto line = [&](const std::string& result, const std::string& op) { text += "  %" + result + " = stablehlo." + op + " : " + t + "\n"; };
  line("a", "exponential %x"), line("b", "log %x"), line("c", "sine %x"), line("d", "tanh %x");
  line("ab", "add %a, %b"), line("cd", "add %c, %d"), line("y", "add %ab, %cd");
  return text + "  return %y : " + t + "\n }\n}\n";
}

// Kernels of nothing, one after the other: those of a loop's rounds. The reversed array keeps the loop from being one kernel.
std::string empty_rounds() {
  return "module @machine {\n func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>\n"
         "   cond {\n    %n = stablehlo.constant dense<" + std::to_string(kRounds) + "> : tensor<i32>\n"
         "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %p : tensor<i1>\n   } do {\n"
         "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    %w = stablehlo.reverse %v, dims = [0] : tensor<8xf32>\n"
         "    stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>\n   }\n"
         "  return %r#1 : tensor<8xf32>\n }\n}\n";
}

/// A program of one array, on one thread.
class ProbeProgram {
 public:
  ProbeProgram(const std::string& text, const void* data, int64_t size_bytes) : client_(find_client("cpu")) {
    executable_ = client_.compile(passes::optimize(Module::parse(text)));
    arguments_ = {client_.copy_from_host(data, size_bytes, 0)};
  }
  void run() {
    const runtime::PoolSizeScope one_thread(1);
    for (const BufferRef& result : executable_->execute(arguments_, {.synchronous = true})) result->wait();
  }
  double seconds() {
    return runtime::best_seconds(5, kProbeSeconds, [&] { run(); });
  }
  /// How many kernels a run starts.
  int64_t kernels() {
    struct Counter final : runtime::TraceListener {
      void on_event(const runtime::TraceEvent& event, bool is_begin) noexcept override {
        count += is_begin && event.kind == runtime::TraceEventKind::kernel;
      }
      int64_t count = 0;
    } counter;
    const runtime::TraceListenerScope listens(counter);
    run();
    return counter.count - 1;  // the loop's own
  }

 private:
  Client& client_;
  ExecutableRef executable_;
  BufferRefs arguments_;
};

template <class T>
double transcendentals_per_second(const char* type) {
  std::array<T, kElements> numbers;
  for (int64_t i = 0; i < kElements; ++i) numbers[i] = T(0.5) + static_cast<T>(i) / kElements;
  ProbeProgram program(transcendentals_of(type), numbers.data(), sizeof numbers);
  return kFunctions * kElements / program.seconds();
}

MachineRoofline::Rates rates_of(int threads, const runtime::MachineRates& measured) {
  MachineRoofline::Rates rates;
  rates.threads = threads;
  rates.f32_flops = measured.f32_flops, rates.f64_flops = measured.f64_flops;
  for (const runtime::MachineMemory& memory : measured.memories) rates.memories.push_back({memory.name, memory.size_bytes, memory.bytes_per_second});
  return rates;
}

/// `one`: measured before for another size of the pool, or null; then what does not depend on the pool is taken from there.
std::unique_ptr<MachineRoofline> measure(int threads, const MachineRoofline* one) {
  auto machine = std::make_unique<MachineRoofline>();
  std::vector<int> sizes;
  if (!one) sizes.push_back(1);
  if (threads > 1) sizes.push_back(threads);
  std::vector<runtime::MachineRates> rates;
  if (!sizes.empty()) rates = runtime::measure_machine(sizes);
  MachineRoofline::Rates& thread = machine->thread;
  if (one) {
    thread = one->thread;
    machine->launch_seconds = one->launch_seconds;
  } else {
    thread = rates_of(1, rates.front());
    const config::Scope native({{"cpu_target", "native"}});  // the machine, not what a program was compiled for
    thread.f32_transcendentals = transcendentals_per_second<float>("f32");
    thread.f64_transcendentals = transcendentals_per_second<double>("f64");
    const std::array<float, 8> numbers{};
    ProbeProgram rounds(empty_rounds(), numbers.data(), sizeof numbers);
    machine->launch_seconds = rounds.seconds() / static_cast<double>(rounds.kernels());
  }
  machine->pool = thread;
  if (threads == 1) return machine;
  machine->pool = rates_of(threads, rates.back());
  // What is computed in registers scales as other such work does.
  machine->pool.f32_transcendentals = thread.f32_transcendentals * machine->pool.f32_flops / thread.f32_flops;
  machine->pool.f64_transcendentals = thread.f64_transcendentals * machine->pool.f64_flops / thread.f64_flops;
  machine->region_seconds = runtime::measure_region(threads);
  return machine;
}

}  // namespace

const MachineRoofline& machine_roofline() {
  static std::mutex mutex;  // whoever comes meanwhile waits: two would measure each other
  static auto* machines = new std::map<int, std::unique_ptr<MachineRoofline>>;
  const int threads = runtime::ThreadPool::get().size();
  const std::lock_guard lock(mutex);
  std::unique_ptr<MachineRoofline>& machine = (*machines)[threads];
  if (!machine) {
    const MachineRoofline* one = nullptr;
    for (const auto& [size, measured] : *machines)
      if (measured) one = measured.get();
    machine = measure(threads, one);
  }
  return *machine;
}

}  // namespace tenon
