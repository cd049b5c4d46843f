// scan: a program once for each element of the leading axis. Operands: what the body captures (num_consts), the carry
// (num_carry), arrays to go along (xs). Results: the last carry, and what the body gave at each element, stacked (ys).
// `unroll` elements are done in one trip of the loop; it lowers as JAX's: to a while over the trips, the rest behind it.
#include "control/rules.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

static Shape with_leading(std::vector<int64_t> leading, const Shape& shape) {
  leading.insert(leading.end(), shape.begin(), shape.end());
  return Shape(std::move(leading));
}

static Avals scan_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "scan";
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  const int64_t length = params.get<int64_t>("length");
  const auto num_consts = static_cast<size_t>(params.get<int64_t>("num_consts")), num_carry = static_cast<size_t>(params.get<int64_t>("num_carry"));
  Avals out = jaxpr.out_avals();
  if (in.size() != jaxpr.invars().size() || num_consts + num_carry > in.size() || num_carry > out.size())
    fail<TypeError>(who, "operands must be the inputs of the body; got ", in.size(), " operands and a body of ", jaxpr.invars().size(),
                    " inputs and ", out.size(), " results for a carry of ", num_carry);
  for (size_t i = num_consts + num_carry; i < in.size(); ++i)
    if (in[i].shape.empty() || in[i].shape[0] != length)
      fail<ShapeError>(who, "the leading axis must have the size ", length, "; got ", in[i]);
  for (size_t i = num_carry; i < out.size(); ++i) out[i].shape = with_leading({length}, out[i].shape);
  return out;
}

namespace {

class ScanLowering {
 public:
  ScanLowering(StablehloBuilder& b, const Values& x, const EqnParams& params)
      : b_(b),
        jaxpr_(params.get<Jaxpr>("jaxpr")),
        length_(params.get<int64_t>("length")),
        unroll_(params.get<int64_t>("unroll")),
        reverse_(params.get<bool>("reverse")),
        y_avals_(jaxpr_.out_avals()) {
    auto at = x.begin();
    auto take = [&](Values& part, int64_t count) {
      part.assign(at, at + count);
      at += count;
    };
    take(consts_, params.get<int64_t>("num_consts"));
    take(carry_, params.get<int64_t>("num_carry"));
    take(xs_, x.end() - at);
    y_avals_.erase(y_avals_.begin(), y_avals_.begin() + static_cast<std::ptrdiff_t>(carry_.size()));
  }

  Values run() {
    int64_t trips = unroll_ == 0 ? 0 : length_ / unroll_, rest = unroll_ == 0 ? length_ : length_ % unroll_;
    if (unroll_ != 1 && trips == 1 && rest == 0) trips = 0, rest = length_;  // straight code
    const bool blocks = unroll_ != 1;
    Values xs = xs_, xs_rest;
    if (blocks && rest > 0) {
      for (Value& x : xs) {
        const int64_t cut = reverse_ ? rest : trips * unroll_;
        Value first = leading_slice(x, 0, cut), second = leading_slice(x, cut, length_);
        xs_rest.push_back(reverse_ ? first : second);
        x = reverse_ ? second : first;
      }
    }
    if (blocks && trips > 0)
      for (Value& x : xs) x = b_.reshape(x, with_leading({trips, unroll_}, without_leading(x.aval().shape)));
    Values ys;
    for (const Aval& y : y_avals_)
      ys.push_back(empty(y, blocks && trips > 0 ? std::vector<int64_t>{trips, unroll_} : std::vector<int64_t>{trips * unroll_}));
    if (trips > 0) loop(trips, xs, ys);
    if (blocks && trips > 0)
      for (Value& y : ys) y = b_.reshape(y, with_leading({trips * unroll_}, without_leading(without_leading(y.aval().shape))));
    if (rest > 0) {
      const Values more = straight(rest, xs_rest);
      for (size_t i = 0; i < ys.size(); ++i)
        ys[i] = reverse_ ? b_.concatenate({more[i], ys[i]}, 0) : b_.concatenate({ys[i], more[i]}, 0);
    }
    Values results = carry_;
    results.insert(results.end(), ys.begin(), ys.end());
    return results;
  }

 private:
  static Shape without_leading(const Shape& shape) { return Shape(std::vector<int64_t>(shape.begin() + 1, shape.end())); }
  Value leading_slice(const Value& x, int64_t begin, int64_t end) {
    const Shape shape = x.aval().shape;
    std::vector<int64_t> start(shape.size()), limit(shape.begin(), shape.end());
    start[0] = begin;
    limit[0] = end;
    return b_.slice(x, start, limit, std::vector<int64_t>(shape.size(), 1));
  }
  // Where results are put.
  Value empty(const Aval& y, std::vector<int64_t> leading) {
    Axes last;
    if (!y.dtype.is_prng_key()) return b_.broadcast_in_dim(b_.constant(0, y.dtype), with_leading(leading, y.shape), {});
    const uint32_t zero[2] = {0, 0};
    const Value key = b_.constant_array({{2}, DType(DType::kUInt32)}, zero).as_keys();
    return b_.broadcast_in_dim(key, with_leading(leading, y.shape), {});
  }

  // x[index], and y with y[index] = update: functions, as in JAX.
  Value element(const Value& x, const Value& index) {
    return b_.call("dynamic_index_in_dim", {{"axis", 0}}, {x, index}, [](StablehloBuilder& b, const Values& v) -> Values {
      const Shape shape = v[0].aval().shape;
      std::vector<int64_t> sizes(shape.begin(), shape.end());
      sizes[0] = 1;
      return {b.reshape(b.dynamic_slice(v[0], starts(b, v[1], shape.ndim()), sizes), without_leading(shape))};
    })[0];
  }
  Value with_element(const Value& y, const Value& update, const Value& index) {
    return b_.call("dynamic_update_index_in_dim", {{"axis", 0}}, {y, update, index}, [](StablehloBuilder& b, const Values& v) -> Values {
      const Shape shape = v[1].aval().shape;
      Axes dims;
      for (int i = 1; i <= shape.ndim(); ++i) dims.push_back(i);
      const Value block = b.broadcast_in_dim(v[1], with_leading({1}, shape), dims);
      return {b.dynamic_update_slice(v[0], block, starts(b, v[2], shape.ndim() + 1))};
    })[0];
  }
  static Values starts(StablehloBuilder& b, const Value& index, int ndim) {
    Values all = {index};
    while (all.size() < static_cast<size_t>(ndim)) all.push_back(b.constant_integer(0, index.aval().dtype));
    return all;
  }

  // The body on one element: the carry moves on, the results are given.
  Values step(StablehloBuilder& b, const Values& consts, const Values& xs) {
    Values inputs = consts;
    inputs.insert(inputs.end(), carry_.begin(), carry_.end());
    inputs.insert(inputs.end(), xs.begin(), xs.end());
    Values out = b.inlined(jaxpr_, inputs, "eval_jaxpr");
    const auto middle = out.begin() + static_cast<std::ptrdiff_t>(carry_.size());
    carry_.assign(out.begin(), middle);
    return Values(middle, out.end());
  }
  // `count` elements, one after the other; their results stacked.
  Values straight(int64_t count, const Values& xs) {
    std::vector<Values> ys;  // by element
    for (int64_t k = 0; k < count; ++k) {
      const int64_t i = reverse_ ? count - k - 1 : k;
      Values x;
      for (const Value& all : xs) x.push_back(b_.reshape(leading_slice(all, i, i + 1), without_leading(all.aval().shape)));
      ys.push_back(step(b_, consts_, x));
    }
    if (reverse_) std::ranges::reverse(ys);
    Values stacked;
    for (size_t i = 0; i < y_avals_.size(); ++i) {
      Values parts;
      for (const Values& y : ys) {
        const Shape shape = y[i].aval().shape;
        Axes dims;
        for (int axis = 1; axis <= shape.ndim(); ++axis) dims.push_back(axis);
        parts.push_back(b_.broadcast_in_dim(y[i], with_leading({1}, shape), dims));
      }
      stacked.push_back(parts.size() == 1 ? parts[0] : b_.concatenate(parts, 0));
    }
    return stacked;
  }

  // Carried: xs and constants, which stay what they are, the trip, the carry, the results so far.
  void loop(int64_t trips, const Values& xs, Values& ys) {
    const Value first = b_.constant_integer(0, index_dtype());
    Values initial;
    auto add = [&](const Values& values) { initial.insert(initial.end(), values.begin(), values.end()); };
    add(xs);
    add(consts_);
    const auto trip_at = static_cast<std::ptrdiff_t>(initial.size());
    const auto carry_at = trip_at + 1, ys_at = carry_at + static_cast<std::ptrdiff_t>(carry_.size());
    add({first});
    add(carry_);
    add(ys);
    Avals avals;
    for (const Value& v : initial) avals.push_back(v.aval());
    const auto num_xs = static_cast<std::ptrdiff_t>(xs.size());
    auto decide = [&](StablehloBuilder& in, const Values& v) -> Values {
      return {in.compare(v[static_cast<size_t>(trip_at)], in.constant_integer(trips, index_dtype()), ComparisonDirection::LT)};
    };
    auto body = [&](StablehloBuilder& in, const Values& v) -> Values {
      const Value trip = v[static_cast<size_t>(trip_at)];
      Value index = trip;
      if (reverse_) index = in.subtract(in.subtract(in.constant_integer(trips, index_dtype()), trip), in.constant_integer(1, index_dtype()));
      Values x;
      for (std::ptrdiff_t i = 0; i < num_xs; ++i) x.push_back(element(v[static_cast<size_t>(i)], index));
      const Values outer_consts = std::exchange(consts_, Values(v.begin() + num_xs, v.begin() + trip_at));
      carry_.assign(v.begin() + carry_at, v.begin() + ys_at);
      const Values y = unroll_ == 1 ? step(in, consts_, x) : straight(unroll_, x);
      Values next(v.begin(), v.begin() + trip_at);
      Values updated;
      for (size_t i = 0; i < y.size(); ++i) updated.push_back(with_element(v[static_cast<size_t>(ys_at) + i], y[i], index));
      next.push_back(in.add(trip, in.constant_integer(1, index_dtype())));
      next.insert(next.end(), carry_.begin(), carry_.end());
      next.insert(next.end(), updated.begin(), updated.end());
      consts_ = outer_consts;
      return next;
    };
    const Values results = b_.while_(initial, Region{avals, decide}, Region{avals, body});
    carry_.assign(results.begin() + carry_at, results.begin() + ys_at);
    ys.assign(results.begin() + ys_at, results.end());
  }

  static DType index_dtype() { return Array(0).dtype(); }

  StablehloBuilder& b_;
  const Jaxpr& jaxpr_;
  const int64_t length_, unroll_;
  const bool reverse_;
  Avals y_avals_;
  Values consts_, carry_, xs_;
};

}  // namespace

constinit const Primitive scan_p{
    .name = "scan",
    .abstract_eval = scan_abstract_eval,
    .jvp = scan_jvp,
    .linearize = scan_linearize,
    .transpose = scan_transpose,
    .batching = scan_batching,
    .prune = scan_prune,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) { return ScanLowering(b, x, params).run(); },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("jaxpr").effects(); },
};

}  // namespace tenon::detail
