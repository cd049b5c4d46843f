// Compiles and runs programs with the persistent cache in a directory, and prints what they give: cache_user DIRECTORY|- [PROGRAMS]
// On stderr what the cache said: hits=2 written=0 warnings=0
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tenon/tenon.h"

int main(int argc, char** argv) {
  using namespace tenon;
  if (argc < 2) return 2;
  if (std::string(argv[1]) != "-") config::update("compilation_cache_dir", argv[1]);
  const int programs = argc > 2 ? std::atoi(argv[2]) : 12;
  const logging::Capture log("tenon.compiler", logging::Level::debug);
  const Array x = jnp::arange(4096, jnp::float32).reshape({64, 64}) * 0.001f;
  for (int n = 0; n < programs; ++n) {
    const auto f = jit([n](Array a) {
      for (int i = 0; i <= n % 4; ++i) a = jnp::tanh(jnp::matmul(a, a) * 0.1f) + static_cast<float>(n);
      return jnp::sum(a, {.axis = 0});
    }, {.name = "program_" + std::to_string(n)});
    for (float number : f(x).to_vector<float>()) std::printf("%a ", static_cast<double>(number));
    std::printf("\n");
  }
  int hits = 0, written = 0, warnings = 0;
  for (const std::string& message : log.messages()) {
    hits += message.starts_with("Persistent compilation cache hit for 'jit_program");
    written += message.starts_with("Writing jit_program");
    warnings += message.starts_with("Error ");
  }
  std::fprintf(stderr, "hits=%d written=%d warnings=%d\n", hits, written, warnings);
  return 0;
}
