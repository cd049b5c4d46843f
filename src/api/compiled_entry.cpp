#include "api/compiled_entry.h"

#include <cstring>
#include <vector>

#include "base/fail.h"
#include "base/text.h"
#include "dialect/captured_arrays.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "dialect/types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/xxhash.h"

namespace tenon::detail {
namespace {

constexpr llvm::StringLiteral kCaptured = "tenon.captured";  // on a constant whose elements are not written: their number

using Arrays = llvm::SetVector<mlir::Attribute>;

Arrays captured_arrays_of(const Module& module) {
  Arrays arrays;
  module_op(module).walk([&](stablehlo::ConstantOp constant) {
    if (captured_bytes(constant.getValue())) arrays.insert(constant.getValue());
  });
  return arrays;
}

/// All elements are 0, whatever they are.
mlir::ElementsAttr zeros(mlir::ShapedType type) {
  if (mlir::isa<mlir::IntegerType, mlir::FloatType>(type.getElementType())) return mlir::cast<mlir::ElementsAttr>(mlir::Builder(type.getContext()).getZeroAttr(type));
  const std::vector<char> one(static_cast<size_t>(storage_bits(type.getElementType())) / 8);
  return mlir::DenseElementsAttr::getFromRawBuffer(type, one);
}

/// A copy whose captured arrays are zeros with numbers.
Module without_captured(const Module& module, const Arrays& arrays) {
  Module copy = module.clone();
  mlir::Builder builder(&module_context(copy));
  llvm::DenseMap<mlir::Attribute, int64_t> numbers;
  for (auto [i, array] : llvm::enumerate(arrays)) numbers[array] = static_cast<int64_t>(i);
  module_op(copy).walk([&](stablehlo::ConstantOp constant) {
    const auto at = numbers.find(constant.getValue());
    if (at == numbers.end()) return;
    constant.setValueAttr(zeros(mlir::cast<mlir::ShapedType>(constant.getValue().getType())));
    constant->setDiscardableAttr(kCaptured, builder.getI64IntegerAttr(at->second));
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
  const Arrays arrays = captured_arrays_of(lowered);
  const Module module = without_captured(lowered, arrays);
  module_op(module).setSymName("program");
  std::string key = module.str();
  for (mlir::Attribute array : arrays) {  // a fast hash: they may be large
    const llvm::ArrayRef<char> bytes = *captured_bytes(mlir::cast<mlir::ElementsAttr>(array));
    const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    key += text(hash.high64, " ", hash.low64, "\n");
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
  const Arrays arrays = captured_arrays_of(lowered);
  bool is_good = true;
  module_op(module).walk([&](stablehlo::ConstantOp constant) {
    const auto number = constant->getAttrOfType<mlir::IntegerAttr>(kCaptured);
    if (!number) return;
    const auto i = static_cast<size_t>(number.getInt());
    const auto array = i < arrays.size() ? mlir::cast<mlir::ElementsAttr>(arrays[i]) : mlir::ElementsAttr();
    is_good &= array && array.getType() == constant.getValue().getType();
    if (is_good) constant.setValueAttr(array);
    constant->removeDiscardableAttr(kCaptured);
  });
  if (!is_good) fail<ParseError>("entry", "it captures other arrays than the program");
  return {std::move(module), std::string(executable)};
}

}  // namespace tenon::detail
