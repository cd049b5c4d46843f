// Dialects of others of which modules carry attributes (sharding rules and the like): kept as text, no operations.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/MLIRContext.h"

namespace tenon {

template <class Derived>
class ForeignDialect : public mlir::Dialect {
 public:
  explicit ForeignDialect(mlir::MLIRContext* context)
      : mlir::Dialect(Derived::getDialectNamespace(), context, mlir::TypeID::get<Derived>()) {}

  mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const override {
    return mlir::OpaqueAttr::get(mlir::StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                                 type ? type : mlir::NoneType::get(getContext()));
  }
};

struct SdyDialect : ForeignDialect<SdyDialect> {
  using ForeignDialect::ForeignDialect;
  static constexpr llvm::StringLiteral getDialectNamespace() { return llvm::StringLiteral("sdy"); }
};
struct MhloDialect : ForeignDialect<MhloDialect> {
  using ForeignDialect::ForeignDialect;
  static constexpr llvm::StringLiteral getDialectNamespace() { return llvm::StringLiteral("mhlo"); }
};

}  // namespace tenon

MLIR_DECLARE_EXPLICIT_TYPE_ID(tenon::SdyDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(tenon::MhloDialect)
