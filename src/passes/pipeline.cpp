// The table of contents of the optimizer: the passes in the order they run, with the reason for each.
#include "passes/pipeline.h"

#include <algorithm>

#include "base/fail.h"
#include "dialect/module.h"
#include "dialect/module_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pass.h"

namespace tenon::passes {

static constexpr Pass kPasses[] = {
    {"bind-checks", "checks of self-testing modules are calls of the host, like any other for all that follows", bind_checks},
    {"expand-chlo", "one spelling of each operation for all that follows", expand_chlo},
    {"inline-calls", "all that follows sees one function; nested jits cost nothing", inline_calls},
    {"unroll-loops", "short loops become straight code, which fuses; after inlining, which shows their bounds", unroll_loops},
    {"simplify-loops", "what a loop does not change needs no buffer of the loop; after unrolling, which takes short loops away", simplify_loops},
    {"drop-zero-sums", "the named exception to IEEE, apart so that it can be switched off; before simplify, which it helps", drop_zero_sums},
    {"simplify", "fewer operations; shapes in the form that later passes expect", simplify},
    {"entry-layouts", "arguments and results as they lie in memory; after simplify, which brings transposes to the border", entry_layouts},
    {"fold-constants", "what is known is computed now, while it stays small", fold_constants},
    {"drop-zero-sums", "folded values may be zeros", drop_zero_sums},
    {"simplify", "folded values make further identities apply", simplify},
    {"canonicalize-dots", "transposes vanish into the GEMM's packing; its form is one", canonicalize_dots},
    {"simplify", "reshapes that the dots asked for meet others and cancel", simplify},
    {"merge-duplicates", "equal values are computed once; after simplify, which makes them equal", merge_duplicates},
    {"remove-dead-code", "fusion counts users, so there must be no dead ones", remove_dead_code},
    {"fusion", "regions become kernels: fewer bytes moved", fuse},
    {"wrap-lone-operations", "the backend takes nothing but kernels, dots and copies", wrap_lone_operations},
    {"stream-rows", "what products and kernels hand on stays in the cache; before the barriers go, which it respects", stream_rows},
    {"remove-barriers", "nothing fuses across them any more, so they can go", remove_barriers},
    {"copy-results", "each result owns its buffer; after the barriers, which may hide an argument", copy_results},
    {"schedule", "the order decides which buffers are alive together", schedule},
    {"rematerialize", "when memory is limited: what can be made again need not be kept; it starts from the order's live ranges", rematerialize},
    {"assign-buffers", "last, from the final order: places, reuse in place, donation", assign_buffers},
};
/// What the backend cannot do without.
static constexpr std::string_view kRequired[] = {"bind-checks", "expand-chlo", "inline-calls", "entry-layouts", "wrap-lone-operations", "remove-barriers", "copy-results",
                                                 "assign-buffers"};
/// Without it the evaluator does, but not the kernels: left out when named, not by "all".
static constexpr std::string_view kForKernels = "canonicalize-dots";

std::vector<PassInfo> list_passes() {
  std::vector<PassInfo> list;
  for (const Pass& pass : kPasses) list.push_back({pass.name, pass.reason});
  return list;
}

mlir::func::FuncOp main_function(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) return main;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isPublic() && !function.isDeclaration()) return function;
  }
  fail<CompileError>("compile", "the module has no function `main`");
}

static bool is_required(std::string_view name) { return std::ranges::find(kRequired, name) != std::end(kRequired); }

/// "fold_constants, fusion" -> {"fold-constants", "fusion"}; "all" -> each that a program can do without.
static std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> list(1);
  for (char c : names) {
    if (c == ',') {
      list.emplace_back();
    } else if (c != ' ') {
      list.back() += c == '_' ? '-' : c;
    }
  }
  std::erase(list, std::string());
  if (std::erase(list, "all") > 0) {
    for (const Pass& pass : kPasses)
      if (!is_required(pass.name) && pass.name != kForKernels) list.emplace_back(pass.name);
  }
  return list;
}

static void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(kPasses, name, &Pass::name) != std::end(kPasses) && !is_required(name)) continue;
    std::string known;
    for (const Pass& pass : kPasses) {
      if (!is_required(pass.name)) known += (known.empty() ? "" : ", ") + std::string(pass.name);
    }
    fail<ValueError>("disable_passes", "there is no pass '", name, "' that can be switched off; there are: ", known);
  }
}

static void run(const Pass& pass, int index, Module& module, PassContext& context) {
  pass.run(module_op(module), context);
  if (context.options.on_pass) context.options.on_pass(index, pass.name, module);
  if (!context.options.verify) return;
  try {
    module.verify();
  } catch (const CompileError& error) {
    fail<InternalError>(pass.name, "the pass has left a module that does not verify: ", error.what(), "; got\n", module.str());
  }
}

Module optimize(const Module& module, const PipelineOptions& options) {
  std::vector<std::string> disabled = split_names(options.disable_passes);
  check_names(disabled);
  Module result = module.clone();
  PassContext context{options};
  int index = 0;
  for (const Pass& pass : kPasses) {
    ++index;
    if (std::ranges::find(disabled, pass.name) == disabled.end()) run(pass, index, result, context);
  }
  if (options.on_finish) options.on_finish(context.applications);
  return result;
}

Module run_pass(const Module& module, std::string_view name, const PipelineOptions& options) {
  for (const Pass& pass : kPasses) {
    if (name != pass.name) continue;
    Module result = module.clone();
    PassContext context{options};
    run(pass, 1, result, context);
    return result;
  }
  std::string known;
  for (const PassInfo& pass : list_passes()) known += (known.empty() ? "" : ", ") + std::string(pass.name);
  fail<ValueError>("run_pass", "there is no pass '", name, "'; there are: ", known);
}

}  // namespace tenon::passes
