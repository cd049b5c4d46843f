#include "tools/run/run_module.h"

#include "analysis/cost_analysis.h"
#include "analysis/hlo_text.h"
#include "analysis/memory_analysis.h"
#include "api/compiled_entry.h"
#include "base/fail.h"
#include "core/nodes.h"
#include "evaluator/prepare.h"
#include "passes/pipeline.h"
#include "runtime/effects.h"
#include "tenon/host.h"

namespace tenon {

static void check_arguments(const Avals& expected, const Arrays& arguments) {
  if (arguments.size() != expected.size())
    fail<TypeError>("tenon-run", "the program takes ", expected.size(), " inputs; got ", arguments.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Aval got = arguments[i].aval();
    if (got.dtype != expected[i].dtype)
      fail<TypeError>("tenon-run", "input ", i, " has another dtype than the program's; got ", got, " for ", expected[i]);
    if (got.shape != expected[i].shape)
      fail<ShapeError>("tenon-run", "input ", i, " has another shape than the program's; got ", got, " for ", expected[i]);
  }
}

RunnableModule::RunnableModule(const Module& module, const RunOptions& options) {
  const std::string function = options.function.empty() ? module.entry_name() : options.function;
  if (!options.compiled && !options.optimized) {
    program_ = evaluator::prepare(module, function);
    return;
  }
  passes::PipelineOptions pipeline;
  pipeline.disable_passes = options.optimized ? options.disable_passes : "all";
  pipeline.fuse_products = options.compiled && find_client("cpu").has_products_in_kernels();
  const Module entered = function == "main" ? module : module.with_entry(function);
  optimized_ = passes::optimize(entered, pipeline);
  if (options.temp_part < 1) {
    const MemoryAnalysis memory = analysis::memory_analysis(*optimized_);
    pipeline.max_bytes = memory.peak_memory_in_bytes - static_cast<int64_t>((1 - options.temp_part) * static_cast<double>(memory.temp_size_in_bytes));
    try {
      optimized_ = passes::optimize(entered, pipeline);
    } catch (const CompileError&) {  // it cannot
    }
  }
  Client& client = find_client("cpu");
  if (!options.compiled) {
    program_ = evaluator::prepare(*optimized_);
  } else if (options.saved) {
    std::string saved;
    client.compile(*optimized_, saved);
    auto [read, code] = detail::read_entry(detail::write_entry(*optimized_, entered, saved), entered);
    optimized_ = std::move(read);
    executable_ = client.load(*optimized_, code);
  } else {
    executable_ = client.compile(*optimized_);
  }
}

const Avals& RunnableModule::argument_avals() const { return program_ ? program_->argument_avals() : executable_->argument_avals(); }
bool RunnableModule::has_compiled_bits() const { return !program_ || program_->has_compiled_bits(); }

static Arrays evaluate(const evaluator::Program& program, const Arrays& inputs) {
  std::vector<evaluator::Tensor> arguments;
  for (const Array& input : inputs) arguments.emplace_back(input.aval(), detail::buffer_of(input, "tenon-run")->host_data());
  Arrays results;
  for (const evaluator::Tensor& result : evaluator::run(program, arguments))
    results.push_back(device_put(HostView(result.data(), result.aval())));
  return results;
}

static Arrays execute(Executable& executable, const Arrays& inputs) {
  BufferRefs arguments;
  for (const Array& input : inputs) arguments.push_back(detail::buffer_of(input, "tenon-run"));
  const BufferRefs buffers = executable.execute(arguments, ExecuteOptions{.synchronous = true});
  Arrays results;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffers[i]->wait();
    results.push_back(detail::array_of(buffers[i], executable.result_avals()[i]));
  }
  runtime::wait_for_effects();  // a program without results may have failed all the same
  return results;
}

std::string RunnableModule::describe() const {
  if (!executable_) fail<ValueError>("describe", "the program is evaluated; what is described is how one is compiled");
  const MemoryAnalysis memory = analysis::memory_analysis(*optimized_);
  auto numbers = analysis::cost_analysis(*optimized_);
  numbers["argument_size_in_bytes"] = static_cast<double>(memory.argument_size_in_bytes);
  numbers["output_size_in_bytes"] = static_cast<double>(memory.output_size_in_bytes);
  numbers["temp_size_in_bytes"] = static_cast<double>(memory.temp_size_in_bytes);
  numbers["scratch_size_in_bytes"] = static_cast<double>(executable_->scratch_size_bytes());
  std::string text;
  for (const auto& [name, number] : numbers) text += name + " = " + std::to_string(static_cast<int64_t>(number)) + "\n";
  return text + "\n" + analysis::hlo_text(*optimized_);
}

Arrays RunnableModule::run(const Arrays& inputs) const {
  check_arguments(argument_avals(), inputs);
  return program_ ? evaluate(*program_, inputs) : execute(*executable_, inputs);
}

}  // namespace tenon
