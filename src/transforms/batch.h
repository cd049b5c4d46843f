// Batching: one run of a function for all elements along an axis.
#pragma once

#include "core/trace.h"

namespace tenon::detail {

/// Applies the batching rules of operations; what the rules bind goes to the trace below.
class BatchTrace final : public Trace {
 public:
  /// `origin`: the trace whose tracers are this one's too (a function with rules, run again); empty: none.
  BatchTrace(TraceRef below, BatchAxis axis, const BatchTrace* origin = nullptr)
      : below_(std::move(below)), axis_(std::move(axis)), origin_(origin ? origin->origin_ : this) {}

  const BatchAxis& axis() const { return axis_; }
  /// A tracer of this trace; the value itself when it is not mapped.
  Array join(Array value, int axis);
  Array value(const Array& x) const;
  int axis_of(const Array& x) const;

  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override;
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override;
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override;
  bool records() const override { return below_ && below_->records(); }
  std::string describe(const Tracer& tracer) const override;
  std::string tracer_str(const Tracer& tracer) const override;
  std::string name() const override { return "vmap"; }

 private:
  struct Split {
    Arrays values;
    std::vector<int> axes;
  };
  Split split(const Arrays& operands) const;
  bool is_own(const Trace& trace) const;

  TraceRef below_;
  BatchAxis axis_;
  const void* origin_;  // equal for traces that share tracers
};

/// The function for all elements: results and their mapped axes.
BatchResult batch_flat(FunctionRef<Arrays(const Arrays&)> function, const BatchAxis& axis, const Arrays& operands,
                       const std::vector<int>& axes, const BatchTrace* origin = nullptr);
/// The type of `size` elements along a new axis.
ShapedArray with_axis(const ShapedArray& aval, int axis, int64_t size);
/// `value`, mapped at `from`, with its axis at `to`; repeated where it is not mapped.
Array match_axis(const Array& value, int from, int to, int64_t size);

/// A function with its own derivative for all elements; `results`: axes of its results.
CustomJvpRef batched_custom_jvp(const CustomJvpRef& function, const BatchAxis& axis, const std::vector<int>& axes,
                                const std::vector<int>& results);

CustomVjpRef batched_custom_vjp(const CustomVjpRef& function, const BatchAxis& axis, const std::vector<int>& axes,
                                const std::vector<int>& results);

/// A program for all elements.
struct BatchedJaxpr {
  Jaxpr jaxpr;
  std::vector<int> axes;  // of the results
};
/// `wanted`: axis of each result, or kNotMapped to leave it as it comes (empty: all).
BatchedJaxpr batch_jaxpr(const Jaxpr& jaxpr, const BatchAxis& axis, const std::vector<int>& axes, const std::vector<int>& wanted = {});

}  // namespace tenon::detail
