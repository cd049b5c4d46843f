#include "api/compiled_entry.h"

#include <cstring>
#include <vector>

#include "base/fail.h"
#include "dialect/captured_arrays.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace tenon::detail {
namespace {

constexpr llvm::StringLiteral kCaptured = "tenon.captured";  // on a constant whose elements are not written: their number

std::vector<mlir::ElementsAttr> captured_arrays_of(const Module& module) {
  std::vector<mlir::ElementsAttr> arrays;
  module_op(module).walk([&](stablehlo::ConstantOp constant) {
    const mlir::ElementsAttr value = constant.getValue();
    if (captured_bytes(value) && !llvm::is_contained(arrays, value)) arrays.push_back(value);
  });
  return arrays;
}

/// A copy whose captured arrays are zeros with numbers.
Module without_captured(const Module& module, const std::vector<mlir::ElementsAttr>& arrays) {
  Module copy = module.clone();
  mlir::Builder builder(&module_context(copy));
  module_op(copy).walk([&](stablehlo::ConstantOp constant) {
    const auto at = llvm::find(arrays, constant.getValue());
    if (at == arrays.end()) return;
    const auto type = mlir::cast<mlir::ShapedType>(constant.getValue().getType());
    constant.setValueAttr(mlir::cast<mlir::ElementsAttr>(builder.getZeroAttr(type)));
    constant->setDiscardableAttr(kCaptured, builder.getI64IntegerAttr(at - arrays.begin()));
  });
  return copy;
}

void append_part(std::string& entry, std::string_view part) {
  const uint64_t size = part.size();
  char bytes[sizeof size];
  std::memcpy(bytes, &size, sizeof size);
  entry.append(bytes, sizeof size).append(part);
}
std::string_view take_part(std::string_view& entry) {
  uint64_t size = 0;
  if (entry.size() < sizeof size) fail<ParseError>("entry", "it ends before a part begins");
  std::memcpy(&size, entry.data(), sizeof size);
  entry.remove_prefix(sizeof size);
  if (size > entry.size()) fail<ParseError>("entry", "a part of ", size, " bytes does not fit in the ", entry.size(), " that are left");
  const std::string_view part = entry.substr(0, size);
  entry.remove_prefix(size);
  return part;
}

}  // namespace

std::string key_text(const Module& lowered) {
  const std::vector<mlir::ElementsAttr> arrays = captured_arrays_of(lowered);
  const Module module = without_captured(lowered, arrays);
  module_op(module).setSymName("program");
  std::string key = module.str();
  for (mlir::ElementsAttr array : arrays) {
    const llvm::ArrayRef<char> bytes = *captured_bytes(array);
    const auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    key += llvm::toHex(llvm::ArrayRef(hash)) + "\n";
  }
  return key;
}

std::string write_entry(const Module& optimized, const Module& lowered, std::string_view executable) {
  std::string entry;
  append_part(entry, without_captured(optimized, captured_arrays_of(lowered)).str({.debug_info = true, .generic = true}));
  append_part(entry, executable);
  return entry;
}

std::pair<Module, std::string> read_entry(std::string_view entry, const Module& lowered) {
  const std::string_view text = take_part(entry), executable = take_part(entry);
  Module module = parse_module(text, "entry", lowered.impl().context);
  const std::vector<mlir::ElementsAttr> arrays = captured_arrays_of(lowered);
  bool is_good = true;
  module_op(module).walk([&](stablehlo::ConstantOp constant) {
    const auto number = constant->getAttrOfType<mlir::IntegerAttr>(kCaptured);
    if (!number) return;
    const auto i = static_cast<size_t>(number.getInt());
    is_good &= i < arrays.size() && arrays[i].getType() == constant.getValue().getType();
    if (is_good) constant.setValueAttr(arrays[i]);
    constant->removeDiscardableAttr(kCaptured);
  });
  if (!is_good) fail<ParseError>("entry", "it captures other arrays than the program");
  return {std::move(module), std::string(executable)};
}

}  // namespace tenon::detail
