// The builder behind lowering rules: names and vocabulary in, operations out. One generic path
// for all operations; their records check operands, attributes and infer results.
#include "tenon/stablehlo_builder.h"

#include <cstring>

#include "base/fail.h"
#include "base/half.h"
#include "dialect/host_calls.h"
#include "dialect/module_impl.h"
#include "dialect/types.h"
#include "lowering/builder_impl.h"
#include "llvm/ADT/ScopeExit.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace tenon {

using detail::BuilderImpl;
using detail::unwrap;
using detail::wrap;

Aval Value::aval() const {
  Aval aval = aval_of(unwrap(*this).getType());
  if (!is_key_) return aval;
  std::vector<int64_t> dims = aval.shape.dims();
  dims.pop_back();
  return {Shape(std::move(dims)), DType(DType::kKeyFry)};
}

// ---- dimension numbers, as the dialect prints them

namespace {

class FieldText {
 public:
  explicit FieldText(const char* mnemonic) : text_(std::string("#stablehlo.") + mnemonic + "<") {}
  FieldText& field(const char* name, const Axes& axes) {
    if (axes.empty()) return *this;
    add(name);
    text_ += '[';
    for (size_t i = 0; i < axes.size(); ++i) text_ += (i > 0 ? ", " : "") + std::to_string(axes[i]);
    text_ += ']';
    return *this;
  }
  FieldText& field(const char* name, int64_t value) {
    add(name);
    text_ += std::to_string(value);
    return *this;
  }
  std::string str() const { return text_ + ">"; }

 private:
  void add(const char* name) {
    text_ += std::string(first_ ? "" : ", ") + name + " = ";
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string GatherDims::str() const {
  return FieldText("gather").field("offset_dims", offset_dims).field("collapsed_slice_dims", collapsed_slice_dims)
      .field("operand_batching_dims", operand_batching_dims).field("start_indices_batching_dims", start_indices_batching_dims)
      .field("start_index_map", start_index_map).field("index_vector_dim", index_vector_dim).str();
}
std::string ScatterDims::str() const {
  return FieldText("scatter").field("update_window_dims", update_window_dims).field("inserted_window_dims", inserted_window_dims)
      .field("input_batching_dims", input_batching_dims).field("scatter_indices_batching_dims", scatter_indices_batching_dims)
      .field("scatter_dims_to_operand_dims", scatter_dims_to_operand_dims).field("index_vector_dim", index_vector_dim).str();
}
std::string DotDims::str() const {
  return FieldText("dot").field("lhs_batching_dimensions", lhs_batching_dimensions)
      .field("rhs_batching_dimensions", rhs_batching_dimensions).field("lhs_contracting_dimensions", lhs_contracting_dimensions)
      .field("rhs_contracting_dimensions", rhs_contracting_dimensions).str();
}

// ---- operations

namespace {

BuilderImpl& impl_of(void* impl) { return *static_cast<BuilderImpl*>(impl); }

mlir::Attribute to_mlir(mlir::OpBuilder& builder, const detail::Attribute& a, const char* op) {
  using Kind = detail::Attribute::Kind;
  switch (a.kind) {
    case Kind::absent: return {};
    case Kind::integer: return builder.getIntegerAttr(builder.getIntegerType(static_cast<unsigned>(a.bits)), a.integer_value);
    case Kind::integers: return builder.getDenseI64ArrayAttr(a.list);
    case Kind::boolean: return builder.getBoolAttr(a.integer_value != 0);
    case Kind::unit: return builder.getUnitAttr();
    case Kind::number: return builder.getF32FloatAttr(static_cast<float>(a.number_value));
    case Kind::string: return builder.getStringAttr(a.text);
    case Kind::parsed: {
      mlir::Attribute parsed = mlir::parseAttribute(a.text, builder.getContext());
      TENON_CHECK(parsed, op, ": the attribute '", a.text, "' cannot be read");
      return parsed;
    }
  }
  return {};
}

// The result types that the operation's record infers.
void infer_types(mlir::OperationState& state, mlir::DictionaryAttr attributes, const char* op) {
  auto info = state.name.getRegisteredInfo();
  TENON_CHECK(info, op, " is not an operation of a loaded dialect");
  auto* inference = info->getInterface<mlir::InferTypeOpInterface>();
  TENON_CHECK(inference, op, " does not infer its results");
  mlir::MLIRContext* context = state.getContext();
  Diagnostics diagnostics(*context);
  std::unique_ptr<char[]> storage;
  mlir::OpaqueProperties properties(nullptr);
  llvm::scope_exit destroy([&] {
    if (properties) info->destroyOpProperties(properties);
  });
  if (info->getOpPropertyByteSize() > 0) {
    storage = std::make_unique<char[]>(static_cast<size_t>(info->getOpPropertyByteSize()));
    properties = mlir::OpaqueProperties(storage.get());
    info->initOpProperties(properties, mlir::OpaqueProperties(nullptr));
    auto emit = [&] { return mlir::emitError(state.location); };
    if (mlir::failed(info->setOpPropertiesFromAttribute(state.name, properties, attributes, emit)))
      fail<CompileError>(op, diagnostics.first("the attributes do not fit"));
  }
  llvm::SmallVector<mlir::Type> types;
  bool inferred = mlir::succeeded(
      inference->inferReturnTypes(context, state.location, state.operands, attributes, properties, state.regions, types));
  if (!inferred) fail<CompileError>(op, diagnostics.first("the operands do not fit"));
  state.addTypes(types);
}

}  // namespace

Values detail::StablehloOps::create(const char* op, std::initializer_list<OperandGroup> operands, bool segments,
                                    std::initializer_list<NamedAttribute> attributes, const std::vector<Region>& regions,
                                    const std::optional<Avals>& result_types) {
  BuilderImpl& impl = impl_of(impl_);
  mlir::OpBuilder& builder = impl.builder;
  mlir::OperationState state(impl.location, op);
  llvm::SmallVector<int32_t> sizes;
  for (const OperandGroup& group : operands) {
    for (const Value& v : group.values) state.operands.push_back(unwrap(v));
    sizes.push_back(static_cast<int32_t>(group.values.size()));
  }
  mlir::NamedAttrList list;
  for (const NamedAttribute& a : attributes)
    if (mlir::Attribute value = to_mlir(builder, a.value, op)) list.append(a.name, value);
  if (segments) list.append("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
  mlir::DictionaryAttr dictionary = list.getDictionary(builder.getContext());

  Values returned;  // by the last region: a loop and a branch give what it gives
  for (const Region& region : regions) {
    mlir::Region* body = state.addRegion();
    mlir::Block& block = body->emplaceBlock();
    for (const Aval& aval : region.arguments) block.addArgument(tensor_type(aval, builder.getContext()), impl.location);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    Values inputs;
    for (size_t i = 0; i < region.arguments.size(); ++i)
      inputs.push_back(wrap(block.getArgument(static_cast<unsigned>(i)), region.arguments[i].dtype.is_prng_key()));
    StablehloBuilder inner(impl_);
    mlir::OperationState end(impl.location, "stablehlo.return");
    returned = region.body(inner, inputs);
    for (const Value& v : returned) end.operands.push_back(unwrap(v));
    builder.create(end);
  }

  if (result_types) {
    for (const Aval& aval : *result_types) state.addTypes(tensor_type(aval, builder.getContext()));
  } else {
    infer_types(state, dictionary, op);
  }
  auto info = state.name.getRegisteredInfo();
  if (info && info->getOpPropertyByteSize() > 0) state.propertiesAttr = dictionary;
  else state.attributes = list;
  mlir::Operation* created = builder.create(state);
  Values results;
  for (mlir::OpResult result : created->getResults()) {
    const size_t i = result.getResultNumber();
    results.push_back(wrap(result, returned.size() == created->getNumResults() && returned[i].is_key()));
  }
  return results;
}

// ---- the shorter forms

namespace {

Value constant_of(void* impl, mlir::ElementsAttr value) {
  BuilderImpl& b = impl_of(impl);
  mlir::OperationState state(b.location, "stablehlo.constant");
  state.propertiesAttr = b.builder.getDictionaryAttr(b.builder.getNamedAttr("value", value));
  state.addTypes(value.getType());
  return wrap(b.builder.create(state)->getResult(0));
}

mlir::Attribute element_attribute(mlir::Type element, double number, int64_t integer, bool is_integer) {
  if (auto type = llvm::dyn_cast<mlir::FloatType>(element)) {
    llvm::APFloat value(is_integer ? static_cast<double>(integer) : number);
    bool lost;
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return mlir::FloatAttr::get(type, value);
  }
  auto type = llvm::cast<mlir::IntegerType>(element);
  int64_t v = is_integer ? integer : static_cast<int64_t>(number);
  if (type.getWidth() == 1) v = is_integer ? integer != 0 : number != 0;
  return mlir::IntegerAttr::get(type, llvm::APInt(type.getWidth(), static_cast<uint64_t>(v), /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value scalar_constant(void* impl, DType dtype, double number, int64_t integer, bool is_integer) {
  mlir::MLIRContext* context = impl_of(impl).builder.getContext();
  mlir::RankedTensorType type = tensor_type({{}, dtype, false}, context);
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType())) {
    auto part = llvm::cast<mlir::FloatAttr>(element_attribute(complex.getElementType(), number, integer, is_integer)).getValue();
    std::complex<llvm::APFloat> value(part, llvm::APFloat::getZero(part.getSemantics()));
    return constant_of(impl, mlir::DenseElementsAttr::get(type, llvm::ArrayRef(value)));
  }
  return constant_of(impl, mlir::DenseElementsAttr::get(type, element_attribute(type.getElementType(), number, integer, is_integer)));
}

}  // namespace

Value StablehloBuilder::constant(double value, DType dtype) { return scalar_constant(impl_, dtype, value, 0, false); }
Value StablehloBuilder::constant_integer(int64_t value, DType dtype) { return scalar_constant(impl_, dtype, 0, value, true); }

Value StablehloBuilder::constant_integers(const std::vector<int64_t>& values, DType dtype) {
  mlir::RankedTensorType type = tensor_type({Shape{static_cast<int64_t>(values.size())}, dtype, false}, impl_of(impl_).builder.getContext());
  llvm::SmallVector<mlir::Attribute> elements;
  for (int64_t v : values) elements.push_back(element_attribute(type.getElementType(), 0, v, true));
  return constant_of(impl_, mlir::DenseElementsAttr::get(type, elements));
}

Value StablehloBuilder::constant_array(const Aval& aval, const void* bytes) {
  mlir::RankedTensorType type = tensor_type(aval, impl_of(impl_).builder.getContext());
  auto count = static_cast<size_t>(aval.shape.num_elements());
  if (aval.dtype.is_bool()) {  // one bit an element in MLIR's attributes, one byte in memory
    llvm::SmallVector<bool> bits(count);
    for (size_t i = 0; i < count; ++i) bits[i] = static_cast<const unsigned char*>(bytes)[i] != 0;
    return constant_of(impl_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(bits)));
  }
  llvm::ArrayRef<char> raw(static_cast<const char*>(bytes), static_cast<size_t>(aval.nbytes()));
  return constant_of(impl_, mlir::DenseElementsAttr::getFromRawBuffer(type, raw));
}

// Of keys, the same operation on their words: a last axis more, which stays whole and last.
namespace {

detail::Ints with_last(detail::Ints list, const Value& x, int64_t entry) {
  if (x.is_key()) list.values.push_back(entry);
  return list;
}
Value like(const Value& result, const Value& x) { return x.is_key() ? result.as_keys() : result; }

}  // namespace

Value StablehloBuilder::reshape(const Value& x, const Shape& shape) {
  return like(StablehloOps::reshape(x, x.aval().with_shape(shape)), x);
}
Value StablehloBuilder::broadcast_in_dim(const Value& x, const Shape& shape, const Axes& dimensions) {
  return like(StablehloOps::broadcast_in_dim(x, with_last(dimensions, x, shape.ndim()), x.aval().with_shape(shape)), x);
}
Value StablehloBuilder::concatenate(const Values& x, int64_t dimension) { return like(StablehloOps::concatenate(x, dimension), x[0]); }
Value StablehloBuilder::slice(const Value& x, detail::Ints start, detail::Ints limit, detail::Ints strides) {
  return like(StablehloOps::slice(x, with_last(std::move(start), x, 0), with_last(std::move(limit), x, 2), with_last(std::move(strides), x, 1)), x);
}
Value StablehloBuilder::transpose(const Value& x, detail::Ints permutation) {
  const auto last = static_cast<int64_t>(permutation.values.size());
  return like(StablehloOps::transpose(x, with_last(std::move(permutation), x, last)), x);
}
Value StablehloBuilder::reverse(const Value& x, const detail::Ints& dimensions) { return like(StablehloOps::reverse(x, dimensions), x); }
Value StablehloBuilder::select(const Value& predicate, const Value& on_true, const Value& on_false) {
  if (!on_true.is_key()) return StablehloOps::select(predicate, on_true, on_false);
  Axes dims;
  for (int axis = 0; axis < predicate.aval().ndim(); ++axis) dims.push_back(axis);
  Shape shape = on_true.aval().shape;
  shape.push_back(2);
  const Value words = broadcast_in_dim(predicate, shape, dims);
  return StablehloOps::select(words, on_true, on_false).as_keys();
}
Value StablehloBuilder::gather(const Value& x, const Value& indices, GatherDims dims, detail::Ints slice_sizes, bool indices_are_sorted) {
  const int result_ndim = static_cast<int>(dims.offset_dims.size()) + indices.aval().ndim() - 1;
  if (x.is_key()) dims.offset_dims.push_back(result_ndim);
  return like(StablehloOps::gather(x, indices, dims, with_last(std::move(slice_sizes), x, 2), indices_are_sorted), x);
}
Value StablehloBuilder::dynamic_slice(const Value& x, Values indices, detail::Ints sizes) {
  if (x.is_key()) indices.push_back(constant_integer(0, indices.empty() ? DType(DType::kInt32) : indices[0].aval().dtype));
  return like(StablehloOps::dynamic_slice(x, indices, with_last(std::move(sizes), x, 2)), x);
}
Value StablehloBuilder::dynamic_update_slice(const Value& x, const Value& update, Values indices) {
  if (x.is_key()) indices.push_back(constant_integer(0, indices.empty() ? DType(DType::kInt32) : indices[0].aval().dtype));
  return like(StablehloOps::dynamic_update_slice(x, update, indices), x);
}

Values StablehloBuilder::call(const std::string& name, const EqnParams& params, const Values& operands,
                              detail::FunctionRef<Values(StablehloBuilder&, const Values&)> body) {
  return impl_of(impl_).functions->call(name, params, operands, body);
}

Values StablehloBuilder::host_call(const detail::HostCalleeRef& callee, const Values& operands, const Avals& results, bool has_side_effect) {
  const size_t number = add_host_callee(*impl_of(impl_).builder.getContext(), callee);
  return custom_call(operands, kHostCallTarget, results, has_side_effect, detail::text("{index = ", number, " : ui64}"), "4 : i32");
}

Values StablehloBuilder::inlined(const Jaxpr& jaxpr, const Values& operands, const std::string& scope) {
  return impl_of(impl_).functions->inlined(jaxpr, operands, scope);
}

Value StablehloBuilder::compare(const Value& x, const Value& y, ComparisonDirection direction) {
  if (x.is_key()) {
    const bool equal = direction == ComparisonDirection::EQ;
    const Value words = compare(x.as_words(), y.as_words(), direction);
    return reduce(words, constant_integer(equal, DType(DType::kBool)), Axes(x.aval().ndim()), equal ? ReduceKind::and_ : ReduceKind::or_);
  }
  DType dtype = x.aval().dtype;
  const char* type = dtype.is_signed() ? "SIGNED" : dtype.is_inexact() ? "FLOAT" : "UNSIGNED";
  return StablehloOps::compare(x, y, direction, std::string("#stablehlo<comparison_type ") + type + ">");
}

Value StablehloBuilder::reduce(const Value& x, const Value& init, const Axes& axes, ReduceKind kind) {
  return reduce(Values{x}, Values{init}, axes, [&](const Values& a, const Values& b) -> Values {
    switch (kind) {
      case ReduceKind::add: return {add(a[0], b[0])};
      case ReduceKind::multiply: return {multiply(a[0], b[0])};
      case ReduceKind::maximum: return {maximum(a[0], b[0])};
      case ReduceKind::minimum: return {minimum(a[0], b[0])};
      case ReduceKind::and_: return {and_(a[0], b[0])};
      case ReduceKind::or_: return {or_(a[0], b[0])};
    }
    TENON_CHECK(false);
  })[0];
}

void StablehloBuilder::set_location(const std::string& name_stack, const char* file, unsigned line, unsigned column) {
  BuilderImpl& b = impl_of(impl_);
  mlir::Location where = line == 0 ? mlir::Location(b.builder.getUnknownLoc())
                                   : mlir::Location(mlir::FileLineColLoc::get(b.builder.getContext(), file, line, column));
  b.location = mlir::NameLoc::get(b.builder.getStringAttr(name_stack), where);
}

}  // namespace tenon
