// Loads and stores of the emitter: contiguous vectors where the vector variable has stride 1, one
// element for all lanes where it has stride 0, lane by lane elsewhere.
#include <algorithm>
#include <bit>

#include "backends/cpu/emitter.h"
#include "backends/cpu/scalar_table.h"
#include "base/half.h"

namespace tenon::cpu {

// base + offset, each part added as far out as possible; the constant last, so that it becomes the
// displacement of the access.
Value Emitter::address(llvm::Value* base, llvm::Type* type, const Index& offset) {
  if (offset.is_constant()) {
    if (offset.constant == 0) return {base, false, 0};
    At at(*this, 0);
    return {b.CreateConstInBoundsGEP1_64(type, base, offset.constant), false, 0};
  }
  Index outer, inner;
  const int depth = depth_of(offset);
  for (const Term& t : offset.terms) {
    (depth_of(IndexSpace::variable(t.variable)) < depth ? outer : inner).terms.push_back(t);
  }
  Value& memo = pointers_[{base, [&] {
                             Index without = offset;
                             without.constant = 0;
                             return without;
                           }()}];
  if (!memo.value) {
    llvm::Value* start = outer.terms.empty() ? base : address(base, type, outer).value;
    llvm::Value* step = scalar_index(inner).value;
    At at(*this, depth);
    memo = {b.CreateInBoundsGEP(type, start, step), false, depth};
  }
  if (offset.constant == 0) return memo;
  const Value known = memo;
  At at(*this, depth);
  return {b.CreateConstInBoundsGEP1_64(type, known.value, offset.constant), false, depth};
}

// Lanes that exist and where the predicate holds; no value when that is all of them.
Value Emitter::mask(int variable, int predicate) {
  const LoopState& state = states_[variable];
  Value result{state.mask, true, state.depth};
  if (predicate == kAlways) return result;
  Value where = condition(predicate);
  where = {splat(where), true, std::max(where.depth, state.depth)};
  if (!result.value) return where;
  At at(*this, where.depth);
  return {b.CreateAnd(result.value, where.value), true, where.depth};
}

bool Emitter::is_contiguous(const Index& offset, int variable) {
  if (offset.coefficient(variable) != 1) return false;
  return std::ranges::all_of(offset.terms, [&](const Term& t) {
    return t.variable == variable || vector_variable(IndexSpace::variable(t.variable)) == -1;
  });
}

llvm::Value* Emitter::constant_array(const Node& node) {
  llvm::Value*& array = constants_[&node];
  if (array) return array;
  llvm::LLVMContext& context = b.getContext();
  llvm::StringRef bytes(reinterpret_cast<const char*>(node.data.data()), node.data.size());
  llvm::Constant* data =
      llvm::ConstantDataArray::getRaw(bytes, bytes.size(), llvm::Type::getInt8Ty(context));
  auto* global = new llvm::GlobalVariable(*function->getParent(), data->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, data, "constant");
  global->setAlignment(llvm::Align(64));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return array = global;
}

llvm::Constant* Emitter::constant(const Node& n) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Type* type = value_type(context, n.dtype);
  uint64_t bits = 0;
  std::copy(n.data.begin(), n.data.end(), reinterpret_cast<std::byte*>(&bits));
  if (n.dtype.is_bool()) return llvm::ConstantInt::get(type, bits != 0);
  if (n.dtype.code() == DType::kBFloat16) bits <<= 16;
  if (n.dtype.code() == DType::kFloat16)
    bits = std::bit_cast<uint32_t>(detail::float16_to_float(static_cast<uint16_t>(bits)));
  llvm::Constant* integer =
      llvm::ConstantInt::get(context, llvm::APInt(type->getPrimitiveSizeInBits(), bits));
  if (type->isIntegerTy()) return integer;
  return llvm::ConstantFP::get(
      context,
      llvm::APFloat(type->getFltSemantics(), llvm::APInt(type->getPrimitiveSizeInBits(), bits)));
}

Value Emitter::load(int id) {
  const Node& n = demands.node(id);
  type_of(id);  // throws when there is none
  llvm::Type* type = memory_type(b.getContext(), n.dtype);
  Value value;
  if (const auto it = redirections_.find(id); it != redirections_.end()) {
    value = load_at(it->second.first, type, it->second.second, kAlways);
  } else if (n.kind == NodeKind::constant &&
             static_cast<int64_t>(n.data.size()) == n.dtype.itemsize()) {
    return {constant(n), false, 0};
  } else {
    llvm::Value* base = n.kind == NodeKind::constant ? constant_array(n) : load_pointer(n.number);
    value = load_at(base, type, demands.offset(id), demands[id].predicate);
  }
  At at(*this, value.depth);
  value.value = from_memory(b, value.value, n.dtype);
  return value;
}

Value Emitter::load_at(llvm::Value* base, llvm::Type* type, const Index& offset, int predicate) {
  const int variable = vector_variable(offset);
  if (variable == -1) return load_scalar(base, type, offset, predicate);
  return is_contiguous(offset, variable) ? load_contiguous(base, type, offset, variable, predicate)
                                         : load_lanes(base, type, offset, variable, predicate);
}

Value Emitter::load_scalar(llvm::Value* base, llvm::Type* type, const Index& offset,
                           int predicate) {
  Value pointer;
  if (predicate == kAlways) {
    pointer = address(base, type, offset);
  } else {
    // Where the predicate fails, the first element is read instead.
    Value where = condition(predicate);
    const Value element = scalar_index(offset);
    const int depth = std::max(where.depth, element.depth);
    At at(*this, depth);
    if (where.is_vector) where.value = b.CreateOrReduce(where.value);
    pointer = {b.CreateGEP(type, base, b.CreateSelect(where.value, element.value, i64(0))), false,
               depth};
  }
  At at(*this, pointer.depth);
  return {b.CreateLoad(type, pointer.value), false, pointer.depth};
}

static llvm::Align element_align(llvm::Type* type) {
  return llvm::Align(type->getScalarSizeInBits() / 8);
}

Value Emitter::load_contiguous(llvm::Value* base, llvm::Type* type, const Index& offset,
                               int variable, int predicate) {
  const Value where = mask(variable, predicate);
  const Value pointer = address(base, type, offset);
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  const int depth = std::max({pointer.depth, where.depth, states_[variable].depth});
  At at(*this, depth);
  if (!where.value)
    return {b.CreateAlignedLoad(vector, pointer.value, element_align(type)), true, depth};
  return {b.CreateMaskedLoad(vector, pointer.value, element_align(type), where.value,
                             llvm::Constant::getNullValue(vector)),
          true, depth};
}

Value Emitter::lane_pointers(llvm::Value* base, llvm::Type* type, const Index& offset) {
  const Value elements = vector_index(offset);
  At at(*this, elements.depth);
  return {b.CreateGEP(type, base, elements.value), true, elements.depth};
}

Value Emitter::load_lanes(llvm::Value* base, llvm::Type* type, const Index& offset, int variable,
                          int predicate) {
  const Value where = mask(variable, predicate);
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  if (where.value) {
    const Value pointers = lane_pointers(base, type, offset);
    const int depth = std::max(pointers.depth, where.depth);
    At at(*this, depth);
    return {b.CreateMaskedGather(vector, pointers.value, element_align(type), where.value,
                                 llvm::Constant::getNullValue(vector)),
            true, depth};
  }
  const bool is_strided = std::ranges::all_of(offset.terms, [&](const Term& t) {
    return t.variable == variable || vector_variable(IndexSpace::variable(t.variable)) == -1;
  });
  llvm::SmallVector<llvm::Value*, 16> pointers;
  int depth = states_[variable].depth;
  if (is_strided) {
    const int64_t stride = offset.coefficient(variable);
    for (int l = 0; l < lanes; ++l) {
      const Value pointer = address(base, type, space.add(offset, stride * l));
      pointers.push_back(pointer.value);
      depth = std::max(depth, pointer.depth);
    }
  } else {
    const Value elements = vector_index(offset);
    depth = std::max(depth, elements.depth);
    At at(*this, depth);
    llvm::Value* wide =
        b.CreateSExt(elements.value, llvm::FixedVectorType::get(b.getInt64Ty(), lanes));
    for (int l = 0; l < lanes; ++l)
      pointers.push_back(b.CreateGEP(type, base, b.CreateExtractElement(wide, l)));
  }
  At at(*this, depth);
  llvm::Value* value = llvm::PoisonValue::get(vector);
  for (int l = 0; l < lanes; ++l)
    value = b.CreateInsertElement(value, b.CreateLoad(type, pointers[l]), l);
  return {value, true, depth};
}

llvm::Value* Emitter::load_raw(const Node& parameter, const Index& offset) {
  llvm::Type* type = memory_type(b.getContext(), parameter.dtype);
  const Value pointer = address(load_pointer(parameter.number), type, offset);
  At at(*this, depth());
  return b.CreateAlignedLoad(llvm::FixedVectorType::get(type, lanes), pointer.value,
                             element_align(type));
}

void Emitter::store_raw(llvm::Value* vector, llvm::Value* memory, const Index& offset) {
  llvm::Type* type = vector->getType()->getScalarType();
  const Value pointer = address(memory, type, offset);
  At at(*this, depth());
  b.CreateAlignedStore(vector, pointer.value, element_align(type));
}

void Emitter::keep(int demand, llvm::Value* memory, const Index& offset) {
  llvm::Value* vector = splat(get(demand));
  {
    At at(*this, depth());
    vector = to_memory(b, vector, demands.node(demand).dtype);
  }
  store_raw(vector, memory, offset);
}

void Emitter::store(llvm::Value* buffer, DType dtype, const Index& offset, Value value,
                    bool is_streamed) {
  llvm::Type* type = memory_type(b.getContext(), dtype);
  const int variable = vector_variable(offset);
  const int here = depth();
  if (variable == -1) {
    const Value pointer = address(buffer, type, offset);
    At at(*this, here);
    b.CreateStore(to_memory(b, value.value, dtype), pointer.value);
    return;
  }
  const LoopState state = states_[variable];
  llvm::Value* x = splat(value);
  const bool contiguous = is_contiguous(offset, variable);
  const Value pointer = contiguous ? address(buffer, type, offset) : Value{};
  const Value pointers = contiguous ? Value{} : lane_pointers(buffer, type, offset);
  At at(*this, here);
  x = to_memory(b, x, dtype);
  const llvm::Align align = element_align(type);
  const auto store_all = [&] {
    if (!is_streamed) {
      b.CreateAlignedStore(x, pointer.value, align);
      return;
    }
    llvm::StoreInst* stored = b.CreateAlignedStore(
        x, pointer.value, llvm::Align(lanes * type->getScalarSizeInBits() / 8));
    stored->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1))));
  };
  if (!contiguous) {
    if (state.mask) {
      b.CreateMaskedScatter(x, pointers.value, align, state.mask);
      return;
    }
    for (int l = 0; l < lanes; ++l)
      b.CreateStore(b.CreateExtractElement(x, l), b.CreateExtractElement(pointers.value, l));
    return;
  }
  if (!state.mask) {
    store_all();
    return;
  }
  if (!state.is_full) {
    b.CreateMaskedStore(x, pointer.value, align, state.mask);
    return;
  }
  // Masked stores are slow on AVX2, so full vectors go another way.
  auto* full = llvm::BasicBlock::Create(b.getContext(), "full", function);
  auto* part = llvm::BasicBlock::Create(b.getContext(), "part", function);
  auto* stored = llvm::BasicBlock::Create(b.getContext(), "stored", function);
  b.CreateCondBr(state.is_full, full, part);
  b.SetInsertPoint(full);
  store_all();
  b.CreateBr(stored);
  b.SetInsertPoint(part);
  b.CreateMaskedStore(x, pointer.value, align, state.mask);
  b.CreateBr(stored);
  b.SetInsertPoint(stored);
}

}  // namespace tenon::cpu
