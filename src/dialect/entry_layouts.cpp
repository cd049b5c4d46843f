#include "dialect/entry_layouts.h"

#include <algorithm>

#include "base/fail.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"

namespace tenon {

std::string layout_mode(const Layout& layout) {
  if (layout.is_auto) return "auto";
  std::string axes;
  for (auto axis = layout.major_to_minor.rbegin(); axis != layout.major_to_minor.rend(); ++axis)
    axes += (axes.empty() ? "" : ",") + std::to_string(*axis);
  return axes.empty() ? "" : "{" + axes + "}";
}

Layout parse_layout_mode(llvm::StringRef mode) {
  if (mode == "auto") return Layout::AUTO;
  if (mode == "default") return {};
  Layout layout;
  llvm::SmallVector<llvm::StringRef> axes;
  llvm::StringRef text = mode;
  const bool is_braced = text.consume_front("{") && text.consume_back("}");
  text.split(axes, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef axis : llvm::reverse(axes)) {
    int number = -1;
    if (axis.getAsInteger(10, number) || number < 0) layout.major_to_minor.push_back(-1);
    else layout.major_to_minor.push_back(number);
  }
  if (!is_braced || std::ranges::count(layout.major_to_minor, -1) > 0)
    fail<CompileError>("mhlo.layout_mode", "expected auto, default or axes like {0,1}; got '", std::string_view(mode), "'");
  return layout;
}

mlir::RankedTensorType type_in_layout(mlir::RankedTensorType memory, llvm::ArrayRef<int64_t> minor_to_major) {
  llvm::SmallVector<int64_t> shape(minor_to_major.size());
  for (auto [i, axis] : llvm::enumerate(llvm::reverse(minor_to_major))) shape[static_cast<size_t>(axis)] = memory.getDimSize(static_cast<unsigned>(i));
  return mlir::RankedTensorType::get(shape, memory.getElementType(), ir::LayoutAttr::get(memory.getContext(), minor_to_major));
}

static Layout layout_of(mlir::Attribute attribute) {
  Layout layout;
  if (const auto found = mlir::dyn_cast_if_present<ir::LayoutAttr>(attribute)) {
    const auto axes = found.getMinorToMajor();
    layout.major_to_minor.assign(axes.rbegin(), axes.rend());
  }
  return layout;
}

EntryLayouts entry_layouts_of(const Module& module) {
  EntryLayouts layouts;
  auto main = module_op(module).lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return layouts;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) layouts.arguments.push_back(layout_of(main.getArgAttr(i, kEntryLayout)));
  for (unsigned i = 0; i < main.getNumResults(); ++i) layouts.results.push_back(layout_of(main.getResultAttr(i, kEntryLayout)));
  return layouts;
}

}  // namespace tenon
