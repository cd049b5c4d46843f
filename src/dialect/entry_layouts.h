// Layouts of main's arguments and results. As lowered they are wishes, attributes by the name that JAX uses; the pass
// entry-layouts fulfils them: then main takes and gives arrays as they lie in memory, and attributes say of which layout.
#pragma once

#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/shape.h"

namespace tenon {

class Module;

/// A wish: "auto", or the axes minor to major, "{0,1}".
inline constexpr llvm::StringLiteral kLayoutMode = "mhlo.layout_mode";
/// What it became, a LayoutAttr; row-major ones have none.
inline constexpr llvm::StringLiteral kEntryLayout = "tenon.layout";

/// "" for a row-major one.
std::string layout_mode(const Layout& layout);
/// Throws CompileError for text that is none.
Layout parse_layout_mode(llvm::StringRef mode);

/// The type of an array whose memory is, row-major, of type `memory`.
mlir::RankedTensorType type_in_layout(mlir::RankedTensorType memory, llvm::ArrayRef<int64_t> minor_to_major);

struct EntryLayouts {
  std::vector<Layout> arguments, results;
};
/// Of an optimized module.
EntryLayouts entry_layouts_of(const Module& module);

}  // namespace tenon
