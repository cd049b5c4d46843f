#include "api/dump.h"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "analysis/hlo_text.h"
#include "analysis/memory_analysis.h"
#include "base/log.h"
#include "base/options.h"
#include "passes/pipeline.h"

namespace tenon::detail {

Dump::Dump(const std::string& program_name) {
  const std::string& directory = options().dump_to;
  if (directory.empty()) return;
  static std::atomic<int> count{0};
  char number[16];
  std::snprintf(number, sizeof number, "%04d", count++);
  std::string file = program_name;
  for (char& c : file)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  stem_ = directory + "/module_" + number + ".jit_" + file + ".";
}

void Dump::write(const std::string& suffix, const std::string& contents) const {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(stem_).parent_path(), error);
  std::ofstream out(stem_ + suffix, std::ios::binary);
  out << contents;
  out.close();
  if (!out) log("tenon.dump", logging::Level::warning, "dump_to: cannot write ", stem_ + suffix);
}

void Dump::before_optimizations(const Module& module) const {
  if (!wanted()) return;
  write("stablehlo.mlir", module.str());
  if (options().dump_hlo_as_text) write("before_optimizations.txt", analysis::hlo_text(passes::run_pass(module, "expand-chlo")));
}
void Dump::after_pass(int index, std::string_view pass, const Module& module) const {
  if (!wanted()) return;
  char number[8];
  std::snprintf(number, sizeof number, "%02d", index);
  write("pass_" + std::string(number) + "_" + std::string(pass) + ".mlir", module.str());
}
void Dump::after_optimizations(const Module& module) const {
  if (!wanted()) return;
  if (options().dump_hlo_as_text) write("cpu_after_optimizations.txt", analysis::hlo_text(module));
  write("cpu_after_optimizations-buffer-assignment.txt", analysis::buffer_assignment_text(module));
  write("cpu_after_optimizations-memory-usage-report.txt", analysis::memory_usage_report(module));
}
void Dump::executable(const Executable& executable) const {
  if (!wanted()) return;
  for (auto [kind, suffix] : {std::pair{"mlir", "kernels.mlir"}, {"llvm", "kernels.ll"}, {"asm", "kernels.s"}, {"object", "kernels.o"}})
    if (std::string code = executable.generated_code(kind); !code.empty()) write(suffix, code);
}

}  // namespace tenon::detail
