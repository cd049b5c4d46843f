// Which columns of a matrix a kernel looks at: all but those that a mask of row and column numbers hides (causal attention).
#pragma once

#include <cstdint>
#include <optional>

#include "dialect/tenon_ops.h"

namespace tenon::passes {

/// Rows are the last but one axis of the operand, columns the last. What row r has in columns after r + the number given
/// reaches no result of `fusion`, whatever it is. None: all columns count.
std::optional<int64_t> last_wanted_column(ir::FusionOp fusion, unsigned operand);

}  // namespace tenon::passes
