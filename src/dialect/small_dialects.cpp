// The small dialects: tenon, check, interpreter.
#include "dialect/assembly.h"
#include "dialect/check.h"
#include "dialect/host_calls.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

// The formats name directives of stablehlo.
namespace tenon::ir {
using namespace tenon::stablehlo;
}
namespace tenon::check {
using namespace tenon::stablehlo;
}

#include "dialect/tenon_dialect.cpp.inc"
#include "dialect/tenon_enums.cpp.inc"
#include "dialect/check_dialect.cpp.inc"
#include "dialect/interpreter_dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tenon_attrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tenon_ops.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/check_ops.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/interpreter_ops.cpp.inc"

namespace tenon::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/check_ops.cpp.inc"
      >();
}
void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/interpreter_ops.cpp.inc"
      >();
}

}  // namespace tenon::check

namespace tenon::ir {

void TenonDialect::initialize() {
  addInterfaces<HostCallees>();
  addOperations<
#define GET_OP_LIST
#include "dialect/tenon_ops.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tenon_attrs.cpp.inc"
      >();
}

mlir::LogicalResult BufferAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error, BufferKind kind,
                                       int64_t index, int64_t offset) {
  if (index < 0 || offset < 0) return error() << "index and offset must not be negative";
  if (kind == BufferKind::Temp ? index != 0 : offset != 0) {
    return error() << "a temp has index 0, any other buffer offset 0";
  }
  return mlir::success();
}

mlir::Attribute LayoutAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  llvm::SmallVector<int64_t> minor_to_major;
  if (stablehlo::StructParser(parser).list("minor_to_major", minor_to_major).parse()) return {};
  return get(parser.getContext(), minor_to_major);
}
void LayoutAttr::print(mlir::AsmPrinter& printer) const {
  stablehlo::StructPrinter(printer).list("minor_to_major", getMinorToMajor(), true);
}
mlir::LogicalResult LayoutAttr::verifyEncoding(llvm::ArrayRef<int64_t> shape, mlir::Type,
                                               llvm::function_ref<mlir::InFlightDiagnostic()> error) const {
  llvm::SmallVector<int64_t> sorted(getMinorToMajor());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, shape.size()))) {
    return error() << "minor_to_major must hold each axis once";
  }
  return mlir::success();
}

}  // namespace tenon::ir
