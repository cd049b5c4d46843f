// What the backend made, as text and as an object file, asked for and dumped.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

constexpr std::string_view kElfMagic = "\x7f" "ELF";

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenon_code_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};
std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
/// What a shell command writes; empty where it fails.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  std::string out;
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  if (pipe) ::pclose(pipe);
  return out;
}

auto program() {
  return jit([](Array x) { return jnp::exp(lax::optimization_barrier(x * 2.0)) + 1.0; }).lower(jnp::ones({300})).compile();
}

TEST(GeneratedCode, AnObjectFileHasTheKernelsByName) {
  const auto compiled = program();
  const std::string object = compiled.generated_code("object");
  EXPECT_TRUE(object.starts_with(kElfMagic));
  EXPECT_EQ(static_cast<int64_t>(object.size()), compiled.memory_analysis().generated_code_size_in_bytes);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path / "kernels.o";
  std::ofstream(path, std::ios::binary) << object;
  std::string symbols = output_of("llvm-objdump-22 --syms '" + path.string() + "'");
  if (symbols.empty()) symbols = output_of("nm '" + path.string() + "'");
  if (symbols.empty()) GTEST_SKIP() << "neither llvm-objdump-22 nor nm";
  const RooflineReport kernels = static_cast<const Compiled&>(compiled).roofline();
  ASSERT_EQ(kernels.size(), 2u);
  for (const RooflineKernel& kernel : kernels) EXPECT_NE(symbols.find(kernel.name), std::string::npos) << kernel.name << "\n" << symbols;
}

TEST(GeneratedCode, IsEmptyWhereThereIsNone) {
  const auto copy = jit([](Array x) { return x; }).lower(jnp::ones({3})).compile();
  for (const char* kind : {"llvm", "asm", "object"}) EXPECT_EQ(copy.generated_code(kind), "") << kind;
  EXPECT_NE(copy.generated_code("mlir"), "");
  EXPECT_ERROR(ValueError, copy.generated_code("elf"), "generated_code: there is no kind 'elf'; there are: mlir, llvm, asm, object");
}

TEST(GeneratedCode, IsDumped) {
  const TemporaryFolder folder;
  const config::Scope scope({{"dump_to", folder.path.string()}});
  const auto compiled = jit([](Array x) { return jnp::log(x + 2.0); }).lower(jnp::ones({300})).compile();  // another program than that of other tests
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".kernels.o")) EXPECT_EQ(contents(entry.path()), compiled.generated_code("object"));
    if (name.ends_with(".kernels.s")) EXPECT_EQ(contents(entry.path()), compiled.generated_code("asm"));
    if (name.ends_with(".kernels.ll")) EXPECT_EQ(contents(entry.path()), compiled.generated_code("llvm"));
    found += name.find(".kernels.") != std::string::npos;
  }
  EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace tenon
