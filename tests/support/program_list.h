// How a list of programs is written: P(name, expression of x, y, z, w, avals of the inputs...).
#pragma once

#include "support/programs.h"

namespace tenon::test {

inline Aval of(DType::Code dtype, std::initializer_list<int64_t> shape, bool weak = false) {
  return {Shape(shape), DType(dtype), weak};
}

#define P(name, expression, ...)                                                                      \
  {name,                                                                                              \
   [](const Arrays& in) -> Arrays {                                                                   \
     [[maybe_unused]] Array x = in.size() > 0 ? in[0] : Array(), y = in.size() > 1 ? in[1] : Array(), \
                            z = in.size() > 2 ? in[2] : Array(), w = in.size() > 3 ? in[3] : Array(); \
     return Arrays(expression);                                                                       \
   },                                                                                                 \
   {__VA_ARGS__}}
#define A(...) Arrays{__VA_ARGS__}

}  // namespace tenon::test
