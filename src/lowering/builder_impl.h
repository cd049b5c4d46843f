// What a StablehloBuilder points to. For lowering alone.
#pragma once

#include "mlir/IR/Builders.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

using FunctionBody = FunctionRef<Values(StablehloBuilder&, const Values&)>;

/// Keeps the private functions of the module, and lowers programs.
class Functions {
 public:
  virtual Values call(const std::string& name, const EqnParams& params, const Values& operands, FunctionBody body) = 0;
  virtual Values inlined(const Jaxpr& jaxpr, const Values& operands, const std::string& scope) = 0;

 protected:
  ~Functions() = default;
};

struct BuilderImpl {
  BuilderImpl(mlir::MLIRContext* context, Functions* functions)
      : builder(context), location(builder.getUnknownLoc()), functions(functions) {}
  mlir::OpBuilder builder;
  mlir::Location location;
  Functions* functions;
};

inline Value wrap(mlir::Value value, bool is_key = false) { return Value(value.getAsOpaquePointer(), is_key); }
inline mlir::Value unwrap(const Value& value) { return mlir::Value::getFromOpaquePointer(value.impl()); }

}  // namespace tenon::detail
