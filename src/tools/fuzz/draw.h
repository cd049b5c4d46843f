// Which program a seed stands for.
#pragma once

#include "tools/fuzz/program.h"

namespace tenon::fuzz {

struct Draw {
  int64_t max_elements = 6000;  // of one value
  int64_t max_ops = 40;         // of one program, which has at least 8 unless it is wrapped
  double wrapped = 0.25;        // the part of the programs that are small, with transformations around them
};
Program draw(uint64_t seed, const Draw& bounds);

}  // namespace tenon::fuzz
