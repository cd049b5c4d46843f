// The holders of memory and the live programs in, samples with readable stacks out.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "api/live_programs.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "profiler/files.h"
#include "profiler/memory_profile.h"
#include "runtime/memory_holders.h"
#include "tenon/profiler.h"

namespace tenon::profiler {
namespace {

Frame frame_of(const std::source_location& where) { return {where.function_name(), where.file_name(), static_cast<int64_t>(where.line())}; }

/// Addresses to functions and lines, by the debug information of the files that they are in; without any, by their symbols.
class Symbolizer {
 public:
  /// Of a return address: several where the compiler inlined, the innermost first.
  const std::vector<Frame>& frames_of(void* address) {
    const auto [at, is_new] = known_.try_emplace(address);
    if (is_new) at->second = look_up(static_cast<char*>(address) - 1);  // within the call
    return at->second;
  }
  static bool is_ours(void* address) {
    static const void* const base = base_of(reinterpret_cast<void*>(&start_trace));
    return base_of(address) == base;
  }

 private:
  static const void* base_of(void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
  }

  std::vector<Frame> look_up(char* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || !info.dli_fname) return {};
    const auto offset = static_cast<uint64_t>(address - static_cast<char*>(info.dli_fbase));
    const std::string file = path_of(info);
    std::vector<Frame> frames;
    auto found = symbolizer_.symbolizeInlinedCode(file, {offset, llvm::object::SectionedAddress::UndefSection});
    if (!found) {
      llvm::consumeError(found.takeError());
    } else {
      for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
        const llvm::DILineInfo& line = found->getFrame(i);
        if (line.FunctionName != llvm::DILineInfo::BadString)
          frames.push_back({line.FunctionName, line.FileName == llvm::DILineInfo::BadString ? file : line.FileName, static_cast<int64_t>(line.Line)});
      }
    }
    if (frames.empty()) frames.push_back({info.dli_sname ? info.dli_sname : "?", file, 0});
    return frames;
  }
  /// The main program is known by the name that it was started with, which may be of another directory.
  static std::string path_of(const Dl_info& info) {
    return ::access(info.dli_fname, R_OK) == 0 ? info.dli_fname : "/proc/self/exe";
  }

  llvm::symbolize::LLVMSymbolizer symbolizer_;
  std::map<void*, std::vector<Frame>> known_;
};

/// "make" of "Array ns::make(int)"; empty where many have the same.
std::string_view short_name(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const size_t at = function.rfind(kAnonymous); at != function.npos) function.remove_prefix(at + kAnonymous.size());
  function = function.substr(0, function.find('('));
  const size_t begin = function.find_last_of(" :*&");
  if (begin != function.npos) function.remove_prefix(begin + 1);
  return function.starts_with("operator") ? std::string_view() : function;
}
bool is_at(const Frame& frame, const Frame& user) {
  const auto file_name = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  if (frame.line == user.line && file_name(frame.file) == file_name(user.file)) return true;
  return frame.line == 0 && !short_name(user.function).empty() && short_name(frame.function) == short_name(user.function);
}

/// The line of the user's program, and what called it. What the library does inside is not what the user asks for.
std::vector<Frame> stack_of(const runtime::MemoryHolderState& holder, Symbolizer& symbolizer) {
  if (holder.label) return {{holder.label, "", 0}};
  std::vector<Frame> all;
  size_t inside = 0;  // so many are of the library
  bool is_inside = true;
  for (void* address : holder.stack) {
    is_inside &= Symbolizer::is_ours(address);
    const std::vector<Frame>& frames = symbolizer.frames_of(address);
    all.insert(all.end(), frames.begin(), frames.end());
    if (is_inside) inside = all.size();
  }
  std::vector<Frame> stack;
  if (holder.where.line() != 0) {
    stack.push_back(frame_of(holder.where));
    const auto user = std::ranges::find_if(all, [&](const Frame& frame) { return is_at(frame, stack[0]); });
    if (user != all.end()) inside = static_cast<size_t>(user - all.begin()) + 1;
  }
  stack.insert(stack.end(), all.begin() + static_cast<ptrdiff_t>(inside), all.end());
  if (stack.empty()) stack.push_back({"array of an unknown place", "", 0});
  return stack;
}

}  // namespace

std::string device_memory_profile() {
  std::vector<MemorySample> samples;
  Symbolizer symbolizer;
  for (const runtime::MemoryHolderState& holder : runtime::memory_holders())
    if (holder.live_bytes > 0 || holder.peak_bytes > 0)
      samples.push_back({stack_of(holder, symbolizer), "buffer", "cpu:0", holder.live_count, holder.live_bytes, holder.peak_bytes});
  for (const tenon::detail::ProgramHandle& program : tenon::detail::live_programs()) {
    const int64_t bytes = program.executable->generated_code_size_bytes();
    std::vector<Frame> stack{{program.module.name(), "", 0}};
    if (program.made_at.line() != 0) stack.push_back(frame_of(program.made_at));
    samples.push_back({std::move(stack), "executable", "cpu:0", 1, bytes, bytes});
  }
  return memory_profile_gz(samples);
}

void save_device_memory_profile(const std::string& path) { write_file("save_device_memory_profile", path, device_memory_profile()); }

int64_t set_memory_stack_min_bytes(int64_t size_bytes) { return runtime::set_memory_stack_min_bytes(size_bytes); }

}  // namespace tenon::profiler
