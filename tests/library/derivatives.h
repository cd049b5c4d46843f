// Programs whose derivatives print as JAX's, by files; derivatives_test.cpp compares all of them.
#pragma once

#include "golden.h"

namespace tenon::test {

/// Three ones.
inline const Array& v() {
  static const Array ones = jnp::ones({3});
  return ones;
}

const std::vector<Golden>& checkpoint_programs();

}  // namespace tenon::test
