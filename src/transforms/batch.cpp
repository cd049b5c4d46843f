#include "transforms/batch.h"

#include <algorithm>

#include "base/fail.h"
#include "core/jaxpr_cache.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"
#include "trace/jaxpr_trace.h"
#include "transforms/jaxpr.h"
#include "transforms/jvp.h"

namespace tenon::detail {
namespace {

ShapedArray without_axis(const ShapedArray& aval, int axis) {
  std::vector<int64_t> sizes = aval.shape.dims();
  sizes.erase(sizes.begin() + axis);
  return {Shape(sizes), aval.dtype, aval.weak_type};
}

class BatchTracer final : public Tracer {
 public:
  BatchTracer(TraceRef trace, Array value, int axis)
      : Tracer(std::move(trace), without_axis(value.aval(), axis)), value(std::move(value)), axis(axis) {}
  const Array value;
  const int axis;
};

bool none_mapped(const std::vector<int>& axes) {
  return std::ranges::all_of(axes, [](int axis) { return axis == kNotMapped; });
}

}  // namespace

ShapedArray with_axis(const ShapedArray& aval, int axis, int64_t size) {
  std::vector<int64_t> sizes = aval.shape.dims();
  sizes.insert(sizes.begin() + axis, size);
  return {Shape(sizes), aval.dtype, aval.weak_type};
}

bool BatchTrace::is_own(const Trace& trace) const {
  if (&trace == this) return true;
  const auto* other = dynamic_cast<const BatchTrace*>(&trace);
  return other && other->origin_ == origin_;
}

Array BatchTrace::join(Array value, int axis) {
  if (axis == kNotMapped) return value;
  return Array(make_ref<BatchTracer>(TraceRef(this), std::move(value), axis));
}
Array BatchTrace::value(const Array& x) const {
  const Tracer* tracer = tracer_of(x);
  return tracer && is_own(*tracer->trace) ? static_cast<const BatchTracer*>(tracer)->value : x;
}
int BatchTrace::axis_of(const Array& x) const {
  const Tracer* tracer = tracer_of(x);
  return tracer && is_own(*tracer->trace) ? static_cast<const BatchTracer*>(tracer)->axis : kNotMapped;
}

BatchTrace::Split BatchTrace::split(const Arrays& operands) const {
  Split out;
  for (const Array& x : operands) {
    out.values.push_back(value(x));
    out.axes.push_back(axis_of(x));
  }
  return out;
}

Arrays BatchTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  const auto [values, axes] = split(operands);
  TraceScope scope(below_);
  const bool along = !axis_.name.empty() && primitive.uses_axis && primitive.uses_axis(params, axis_.name);
  if (none_mapped(axes) && !along) return bind_all(primitive, values, params);
  if (!primitive.batching) fail<UnimplementedError>("vmap", "the operation ", primitive.name(), " has no rule of batching");
  BatchResult result = primitive.batching(primitive, axis_, values, axes, params);
  Arrays out;
  for (size_t i = 0; i < result.values.size(); ++i) out.push_back(join(std::move(result.values[i]), result.axes[i]));
  return out;
}

namespace {

// Results of a batched function, each with the axis that it had the first time: an equation that
// was recorded and its derivative must agree.
class SettledAxes {
 public:
  explicit SettledAxes(std::vector<int> axes = {}) : axes_(std::move(axes)) {}
  Arrays settle(const Arrays& values, const std::vector<int>& axes, int64_t size) {
    if (axes_.empty()) axes_ = axes;
    Arrays out;
    for (size_t i = 0; i < values.size(); ++i) out.push_back(axes_[i] == axes[i] ? values[i] : match_axis(values[i], axes[i], axes_[i], size));
    return out;
  }
  const std::vector<int>& axes() const { return axes_; }

 private:
  std::vector<int> axes_;
};

// A function and its rule for all elements along an axis.
class BatchedCustomJvp final : public CustomJvp {
 public:
  BatchedCustomJvp(CustomJvpRef function, BatchAxis axis, std::vector<int> axes, std::vector<int> results = {}, Ref<const BatchTrace> origin = {})
      : function_(std::move(function)), axis_(std::move(axis)), axes_(std::move(axes)), origin_(std::move(origin)),
        results_(std::move(results)) {
    name = function_->name;
    rule_name = function_->rule_name;
    record = function_->record;
  }
  Arrays call(const Arrays& operands) const override {
    const BatchResult result = batch_flat([&](const Arrays& x) { return function_->call(x); }, axis_, operands, axes_, origin_.get());
    return results_.settle(result.values, result.axes, axis_.size);
  }
  JvpResult jvp(const Arrays& primals, const Tangents& tangents) const override {
    Arrays operands = primals;
    std::vector<int> axes = axes_;
    for (size_t i = 0; i < tangents.size(); ++i) {
      operands.push_back(instantiate(tangents[i]));
      axes.push_back(axes_[i]);
    }
    const auto body = [&](const Arrays& x) {
      const auto middle = x.begin() + static_cast<ptrdiff_t>(primals.size());
      JvpResult result = function_->jvp(Arrays(x.begin(), middle), Tangents(middle, x.end()));
      for (const Tangent& t : result.tangents) result.primals.push_back(instantiate(t));
      return result.primals;
    };
    const BatchResult result = batch_flat(body, axis_, operands, axes, origin_.get());
    const auto half = static_cast<ptrdiff_t>(result.values.size() / 2);
    std::vector<int> merged;  // a value and its tangent have one axis
    for (ptrdiff_t i = 0; i < half; ++i) merged.push_back(std::max(result.axes[i], result.axes[half + i]));
    JvpResult out;
    for (ptrdiff_t i = 0; i < half; ++i) {
      out.primals.push_back(match_axis(result.values[i], result.axes[i], merged[i], axis_.size));
      out.tangents.emplace_back(match_axis(result.values[half + i], result.axes[half + i], merged[i], axis_.size));
    }
    out.primals = results_.settle(out.primals, merged, axis_.size);
    for (size_t i = 0; i < out.tangents.size(); ++i)
      out.tangents[i] = match_axis(out.tangents[i].value(), merged[i], results_.axes()[i], axis_.size);
    return out;
  }
  const std::vector<int>& result_axes() const { return results_.axes(); }

 private:
  CustomJvpRef function_;
  BatchAxis axis_;
  std::vector<int> axes_;
  Ref<const BatchTrace> origin_;  // whose tracers the function may have captured
  mutable SettledAxes results_;
};

class BatchedCustomVjp final : public CustomVjp {
 public:
  BatchedCustomVjp(CustomVjpRef function, BatchAxis axis, std::vector<int> axes, std::vector<int> results = {}, Ref<const BatchTrace> origin = {})
      : function_(std::move(function)), axis_(std::move(axis)), axes_(std::move(axes)), origin_(std::move(origin)),
        results_(std::move(results)) {
    name = function_->name;
    forward_name = function_->forward_name;
    backward_name = function_->backward_name;
    record = function_->record;
    record_linear = function_->record_linear;
  }
  Arrays call(const Arrays& operands) const override {
    const BatchResult result = batch_flat([&](const Arrays& x) { return function_->call(x); }, axis_, operands, axes_, origin_.get());
    return results_.settle(result.values, result.axes, axis_.size);
  }
  Forward forward(const Arrays& operands) const override {
    size_t results = 0;
    const auto body = [&](const Arrays& x) {
      Forward out = function_->forward(x);
      results = out.results.size();
      out.results.insert(out.results.end(), out.residuals.begin(), out.residuals.end());
      return out.results;
    };
    const BatchResult all = batch_flat(body, axis_, operands, axes_, origin_.get());
    const auto middle = static_cast<ptrdiff_t>(results);
    Forward out;
    out.results = results_.settle(Arrays(all.values.begin(), all.values.begin() + middle),
                                  std::vector<int>(all.axes.begin(), all.axes.begin() + middle), axis_.size);
    out.residuals = residuals_.settle(Arrays(all.values.begin() + middle, all.values.end()),
                                      std::vector<int>(all.axes.begin() + middle, all.axes.end()), axis_.size);
    return out;
  }
  Cotangents backward(const Arrays& residuals, const Arrays& cotangents) const override {
    Arrays operands = residuals;
    std::vector<int> axes = residuals_.axes();
    for (size_t i = 0; i < cotangents.size(); ++i) {
      operands.push_back(cotangents[i]);
      axes.push_back(results_.axes()[i]);
    }
    const auto body = [&](const Arrays& x) {
      const auto middle = x.begin() + static_cast<ptrdiff_t>(residuals.size());
      Arrays out;
      for (const Cotangent& ct : function_->backward(Arrays(x.begin(), middle), Arrays(middle, x.end()))) out.push_back(instantiate(ct));
      return out;
    };
    const BatchResult result = batch_flat(body, axis_, operands, axes, origin_.get());
    Cotangents out;
    for (size_t i = 0; i < result.values.size(); ++i) {
      if (axes_[i] == kNotMapped && result.axes[i] != kNotMapped) out.emplace_back(lax::reduce_sum(result.values[i], {result.axes[i]}));
      else out.emplace_back(match_axis(result.values[i], result.axes[i], axes_[i], axis_.size));
    }
    return out;
  }
  const std::vector<int>& result_axes() const { return results_.axes(); }

 private:
  CustomVjpRef function_;
  BatchAxis axis_;
  std::vector<int> axes_;
  Ref<const BatchTrace> origin_;
  mutable SettledAxes results_, residuals_;
};

}  // namespace

template <class Batched>
static Arrays joined(BatchTrace& trace, const Arrays& values, const Batched& function) {
  Arrays out;
  for (size_t i = 0; i < values.size(); ++i) out.push_back(trace.join(values[i], function.result_axes()[i]));
  return out;
}

Arrays BatchTrace::process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) {
  const auto [values, axes] = split(operands);
  TraceScope scope(below_);  // also when nothing is mapped: the function may have captured what is
  auto batched = make_ref<BatchedCustomJvp>(function, axis_, axes, std::vector<int>(), Ref<const BatchTrace>(this));
  const Arrays results = current_trace().process_custom_jvp(CustomJvpRef(batched), values);
  return joined(*this, results, *batched);
}

Arrays BatchTrace::process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) {
  const auto [values, axes] = split(operands);
  TraceScope scope(below_);
  auto batched = make_ref<BatchedCustomVjp>(function, axis_, axes, std::vector<int>(), Ref<const BatchTrace>(this));
  const Arrays results = current_trace().process_custom_vjp(CustomVjpRef(batched), values);
  return joined(*this, results, *batched);
}

std::string BatchTrace::describe(const Tracer& tracer) const {
  const std::string where = site_str(tracer.made_at);
  return text(where.empty() ? "" : " (made at " + where + ")", ", which differs along a mapped axis of ", axis_.size, " elements",
              describe_behind(static_cast<const BatchTracer&>(tracer).value));
}
std::string BatchTrace::tracer_str(const Tracer& tracer) const {
  const auto& own = static_cast<const BatchTracer&>(tracer);
  return "BatchTracer(" + own.aval().str_short() + ", mapped along axis " + std::to_string(own.axis) + ")";
}

CustomJvpRef batched_custom_jvp(const CustomJvpRef& function, const BatchAxis& axis, const std::vector<int>& axes,
                                const std::vector<int>& results) {
  return CustomJvpRef(make_ref<BatchedCustomJvp>(function, axis, axes, results));
}

CustomVjpRef batched_custom_vjp(const CustomVjpRef& function, const BatchAxis& axis, const std::vector<int>& axes,
                                const std::vector<int>& results) {
  return CustomVjpRef(make_ref<BatchedCustomVjp>(function, axis, axes, results));
}

Array match_axis(const Array& value, int from, int to, int64_t size) {
  if (from == to) return value;
  if (to == kNotMapped)
    fail<ValueError>("vmap", "a result that differs along the mapped axis has out_axes none; got ", value.aval());
  if (from != kNotMapped) return move_axis(value, from, to);
  return broadcast_along(value, size, to);
}

BatchResult batch_flat(FunctionRef<Arrays(const Arrays&)> function, const BatchAxis& axis, const Arrays& operands,
                       const std::vector<int>& axes, const BatchTrace* origin) {
  auto trace = make_ref<BatchTrace>(current_trace_ref(), axis, origin);
  EndOf end{*trace};
  Arrays inputs;
  for (size_t i = 0; i < operands.size(); ++i) inputs.push_back(trace->join(operands[i], axes[i]));
  Arrays results;
  {
    TraceScope scope(trace);
    SiteReset site;
    NamedAxisScope named(axis);
    results = function(inputs);
  }
  BatchResult out;
  for (const Array& result : results) {
    out.values.push_back(trace->value(result));
    out.axes.push_back(trace->axis_of(result));
  }
  return out;
}

static BatchedJaxpr make_batched(const Jaxpr& jaxpr, const BatchAxis& axis, const std::vector<int>& axes, const std::vector<int>& wanted) {
  Avals avals = jaxpr.in_avals();
  for (size_t i = 0; i < avals.size(); ++i)
    if (axes[i] != kNotMapped) avals[i] = with_axis(avals[i], axes[i], axis.size);
  BatchedJaxpr out;
  auto body = [&](const Arrays& operands) {
    BatchResult result = batch_flat([&](const Arrays& x) { return eval_jaxpr(jaxpr, x); }, axis, operands, axes);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == kNotMapped) continue;
      result.values[i] = match_axis(result.values[i], result.axes[i], wanted[i], axis.size);
      result.axes[i] = wanted[i];
    }
    out.axes = result.axes;
    return result.values;
  };
  out.jaxpr = trace_to_jaxpr(body, avals, "vmap", jaxpr.id()->name);
  return out;
}

BatchedJaxpr batch_jaxpr(const Jaxpr& jaxpr, const BatchAxis& axis, const std::vector<int>& axes, const std::vector<int>& wanted) {
  static JaxprCache<BatchedJaxpr>* cache = new JaxprCache<BatchedJaxpr>;
  return cache->get(jaxpr, text(axis.size, " ", axis.name, " ", axes, " ", wanted), [&] { return make_batched(jaxpr, axis, axes, wanted); });
}

}  // namespace tenon::detail
