// Module in, HLO text out: what XLA would print for it, and what XLA's own parser accepts.
#pragma once

#include <string>

namespace tenon {
class Module;
}  // namespace tenon

namespace tenon::analysis {

struct HloTextOptions {
  bool metadata = true;  ///< op_name and the user's source line of each instruction
};

/// The module as HLO text. An optimized module shows its fusions, buffers shared with donated arguments and
/// `is_scheduled=true`; any other prints operation by operation.
std::string hlo_text(const Module& module, const HloTextOptions& options = {});

}  // namespace tenon::analysis
