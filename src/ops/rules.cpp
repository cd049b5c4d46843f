#include "ops/rules.h"

namespace tenon::lax {
namespace {

Kinds kind_of(DType dtype) {
  switch (dtype.kind()) {
    case DTypeKind::boolean: return kBool;
    case DTypeKind::signed_integer: return kSigned;
    case DTypeKind::unsigned_integer: return kUnsigned;
    case DTypeKind::floating: return kFloat;
    case DTypeKind::complex: return kComplex;
    case DTypeKind::key: return kKey;
    default: return 0;
  }
}

// In JAX's words.
std::string kinds_str(Kinds kinds) {
  std::string names;
  const auto add = [&](const char* name) { names += (names.empty() ? "" : ", ") + std::string(name); };
  if ((kinds & kInt) == kInt) add("integer");
  if (kinds & kFloat) add("floating");
  if (kinds & kComplex) add("complexfloating");
  if ((kinds & kInt) == kSigned) add("signedinteger");
  if ((kinds & kInt) == kUnsigned) add("unsignedinteger");
  if (kinds & kBool) add("bool");
  if (kinds & kKey) add("key");
  return names;
}

Avals vector_of(std::span<const Aval> avals) { return {avals.begin(), avals.end()}; }

}  // namespace

void check_kind(const char* who, const Aval& operand, Kinds accepted, int position) {
  if (kind_of(operand.dtype) & accepted) return;
  const std::string at = position < 0 ? "" : " at position " + std::to_string(position);
  fail<TypeError>(who, "does not accept dtype ", operand.dtype, at, "; accepted dtypes", at,
                  " are subtypes of ", kinds_str(accepted), "; got ", operand);
}

void check_kinds(const char* who, std::span<const Aval> operands, Kinds accepted) {
  for (size_t i = 0; i < operands.size(); ++i)
    check_kind(who, operands[i], accepted, static_cast<int>(i));
}

void check_has_complex(const char* who, const Aval& operand) {
  if (operand.dtype.is_floating() && complex_dtype(operand.dtype) == operand.dtype)
    fail<TypeError>(who, "does not accept dtype ", operand.dtype,
                    "; there is no complex dtype with such parts; convert to float32; got ", operand);
}

void check_same_dtype(const char* who, std::span<const Aval> operands) {
  for (const Aval& operand : operands)
    if (operand.dtype != operands[0].dtype)
      fail<TypeError>(who, "operands must have the same dtype; got ", vector_of(operands),
                      "; convert one, or use the jnp function, which does");
}

void check_count(const char* who, const Avals& operands, size_t count) {
  if (operands.size() != count)
    fail<TypeError>(who, "takes ", count, count == 1 ? " operand; got " : " operands; got ", operands.size());
}

Shape broadcast_shapes(const char* who, std::span<const Aval> operands) {
  const Shape* ranked = nullptr;
  for (const Aval& operand : operands) {
    if (operand.shape.empty()) continue;
    if (ranked && ranked->size() != operand.shape.size())
      fail<ShapeError>(who, "operands must have the same number of dimensions or be scalars; got ", vector_of(operands));
    if (!ranked) ranked = &operand.shape;
  }
  if (!ranked) return {};
  Shape result = *ranked;
  for (const Aval& operand : operands) {
    if (operand.shape.empty()) continue;
    for (size_t i = 0; i < result.size(); ++i) {
      if (result[i] == 1) result[i] = operand.shape[i];
      if (operand.shape[i] != 1 && operand.shape[i] != result[i])
        fail<ShapeError>(who, "shapes do not broadcast: axis ", i, " has sizes ", result[i], " and ", operand.shape[i],
                         "; got ", vector_of(operands));
    }
  }
  return result;
}

void check_axes(const char* who, const char* what, const Axes& axes, int ndim) {
  std::vector<bool> seen(ndim);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= ndim)
      fail<ValueError>(who, what, " ", axis, " is out of range for ", ndim, " dimensions; got ", axes);
    if (seen[axis]) fail<ShapeError>(who, what, " ", axis, " comes twice; got ", axes);
    seen[axis] = true;
  }
}

int64_t canonical_axis(const char* who, int64_t axis, int ndim) {
  if (axis < -ndim || axis >= ndim)
    fail<ValueError>(who, "axis ", axis, " is out of bounds for an array of dimension ", ndim);
  return axis < 0 ? axis + ndim : axis;
}

Axes canonical_axes(const char* who, const Axes& axes, int ndim) {
  Axes out;
  for (int64_t axis : axes) {
    int64_t canonical = canonical_axis(who, axis, ndim);
    if (out.contains(canonical)) fail<ValueError>(who, "axis ", canonical, " comes twice; got ", axes);
    out.push_back(canonical);
  }
  return out;
}

bool all_weak(std::span<const Aval> operands) {
  return std::ranges::all_of(operands, [](const Aval& aval) { return aval.weak_type; });
}

DType real_dtype(DType dtype) {
  if (dtype.code() == DType::kComplex64) return DType(DType::kFloat32);
  if (dtype.code() == DType::kComplex128) return DType(DType::kFloat64);
  return dtype;
}

DType complex_dtype(DType dtype) {
  if (dtype.code() == DType::kFloat32) return DType(DType::kComplex64);
  if (dtype.code() == DType::kFloat64) return DType(DType::kComplex128);
  return dtype;
}

Values broadcast_values(StablehloBuilder& b, const Values& operands) {
  Avals avals;
  for (const Value& operand : operands) avals.push_back(operand.aval());
  const Shape shape = broadcast_shapes("broadcast", avals);
  Values out;
  for (size_t k = 0; k < operands.size(); ++k) {
    Axes dims;  // the operand's axes, or none for a scalar
    for (int axis = 0; axis < avals[k].ndim(); ++axis) dims.push_back(axis);
    out.push_back(avals[k].shape == shape ? operands[k] : b.broadcast_in_dim(operands[k], shape, dims));
  }
  return out;
}

Value full_value(StablehloBuilder& b, double value, const Aval& aval) {
  Value scalar = b.constant(value, aval.dtype);
  return aval.shape.empty() ? scalar : b.broadcast_in_dim(scalar, aval.shape, {});
}

Value full_integer_value(StablehloBuilder& b, int64_t value, const Aval& aval) {
  Value scalar = b.constant_integer(value, aval.dtype);
  return aval.shape.empty() ? scalar : b.broadcast_in_dim(scalar, aval.shape, {});
}

}  // namespace tenon::lax
