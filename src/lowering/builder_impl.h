// What a StablehloBuilder points to. For lowering alone.
#pragma once

#include "mlir/IR/Builders.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

struct BuilderImpl {
  explicit BuilderImpl(mlir::MLIRContext* context) : builder(context), location(builder.getUnknownLoc()) {}
  mlir::OpBuilder builder;
  mlir::Location location;
};

inline Value wrap(mlir::Value value) { return Value(value.getAsOpaquePointer()); }
inline mlir::Value unwrap(const Value& value) { return mlir::Value::getFromOpaquePointer(value.impl()); }

}  // namespace tenon::detail
