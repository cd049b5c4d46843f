#include "base/promotion.h"

#include <bitset>
#include <vector>

#include "base/fail.h"
#include "base/options.h"

namespace tenon {
namespace {

// Nodes of the lattice: every dtype code, then the weak ones.
constexpr int kWeakInt = DType::kCount, kWeakFloat = kWeakInt + 1, kWeakComplex = kWeakInt + 2, kNodes = kWeakInt + 3;
using NodeSet = std::bitset<kNodes>;

struct Edges {
  int from;
  std::vector<int> to;
};

// Edges lead to the next wider types (the figure in JAX's page on type promotion, jep 9407).
const std::vector<Edges>& edges() {
  using D = DType;
  static const std::vector<Edges> all = {
      {D::kBool, {kWeakInt}},
      {kWeakInt, {D::kUInt8, D::kInt8, D::kInt2, D::kInt4, D::kUInt2, D::kUInt4}},
      {D::kUInt8, {D::kInt16, D::kUInt16}},
      {D::kUInt16, {D::kInt32, D::kUInt32}},
      {D::kUInt32, {D::kInt64, D::kUInt64}},
      {D::kUInt64, {kWeakFloat}},
      {D::kInt8, {D::kInt16}},
      {D::kInt16, {D::kInt32}},
      {D::kInt32, {D::kInt64}},
      {D::kInt64, {kWeakFloat}},
      {kWeakFloat,
       {D::kBFloat16, D::kFloat16, D::kFloat4E2M1FN, D::kFloat8E3M4, D::kFloat8E4M3, D::kFloat8E4M3FN,
        D::kFloat8E4M3B11FNUZ, D::kFloat8E4M3FNUZ, D::kFloat8E5M2, D::kFloat8E5M2FNUZ, D::kFloat8E8M0FNU, kWeakComplex}},
      {D::kBFloat16, {D::kFloat32}},
      {D::kFloat16, {D::kFloat32}},
      {D::kFloat32, {D::kFloat64, D::kComplex64}},
      {D::kFloat64, {D::kComplex128}},
      {kWeakComplex, {D::kComplex64}},
      {D::kComplex64, {D::kComplex128}},
  };
  return all;
}

// reachable[n]: n and everything above it.
const std::vector<NodeSet>& upper_bounds() {
  static const std::vector<NodeSet> sets = [] {
    std::vector<NodeSet> reach(kNodes);
    for (int n = 0; n < kNodes; ++n) reach[n].set(n);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edges& e : edges())
        for (int to : e.to) {
          NodeSet merged = reach[e.from] | reach[to];
          changed |= merged != reach[e.from];
          reach[e.from] = merged;
        }
    }
    return reach;
  }();
  return sets;
}

int node_of(PromotedType type) {
  if (!type.weak) return type.dtype.code();
  switch (type.dtype.kind()) {
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: return kWeakInt;
    case DTypeKind::floating: return kWeakFloat;
    case DTypeKind::complex: return kWeakComplex;
    default: return type.dtype.code();
  }
}

PromotedType type_of(int node) {
  if (node == kWeakInt) return {default_int(), true};
  if (node == kWeakFloat) return {default_float(), true};
  if (node == kWeakComplex) return {default_complex(), true};
  return {canonical_dtype(DType(node)), false};
}

// The least of the common upper bounds: the one whose own upper bounds are all of them.
int least_upper_bound(std::span<const int> nodes) {
  NodeSet common;
  common.set();
  for (int n : nodes) common &= upper_bounds()[n];
  for (int n = 0; n < kNodes; ++n)
    if (common[n] && upper_bounds()[n] == common) return n;
  return -1;
}

}  // namespace

DType canonical_dtype(DType dtype) {
  if (options().enable_x64) return dtype;
  switch (dtype.code()) {
    case DType::kInt64: return DType(DType::kInt32);
    case DType::kUInt64: return DType(DType::kUInt32);
    case DType::kFloat64: return DType(DType::kFloat32);
    case DType::kComplex128: return DType(DType::kComplex64);
    default: return dtype;
  }
}
DType default_int() { return canonical_dtype(DType(DType::kInt64)); }
DType default_float() { return canonical_dtype(DType(DType::kFloat64)); }
DType default_complex() { return canonical_dtype(DType(DType::kComplex128)); }
DType to_inexact(DType dtype) {
  if (!dtype.is_integer() && !dtype.is_bool()) return dtype;
  return DType(dtype.bits() == 64 ? DType::kFloat64 : DType::kFloat32);
}

PromotedType promote_types(std::span<const PromotedType> types, std::string_view who) {
  TENON_CHECK(!types.empty(), who);
  bool same = true, all_weak = true;
  for (PromotedType t : types) {
    same &= t.dtype == types[0].dtype;
    all_weak &= t.weak;
  }
  if (same) return {canonical_dtype(types[0].dtype), all_weak};
  // Weak values alone meet in the strong lattice, and the result stays weak.
  std::vector<int> nodes;
  for (PromotedType t : types) nodes.push_back(node_of({canonical_dtype(t.dtype), t.weak && !all_weak}));
  int node = least_upper_bound(nodes);
  if (node < 0) {
    std::vector<DType> dtypes;
    for (PromotedType t : types) dtypes.push_back(t.dtype);
    fail<TypeError>(who, "these dtypes have no implicit promotion path; got ", dtypes, "; convert one with astype");
  }
  PromotedType result = type_of(node);
  return {result.dtype, result.weak || all_weak};
}

PromotedType promote(std::span<const Aval> avals, std::string_view who) {
  std::vector<PromotedType> types;
  for (const Aval& aval : avals) types.push_back({aval.dtype, aval.weak_type});
  return promote_types(types, who);
}

}  // namespace tenon
