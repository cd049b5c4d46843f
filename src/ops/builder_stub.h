// Stands in for tenon/stablehlo_builder.h until the dialect generates it. Every method throws.
#pragma once

#include "base/fail.h"
#include "tenon/primitive.h"

namespace tenon {

class Value {
 public:
  Aval aval() const { throw UnimplementedError("no builder"); }
};
enum class ComparisonDirection { EQ, NE, GE, GT, LE, LT };
enum class ReduceKind { add, multiply, maximum, minimum, and_, or_ };
struct StubGatherDims { Axes offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map; int64_t index_vector_dim; };
struct StubDotDims { Axes lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions; };

class StablehloBuilder {
 public:
#define TENON_STUB(name, ...) template <class... A> Value name(A&&...) { throw UnimplementedError("no builder"); }
  TENON_STUB(abs) TENON_STUB(negate) TENON_STUB(floor) TENON_STUB(exponential) TENON_STUB(log) TENON_STUB(sine)
  TENON_STUB(cosine) TENON_STUB(tanh) TENON_STUB(sqrt) TENON_STUB(rsqrt) TENON_STUB(sign) TENON_STUB(add)
  TENON_STUB(subtract) TENON_STUB(multiply) TENON_STUB(divide) TENON_STUB(remainder) TENON_STUB(maximum)
  TENON_STUB(minimum) TENON_STUB(power) TENON_STUB(and_) TENON_STUB(or_) TENON_STUB(xor_) TENON_STUB(not_)
  TENON_STUB(compare) TENON_STUB(select) TENON_STUB(clamp) TENON_STUB(real) TENON_STUB(convert)
  TENON_STUB(round_nearest_even) TENON_STUB(round_nearest_afz) TENON_STUB(is_finite) TENON_STUB(chlo_square)
  TENON_STUB(shift_left) TENON_STUB(shift_right_arithmetic) TENON_STUB(shift_right_logical) TENON_STUB(reshape) TENON_STUB(transpose)
  TENON_STUB(concatenate) TENON_STUB(slice) TENON_STUB(reverse)
  TENON_STUB(constant)
#undef TENON_STUB
  Value iota(const Aval&, int64_t) { throw UnimplementedError("no builder"); }
  Value broadcast_in_dim(const Value&, const Shape&, const Axes&) { throw UnimplementedError("no builder"); }
  Value dynamic_slice(const Value&, const std::vector<Value>&, const Shape&) { throw UnimplementedError("no builder"); }
  Value gather(const Value&, const Value&, const StubGatherDims&, const Shape&, bool) { throw UnimplementedError("no builder"); }
  Value dot_general(const Value&, const Value&, const StubDotDims&, const Aval&) { throw UnimplementedError("no builder"); }
  Value reduce(const Value&, const Value&, const Axes&, ReduceKind) { throw UnimplementedError("no builder"); }
  Value constant_integers(const std::vector<int64_t>&, DType) { throw UnimplementedError("no builder"); }
  template <class F>
  std::vector<Value> reduce(const std::vector<Value>&, const std::vector<Value>&, const Axes&, F) { throw UnimplementedError("no builder"); }
  std::vector<Value> optimization_barrier(const std::vector<Value>&) { throw UnimplementedError("no builder"); }
};

}  // namespace tenon
