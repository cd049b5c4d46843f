#include "ops/batch.h"

#include <algorithm>

#include "base/fail.h"
#include "core/elementwise.h"

namespace tenon::detail {

// float0 arrays have a shape and nothing to compute with.
static Array float0_of(std::vector<int64_t> sizes) {
  return instantiate(Tangent::zero({Shape(std::move(sizes)), DType(DType::kFloat0), false}));
}

Array move_axis(const Array& x, int from, int to) {
  if (from == to) return x;
  if (x.dtype().code() == DType::kFloat0) {
    std::vector<int64_t> sizes = x.shape().dims();
    const int64_t size = sizes[static_cast<size_t>(from)];
    sizes.erase(sizes.begin() + from);
    sizes.insert(sizes.begin() + to, size);
    return float0_of(std::move(sizes));
  }
  std::vector<int64_t> permutation;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != from) permutation.push_back(i);
  permutation.insert(permutation.begin() + to, from);
  return lax::transpose(x, Axes(permutation));
}

Array broadcast_along(const Array& x, int64_t size, int axis) {
  std::vector<int64_t> sizes = x.shape().dims();
  sizes.insert(sizes.begin() + axis, size);
  if (x.dtype().code() == DType::kFloat0) return float0_of(std::move(sizes));
  Axes kept;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i)
    if (i != axis) kept.push_back(i);
  return lax::broadcast_in_dim(x, Shape(sizes), kept);
}

// What takes a batch as it is, and the choice, whose scalar may not.
bool is_elementwise(const Primitive& primitive) {
  return primitive.batching == lax::batch_elementwise || primitive.batching == lax::batch_unary || &primitive == &lax::select_n_p;
}

}  // namespace tenon::detail

namespace tenon::lax {

Array batch_at_front(const Array& x, int axis, int64_t size) {
  return axis == kNotMapped ? broadcast_along(x, size, 0) : move_axis(x, axis, 0);
}

BatchResult batch_unary(const Primitive& self, const BatchAxis&, const Arrays& operands, const std::vector<int>& axes,
                        const EqnParams& params) {
  TENON_CHECK(operands.size() == 1, self.name());
  BatchResult out{bind_all(self, operands, params), {}};
  out.axes.assign(out.values.size(), axes[0]);
  return out;
}

BatchResult batch_elementwise(const Primitive& self, const BatchAxis&, const Arrays& operands, const std::vector<int>& axes,
                              const EqnParams& params) {
  const size_t first = std::ranges::find_if(axes, [](int axis) { return axis != kNotMapped; }) - axes.begin();
  TENON_CHECK(first < axes.size(), self.name());
  bool agree = true;
  int ndim = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].ndim() > 0) agree &= axes[i] == axes[first] && operands[i].shape() == operands[first].shape();
  }
  Arrays values = operands;
  if (!agree) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].ndim() > 0) values[i] = batch_at_front(values[i], axes[i], 1);
      ndim = std::max(ndim, values[i].ndim());
    }
    for (size_t i = 0; i < values.size(); ++i) {  // a scalar for each element, next to arrays
      if (axes[i] == kNotMapped || values[i].ndim() == ndim) continue;
      Axes added;
      for (int d = values[i].ndim(); d < ndim; ++d) added.push_back(d);
      values[i] = expand_dims(values[i], added);
    }
  }
  BatchResult out{bind_all(self, values, params), {}};
  out.axes.assign(out.values.size(), agree ? axes[first] : 0);
  return out;
}

BatchResult batch_reduction(const Primitive& self, const BatchAxis&, const Arrays& operands, const std::vector<int>& axes,
                            const EqnParams& params) {
  const Axes reduced = batched_axes(params.get<Axes>("axes"), axes[0]);
  const auto before = std::ranges::count_if(reduced, [&](int64_t axis) { return axis < axes[0]; });
  BatchResult out{bind_all(self, operands, params.with("axes", reduced)), {}};
  out.axes.assign(out.values.size(), axes[0] - static_cast<int>(before));
  return out;
}

}  // namespace tenon::lax
