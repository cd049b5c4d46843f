// Jaxpr in, Jaxpr out, without what no result needs. JAX lowers no dead equations either.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tenon/jaxpr.h"

namespace tenon {

/// A program without its dead parts, and which of the old inputs are left.
struct LiveJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> used_inputs;
};

/// Removes equations that no used output depends on (unless they have effects), unused inputs and
/// constants; inside of called programs as well. A program asked twice with the same outputs gives
/// one object, so that calls of it stay calls of one function.
class DeadCode {
 public:
  LiveJaxpr remove(const Jaxpr& jaxpr, const std::vector<bool>& used_outputs);

 private:
  std::map<std::pair<const void*, std::vector<bool>>, std::pair<Jaxpr, LiveJaxpr>> done_;  // holds the key's jaxpr
};

}  // namespace tenon
