// Index expressions as instructions of the emitter: scalars, and vectors where lanes differ.
#include <algorithm>

#include "backends/cpu/emitter.h"
#include "backends/cpu/ir_number.h"

namespace tenon::cpu {

int Emitter::depth_of(const Index& index) {
  int depth = 0;
  for (const Term& t : index.terms) {
    const Variable& v = space[t.variable];
    int d = 0;
    switch (v.kind) {
      case Variable::Kind::loop:
        d = states_[t.variable].depth;
        break;
      case Variable::Kind::loaded:
        d = values_.at(v.handle).depth;
        break;
      default:
        d = depth_of(v.source);
    }
    depth = std::max(depth, d);
  }
  return depth;
}

int Emitter::vector_variable(const Index& index) {
  int found = -1;
  space.for_each_leaf(index, [&](int leaf) {
    const Variable& v = space[leaf];
    if (v.kind == Variable::Kind::loop) {
      if (states_[leaf].is_vector) found = leaf;
    } else if (values_.at(v.handle).is_vector) {
      found = dependence(v.handle).vector;
    }
  });
  return found;
}

// A quotient, remainder or loaded index: of lane 0, or of all lanes where they differ.
const Value& Emitter::derived(int variable) {
  if (auto it = derived_.find(variable); it != derived_.end()) return it->second;
  const Variable v = space[variable];
  if (v.kind == Variable::Kind::loaded) {
    const Value loaded = values_.at(v.handle);
    At at(*this, loaded.depth);
    const bool is_signed = demands.node(v.handle).dtype.is_signed();
    llvm::Type* wide = like_type(loaded.value->getType(), b.getInt64Ty());
    llvm::Value* x =
        is_signed ? b.CreateSExt(loaded.value, wide) : b.CreateZExt(loaded.value, wide);
    llvm::Value* most = llvm::ConstantInt::get(wide, v.max);
    if (is_signed) {
      x = binary_intrinsic(b, llvm::Intrinsic::smax, x, llvm::ConstantInt::get(wide, 0));
      x = binary_intrinsic(b, llvm::Intrinsic::smin, x, most);
    } else {
      x = binary_intrinsic(b, llvm::Intrinsic::umin, x, most);
    }
    return derived_[variable] = {x, loaded.is_vector, loaded.depth};
  }
  const bool is_quotient = v.kind == Variable::Kind::quotient;
  const Value source = index(v.source);
  At at(*this, source.depth);
  llvm::Value* divisor = llvm::ConstantInt::get(source.value->getType(), v.divisor);
  llvm::Value* x =
      is_quotient ? b.CreateUDiv(source.value, divisor) : b.CreateURem(source.value, divisor);
  return derived_[variable] = {x, source.is_vector, source.depth};
}

Value Emitter::scalar_index(const Index& index) {
  if (index.is_constant()) return {i64(index.constant), false, 0};
  if (index.constant == 0 && index.terms.size() == 1 && index.terms[0].coefficient == 1 &&
      space[index.terms[0].variable].kind == Variable::Kind::loop) {
    const LoopState& state = states_[index.terms[0].variable];
    return {state.value, false, state.depth};
  }
  if (auto it = indices_.find(index); it != indices_.end()) return it->second;
  const int depth = depth_of(index);
  Index outer;
  llvm::SmallVector<std::pair<llvm::Value*, int64_t>, 4> inner;
  for (const Term& t : index.terms) {
    const Index self = IndexSpace::variable(t.variable);
    if (depth_of(self) < depth) {
      outer.terms.push_back(t);
      continue;
    }
    if (space[t.variable].kind == Variable::Kind::loop) {
      inner.push_back({states_[t.variable].value, t.coefficient});
    } else {
      inner.push_back({derived(t.variable).value, t.coefficient});
    }
  }
  llvm::Value* sum = outer.terms.empty() ? nullptr : scalar_index(outer).value;
  At at(*this, depth);
  for (auto [value, coefficient] : inner) {
    llvm::Value* term =
        coefficient == 1 ? value : b.CreateMul(value, i64(coefficient), "", true, true);
    sum = sum ? b.CreateAdd(sum, term, "", false, true) : term;
  }
  if (index.constant != 0) sum = b.CreateAdd(sum, i64(index.constant), "", false, true);
  return indices_[index] = {sum, false, depth};
}

// Narrow lanes where the range allows: twice as many in a register, and cheap divisions.
Value Emitter::vector_index(const Index& index) {
  if (auto it = vector_indices_.find(index); it != vector_indices_.end()) return it->second;
  const int depth = depth_of(index);
  const auto range = space.range(index);
  llvm::Type* scalar =
      range.min >= INT32_MIN && range.max < INT32_MAX - lanes ? b.getInt32Ty() : b.getInt64Ty();
  auto* type = llvm::FixedVectorType::get(scalar, lanes);
  Index uniform(index.constant);
  llvm::SmallVector<std::pair<Value, int64_t>, 4> parts;
  int64_t stride = 0;
  for (const Term& t : index.terms) {
    const Variable::Kind kind = space[t.variable].kind;
    if (kind == Variable::Kind::loop) {
      uniform.terms.push_back(t);  // a vector variable counts with its lane 0 here
      if (states_[t.variable].is_vector) stride += t.coefficient;
      continue;
    }
    const Value part = derived(t.variable);
    if (part.is_vector)
      parts.push_back({part, t.coefficient});
    else
      uniform.terms.push_back(t);
  }
  const Value base = scalar_index(uniform);
  At at(*this, depth);
  llvm::Value* sum = b.CreateVectorSplat(lanes, b.CreateTrunc(base.value, scalar));
  if (stride != 0) {
    llvm::SmallVector<llvm::Constant*, 16> steps;
    for (int l = 0; l < lanes; ++l)
      steps.push_back(llvm::ConstantInt::get(scalar, stride * l, true));
    sum = b.CreateAdd(sum, llvm::ConstantVector::get(steps));
  }
  for (auto& [part, coefficient] : parts) {
    llvm::Value* x = b.CreateZExtOrTrunc(part.value, type);
    sum = b.CreateAdd(sum, b.CreateMul(x, llvm::ConstantInt::get(type, coefficient, true)));
  }
  return vector_indices_[index] = {sum, true, depth};
}

Value Emitter::index(const Index& index) {
  return vector_variable(index) == -1 ? scalar_index(index) : vector_index(index);
}

}  // namespace tenon::cpu
