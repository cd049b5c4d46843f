#include "dialect/captured_arrays.h"

#include "dialect/types.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OpImplementation.h"

namespace tenon {

mlir::ElementsAttr captured_array(mlir::RankedTensorType type, std::shared_ptr<const void> elements, size_t number) {
  const llvm::ArrayRef<char> bytes(static_cast<const char*>(elements.get()), static_cast<size_t>(size_bytes(type)));
  // Released with the function that holds it.
  mlir::AsmResourceBlob blob(bytes, alignof(std::max_align_t), [elements = std::move(elements)](void*, size_t, size_t) {}, /*dataIsMutable=*/false);
  return mlir::DenseResourceElementsAttr::get(type, "captured_" + std::to_string(number), std::move(blob));
}

std::optional<llvm::ArrayRef<char>> captured_bytes(mlir::ElementsAttr value) {
  const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value);
  if (!resource) return std::nullopt;
  const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
  const auto type = mlir::cast<mlir::ShapedType>(value.getType());
  if (!blob || blob->getData().size() * 8 != static_cast<size_t>(storage_bits(type.getElementType()) * type.getNumElements())) return std::nullopt;
  return blob->getData();
}

// One bit an element, the first one lowest.
static std::string packed(llvm::ArrayRef<char> bools) {
  std::string bits((bools.size() + 7) / 8, '\0');
  for (size_t i = 0; i < bools.size(); ++i)
    if (bools[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
  return bits;
}

void print_elements(mlir::AsmPrinter& printer, mlir::ElementsAttr value) {
  const std::optional<llvm::ArrayRef<char>> bytes = captured_bytes(value);
  if (!bytes) {
    printer << value;
    return;
  }
  const std::string bits = value.getElementType().isInteger(1) ? packed(*bytes) : std::string();
  printer.getStream() << "dense<\"0x" << llvm::toHex(bits.empty() ? llvm::StringRef(bytes->data(), bytes->size()) : llvm::StringRef(bits)) << "\">";
  printer << " : " << value.getType();
}

}  // namespace tenon
