// The programs of library/programs.py in C++, one line each under the same name, and the file of what JAX
// prints for them. Tests of the library compare jaxprs, tests of lowering the StableHLO text.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tenon/jnp.h"
#include "tenon/lax.h"
#include "tenon/nn.h"
#include "trace/jaxpr_trace.h"

namespace tenon::test {

struct Program {
  const char* name;
  Arrays (*function)(const Arrays& in);
  Avals avals;
};

/// All of them, in the order of programs.py.
const std::vector<Program>& programs();
std::vector<Program> control_programs();
std::vector<Program> custom_programs();
std::vector<Program> indexing_programs();
std::vector<Program> numpy_programs();
std::vector<Program> random_programs();
std::vector<Program> solve_programs();

/// The program's jaxpr, traced as make_jaxpr and jit do.
inline Jaxpr trace(const Program& program) {
  return detail::trace_to_jaxpr([&](const Arrays& in) { return program.function(in); }, program.avals, "make_jaxpr",
                                program.name);
}

struct Printed {
  std::string jaxpr, stablehlo;
};
/// What JAX prints, by the program's name.
inline const std::map<std::string, Printed>& printed_by_jax() {
  static const std::map<std::string, Printed> all = [] {
    std::map<std::string, Printed> blocks;
    std::ifstream file(TENON_TEST_DATA "/library/programs.txt");
    std::string name, line;
    std::string* target = nullptr;
    while (std::getline(file, line)) {
      if (line.starts_with("### ")) {
        name = line.substr(4);
        target = &blocks[name].jaxpr;
      } else if (line == "---") {
        target = &blocks[name].stablehlo;
      } else if (target) {
        if (!target->empty()) *target += '\n';
        *target += line;
      }
    }
    return blocks;
  }();
  return all;
}

}  // namespace tenon::test
