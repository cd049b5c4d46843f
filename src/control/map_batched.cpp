// map with a batch size: a scan over batches, each by vmap, and a last vmap over what is left.
#include "base/fail.h"
#include "control/carry.h"
#include "transforms/batch.h"

namespace tenon::detail {
namespace {

Shape with_leading(std::vector<int64_t> leading, const Shape& element) {
  leading.insert(leading.end(), element.begin(), element.end());
  return Shape(std::move(leading));
}
Shape element_shape(const Shape& shape, int axes) { return Shape(std::vector<int64_t>(shape.begin() + axes, shape.end())); }

// Elements from .. to of the leading axis.
Array leading_slice(const Array& x, int64_t from, int64_t to) {
  const Shape shape = x.shape();
  if (from == 0 && to == shape[0]) return x;
  std::vector<int64_t> start(shape.size()), limit(shape.begin(), shape.end());
  start[0] = from;
  limit[0] = to;
  return lax::slice(x, Shape(start), Shape(limit));
}

}  // namespace

FlatResult map_batched(FunctionRef<Outcome(const Arrays&)> function, const Arrays& xs, int64_t batch_size, const Loc& loc) {
  const char* who = "map";
  SiteScope site(loc);
  if (batch_size < 0) fail<ValueError>(who, "batch_size must not be negative; got ", batch_size);
  if (xs.empty()) fail<ValueError>(who, "there are no arrays to go along");
  for (const Array& x : xs)
    if (x.ndim() == 0 || x.shape()[0] != xs[0].shape()[0])
      fail<ValueError>(who, "the leading axes must have equal sizes; got ", avals_of(xs));
  const int64_t length = xs[0].shape()[0];
  const int64_t batches = batch_size == 0 ? 0 : length / batch_size, done = batches * batch_size;

  // A batch: the outcome with the elements side by side.
  const auto run_batch = [&](const Arrays& elements) {
    Outcome outcome;
    BatchResult result = batch_flat([&](const Arrays& leaves) { outcome = function(leaves); return outcome.tree.leaves; },
                                    {elements[0].shape()[0], ""}, elements, std::vector<int>(elements.size(), 0));
    for (size_t i = 0; i < result.values.size(); ++i)
      outcome.tree.leaves[i] = match_axis(result.values[i], result.axes[i], 0, elements[0].shape()[0]);
    return outcome;
  };
  Arrays batched, rest;
  for (const Array& x : xs) {
    if (batches > 0) {
      const Shape element = element_shape(x.shape(), 1);
      batched.push_back(lax::reshape(leading_slice(x, 0, done), with_leading({batches, batch_size}, element)));
    }
    if (done < length || batches == 0) rest.push_back(leading_slice(x, done, length));
  }
  FlatResult out;
  if (batches > 0) {
    out = scan([&](const Arrays& leaves) { return Step{{}, run_batch(leaves)}; }, nullptr, {}, batched, -1, false, 1, loc).ys;
  }
  if (rest.empty()) {
    for (Array& y : out.leaves) y = lax::reshape(y, with_leading({done}, element_shape(y.shape(), 2)));
    return out;
  }
  const Outcome last = run_batch(rest);
  if (batches == 0) return {last.tree.leaves, last.prototype};
  for (size_t i = 0; i < out.leaves.size(); ++i) {
    const Array first = lax::reshape(out.leaves[i], with_leading({done}, element_shape(out.leaves[i].shape(), 2)));
    out.leaves[i] = lax::concatenate({first, last.tree.leaves[i]}, 0);
  }
  return out;
}

}  // namespace tenon::detail
