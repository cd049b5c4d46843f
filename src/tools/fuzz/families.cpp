// The operations that random programs are made of. A new primitive gets a line here.
#include <algorithm>
#include <numeric>

#include "tools/fuzz/program.h"

namespace tenon::fuzz {
namespace {

using Fits = bool (*)(const Aval&);
bool any(const Aval&) { return true; }
bool is_float(const Aval& a) { return a.dtype.is_floating(); }
bool is_integer(const Aval& a) { return a.dtype.is_integer(); }
bool is_number(const Aval& a) { return !a.dtype.is_bool(); }
bool is_signed(const Aval& a) { return a.dtype.is_floating() || a.dtype.is_signed(); }
bool is_complex(const Aval& a) { return a.dtype.is_complex(); }
bool is_bits(const Aval& a) { return a.dtype.is_integer() || a.dtype.is_bool(); }
bool has_axes(const Aval& a) { return a.ndim() > 0; }

Op op_of(std::vector<int> operands, std::vector<int64_t> numbers = {}) { return {nullptr, std::move(operands), std::move(numbers)}; }

Family unary(const char* name, Fits fits, Array (*function)(const Operand&)) {
  return {name, 2,
          [fits](Builder& b) -> std::optional<Op> {
            auto x = b.value(fits);
            if (!x) return {};
            return op_of({*x});
          },
          [function](const Op&, const Arrays& x) { return function(x[0]); }};
}

// A value that goes with x: its own shape or a scalar, its dtype.
std::optional<int> partner(Builder& b, int x) {
  const Aval& a = b.aval(x);
  return b.value([&](const Aval& c) { return c.dtype == a.dtype && (c.shape == a.shape || c.shape.empty()); });
}

Family binary(const char* name, Fits fits, Array (*function)(const Operand&, const Operand&)) {
  return {name, 3,
          [fits](Builder& b) -> std::optional<Op> {
            auto x = b.value(fits);
            if (!x) return {};
            auto y = partner(b, *x);
            if (!y) return {};
            return b.chance(0.5) ? op_of({*x, *y}) : op_of({*y, *x});
          },
          [function](const Op&, const Arrays& x) { return function(x[0], x[1]); }};
}

std::vector<int64_t> some_axes(Builder& b, int ndim) {
  std::vector<int64_t> axes;
  for (int axis = 0; axis < ndim; ++axis) {
    if (b.chance(0.6)) axes.push_back(axis);
  }
  return axes;
}

Family reduction(const char* name, Fits fits, Array (*function)(const Operand&, const Axes&)) {
  return {name, 3,
          [fits](Builder& b) -> std::optional<Op> {
            auto x = b.value([&](const Aval& a) { return fits(a) && has_axes(a); });
            if (!x) return {};
            return op_of({*x}, some_axes(b, b.aval(*x).ndim()));
          },
          [function](const Op& op, const Arrays& x) { return function(x[0], Axes(op.numbers)); }};
}

Family arg_reduction(const char* name, Array (*function)(const Operand&, int, DType)) {
  return {name, 2,
          [](Builder& b) -> std::optional<Op> {
            auto x = b.value([](const Aval& a) { return has_axes(a) && std::ranges::find(a.shape.dims(), 0) == a.shape.end(); });
            if (!x) return {};
            return op_of({*x}, {b.pick(0, b.aval(*x).ndim() - 1)});
          },
          [function](const Op& op, const Arrays& x) { return function(x[0], static_cast<int>(op.numbers[0]), jnp::int32); }};
}

std::optional<Op> propose_convert(Builder& b) {
  auto x = b.value(any);
  if (!x) return {};
  return op_of({*x}, {b.dtype().code()});
}

std::optional<Op> propose_select(Builder& b) {
  auto which = b.value([](const Aval& a) { return a.dtype.is_bool(); });
  if (!which) return {};
  const Shape shape = b.aval(*which).shape;
  auto x = b.value([&](const Aval& a) { return shape.empty() || a.shape == shape; });
  if (!x) return {};
  auto y = b.value([&](const Aval& a) { return a.dtype == b.aval(*x).dtype && a.shape == b.aval(*x).shape; });
  if (!y) return {};
  return op_of({*which, *x, *y});
}

std::optional<Op> propose_clamp(Builder& b) {
  auto x = b.value(is_number);
  if (!x) return {};
  auto low = partner(b, *x), high = partner(b, *x);
  if (!low || !high || b.aval(*low).shape != b.aval(*high).shape) return {};
  return op_of({*low, *x, *high});
}

// Bounds may be the operand again, under another name too. At a bound the derivative is 0, as JAX's, and differences say 1.
Array apart(const Array& bound, double by) {
  return bound.dtype().is_floating() ? lax::mul(bound, Array(by).astype(bound.dtype())) : bound;
}

// numbers: for each result axis its size, then for each operand axis its place.
std::optional<Op> propose_broadcast(Builder& b) {
  auto x = b.value([](const Aval& a) { return a.ndim() < 4; });
  if (!x) return {};
  const Aval& a = b.aval(*x);
  const int64_t rank = b.pick(a.ndim(), 4);
  std::vector<int64_t> places(rank);
  std::iota(places.begin(), places.end(), 0);
  while (static_cast<int>(places.size()) > a.ndim()) places.erase(places.begin() + b.pick(0, static_cast<int64_t>(places.size()) - 1));
  Shape shape;
  for (int64_t axis = 0; axis < rank; ++axis) shape.push_back(b.one_of<int64_t>({1, 2, 3, 8, 17}));
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (a.shape[axis] != 1) shape[places[axis]] = a.shape[axis];
  }
  if (!b.is_small(shape)) return {};
  Op op = op_of({*x}, shape.dims());
  op.numbers.insert(op.numbers.end(), places.begin(), places.end());
  return op;
}
Array apply_broadcast(const Op& op, const Arrays& x) {
  const auto rank = static_cast<int64_t>(op.numbers.size()) - x[0].ndim();
  return lax::broadcast_in_dim(x[0], Shape(std::vector<int64_t>(op.numbers.begin(), op.numbers.begin() + rank)),
                               Axes(std::vector<int64_t>(op.numbers.begin() + rank, op.numbers.end())));
}

std::optional<Op> propose_reshape(Builder& b) {
  auto x = b.value(any);
  if (!x) return {};
  std::vector<int64_t> sizes = b.aval(*x).shape.dims();
  for (int64_t round = b.pick(1, 3); round > 0; --round) {
    if (sizes.size() > 1 && b.chance(0.5)) {
      const int64_t i = b.pick(0, static_cast<int64_t>(sizes.size()) - 2);
      sizes[i] *= sizes[i + 1];
      sizes.erase(sizes.begin() + i + 1);
    } else if (!sizes.empty() && sizes.size() < 5) {
      const int64_t i = b.pick(0, static_cast<int64_t>(sizes.size()) - 1);
      for (int64_t by : {2, 3, 5, 7, 1}) {
        if (sizes[i] % by != 0 || b.chance(0.3)) continue;
        sizes[i] /= by;
        sizes.insert(sizes.begin() + i, by);
        break;
      }
    } else {
      sizes.push_back(1);
    }
  }
  return op_of({*x}, sizes);
}

std::optional<Op> propose_transpose(Builder& b) {
  auto x = b.value([](const Aval& a) { return a.ndim() >= 2; });
  if (!x) return {};
  std::vector<int64_t> order(b.aval(*x).ndim());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[b.pick(0, static_cast<int64_t>(i) - 1)]);
  return op_of({*x}, order);
}

// numbers: starts, limits, strides.
std::optional<Op> propose_slice(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  std::vector<int64_t> starts, limits, strides;
  for (int64_t size : b.aval(*x).shape) {
    starts.push_back(b.chance(0.5) ? 0 : b.pick(0, size));
    limits.push_back(b.chance(0.5) ? size : b.pick(starts.back(), size));
    strides.push_back(b.chance(0.7) ? 1 : b.pick(2, 4));
  }
  Op op = op_of({*x}, starts);
  op.numbers.insert(op.numbers.end(), limits.begin(), limits.end());
  op.numbers.insert(op.numbers.end(), strides.begin(), strides.end());
  return op;
}
Array apply_slice(const Op& op, const Arrays& x) {
  const int n = x[0].ndim();
  const auto part = [&](int k) { return Shape(std::vector<int64_t>(op.numbers.begin() + k * n, op.numbers.begin() + (k + 1) * n)); };
  return lax::slice(x[0], part(0), part(1), part(2));
}

std::optional<Op> propose_concatenate(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  const Aval a = b.aval(*x);
  const int64_t axis = b.pick(0, a.ndim() - 1);
  const auto fits = [&](const Aval& c) {
    if (c.dtype != a.dtype || c.ndim() != a.ndim()) return false;
    for (int i = 0; i < a.ndim(); ++i) {
      if (i != axis && c.shape[i] != a.shape[i]) return false;
    }
    return true;
  };
  Op op = op_of({*x}, {axis});
  for (int64_t more = b.pick(1, 2); more > 0; --more) op.operands.push_back(*b.value(fits));
  return op;
}

std::optional<Op> propose_take(Builder& b) {
  auto x = b.value([](const Aval& a) { return has_axes(a) && a.dtype.itemsize() <= 4; });
  auto indices = b.value([](const Aval& a) { return a.dtype == jnp::int32 && a.ndim() <= 1; });
  if (!x || !indices) return {};
  return op_of({*x, *indices}, {b.pick(0, b.aval(*x).ndim() - 1), b.pick(0, 1)});
}
Array apply_take(const Op& op, const Arrays& x) {
  return jnp::take(x[0], x[1], {.axis = static_cast<int>(op.numbers[0]), .mode = op.numbers[1] ? jnp::TakeMode::clip : jnp::TakeMode::fill});
}

std::optional<Op> propose_dynamic_slice(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  Op op = op_of({*x});
  for (int64_t size : b.aval(*x).shape) {
    auto start = b.value([](const Aval& a) { return a.dtype == jnp::int32 && a.ndim() == 0; });
    if (!start) return {};
    op.operands.push_back(*start);
    op.numbers.push_back(b.pick(0, size));
  }
  return op;
}

std::optional<Op> propose_update_slice(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  const Aval a = b.aval(*x);
  auto update = b.value([&](const Aval& c) {
    return c.dtype == a.dtype && c.ndim() == a.ndim() && std::ranges::equal(c.shape.dims(), a.shape.dims(), std::less_equal<>());
  });
  Op op = op_of({*x, *update});
  for (int axis = 0; axis < a.ndim(); ++axis) {
    auto start = b.value([](const Aval& c) { return c.dtype == jnp::int32 && c.ndim() == 0; });
    if (!start) return {};
    op.operands.push_back(*start);
  }
  return op;
}

// numbers: low, high, interior of each axis.
std::optional<Op> propose_pad(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  const Aval a = b.aval(*x);
  auto value = b.value([&](const Aval& c) { return c.dtype == a.dtype && c.ndim() == 0; });
  if (!value) return {};
  Op op = op_of({*x, *value});
  for (int axis = 0; axis < a.ndim(); ++axis) {
    for (int64_t most : {3, 3, 2}) op.numbers.push_back(b.chance(0.6) ? 0 : b.pick(most == 3 ? -2 : 0, most));
  }
  return op;
}
Array apply_pad(const Op& op, const Arrays& x) {
  std::vector<lax::PaddingConfig::Axis> axes;
  for (size_t k = 0; k < op.numbers.size(); k += 3) axes.push_back({op.numbers[k], op.numbers[k + 1], op.numbers[k + 2]});
  return lax::pad(x[0], x[1], lax::PaddingConfig(axes));
}

Family cumulative(const char* name, Array (*function)(const Operand&, int, bool)) {
  return {name, 1,
          [](Builder& b) -> std::optional<Op> {
            auto x = b.value([](const Aval& a) { return is_number(a) && has_axes(a); });
            if (!x) return {};
            return op_of({*x}, {b.pick(0, b.aval(*x).ndim() - 1), b.pick(0, 1)});
          },
          [function](const Op& op, const Arrays& x) { return function(x[0], static_cast<int>(op.numbers[0]), op.numbers[1] != 0); }};
}

Family summing(Family family) {
  family.sums = true;
  return family;
}

std::optional<Op> propose_sort(Builder& b) {
  auto x = b.value(has_axes);
  if (!x) return {};
  return op_of({*x}, {b.pick(0, b.aval(*x).ndim() - 1)});
}

// numbers: the axis along which it counts. The shape and dtype are those of a value.
std::optional<Op> propose_iota(Builder& b) {
  auto x = b.value([](const Aval& a) { return is_number(a) && has_axes(a); });
  if (!x) return {};
  const Aval& a = b.aval(*x);
  return op_of({*x}, {b.pick(0, a.ndim() - 1)});
}

// Products of whole numbers up to 3: exact in any order of summation.
std::optional<Op> propose_dot(Builder& b) {
  auto x = b.value([](const Aval& a) { return a.dtype == jnp::float32 && (a.ndim() == 1 || a.ndim() == 2); });
  if (!x) return {};
  const int64_t inner = b.aval(*x).shape.back();
  auto y = b.value([&](const Aval& a) { return a.dtype == jnp::float32 && (a.ndim() == 1 || a.ndim() == 2) && a.shape[0] == inner; });
  if (!y) return {};
  return op_of({*x, *y});
}
Array whole(const Array& x) { return lax::round(lax::clamp(jnp::float32(-3), x, jnp::float32(3))); }

}  // namespace

const std::vector<Family>& families() {
  static const auto* list = new std::vector<Family>{
      unary("neg", is_number, lax::neg),
      unary("sign", is_number, lax::sign),
      unary("abs", is_signed, lax::abs),
      unary("floor", is_float, lax::floor),
      unary("is_finite", is_float, lax::is_finite),
      unary("exp", is_float, lax::exp),
      unary("log", is_float, lax::log),
      unary("sin", is_float, lax::sin),
      unary("cos", is_float, lax::cos),
      unary("tanh", is_float, lax::tanh),
      unary("logistic", is_float, lax::logistic),
      unary("sqrt", is_float, lax::sqrt),
      unary("rsqrt", is_float, lax::rsqrt),
      unary("square", is_number, lax::square),
      unary("not", is_bits, lax::bitwise_not),
      unary("copy", any, lax::copy),
      unary("optimization_barrier", any, lax::optimization_barrier),
      unary("expm1", is_float, lax::expm1),
      unary("log1p", is_float, lax::log1p),
      unary("tan", is_float, lax::tan),
      unary("erf", is_float, lax::erf),
      unary("cbrt", is_float, lax::cbrt),
      unary("population_count", is_integer, lax::population_count),
      unary("clz", is_integer, lax::clz),
      unary("real", is_complex, lax::real),
      unary("imag", is_complex, lax::imag),
      unary("exp of complex", is_complex, lax::exp),
      unary("log of complex", is_complex, lax::log),
      unary("sqrt of complex", is_complex, lax::sqrt),
      {"round", 2, [](Builder& b) -> std::optional<Op> {
         auto x = b.value(is_float);
         return x ? std::optional(op_of({*x}, {b.pick(0, 1)})) : std::nullopt;
       }, [](const Op& op, const Arrays& x) { return lax::round(x[0], static_cast<lax::RoundingMethod>(op.numbers[0])); }},
      {"integer_pow", 2, [](Builder& b) -> std::optional<Op> {
         auto x = b.value(is_number);
         return x ? std::optional(op_of({*x}, {b.pick(is_float(b.aval(*x)) ? -4 : 0, 7)})) : std::nullopt;
       }, [](const Op& op, const Arrays& x) { return lax::integer_pow(x[0], static_cast<int>(op.numbers[0])); }},
      binary("add", is_number, lax::add),
      binary("sub", is_number, lax::sub),
      binary("mul", is_number, lax::mul),
      binary("div", is_number, lax::div),
      binary("rem", is_number, lax::rem),
      binary("pow", is_float, lax::pow),
      binary("atan2", is_float, lax::atan2),
      binary("nextafter", is_float, lax::nextafter),
      binary("complex", is_float, lax::complex),
      binary("max", any, lax::max),
      binary("min", any, lax::min),
      binary("and", is_bits, lax::bitwise_and),
      binary("or", is_bits, lax::bitwise_or),
      binary("xor", is_bits, lax::bitwise_xor),
      binary("shift_left", is_integer, lax::shift_left),
      binary("shift_right_arithmetic", is_integer, lax::shift_right_arithmetic),
      binary("shift_right_logical", is_integer, lax::shift_right_logical),
      binary("eq", any, lax::eq),
      binary("ne", any, lax::ne),
      binary("lt", any, lax::lt),
      binary("ge", any, lax::ge),
      {"convert_element_type", 6, propose_convert,
       [](const Op& op, const Arrays& x) { return lax::convert_element_type(x[0], DType(static_cast<int>(op.numbers[0]))); }},
      {"select", 6, propose_select, [](const Op&, const Arrays& x) { return lax::select(x[0], x[1], x[2]); }},
      {"clamp", 3, propose_clamp, [](const Op&, const Arrays& x) { return lax::clamp(apart(x[0], 0.75), x[1], apart(x[2], 1.25)); }},
      {"broadcast_in_dim", 8, propose_broadcast, apply_broadcast},
      {"reshape", 6, propose_reshape, [](const Op& op, const Arrays& x) { return lax::reshape(x[0], Shape(op.numbers)); }},
      {"transpose", 6, propose_transpose, [](const Op& op, const Arrays& x) { return lax::transpose(x[0], Axes(op.numbers)); }},
      {"slice", 6, propose_slice, apply_slice},
      {"rev", 3, [](Builder& b) -> std::optional<Op> {
         auto x = b.value(has_axes);
         return x ? std::optional(op_of({*x}, some_axes(b, b.aval(*x).ndim()))) : std::nullopt;
       }, [](const Op& op, const Arrays& x) { return lax::rev(x[0], Axes(op.numbers)); }},
      {"concatenate", 4, propose_concatenate,
       [](const Op& op, const Arrays& x) { return lax::concatenate(x, static_cast<int>(op.numbers[0])); }},
      {"take", 4, propose_take, apply_take},
      {"dynamic_slice", 3, propose_dynamic_slice,
       [](const Op& op, const Arrays& x) { return lax::dynamic_slice(x[0], Arrays(x.begin() + 1, x.end()), Shape(op.numbers)); }},
      {"dynamic_update_slice", 2, propose_update_slice,
       [](const Op&, const Arrays& x) { return lax::dynamic_update_slice(x[0], x[1], Arrays(x.begin() + 2, x.end())); }},
      {"pad", 4, propose_pad, apply_pad},
      {"iota", 2, propose_iota,
       [](const Op& op, const Arrays& x) { return lax::broadcasted_iota(x[0].dtype(), x[0].shape(), static_cast<int>(op.numbers[0])); }},
      {"sort", 2, propose_sort, [](const Op& op, const Arrays& x) { return lax::sort(x[0], {.dimension = static_cast<int>(op.numbers[0])}); }},
      summing(cumulative("cumsum", lax::cumsum)),
      summing(cumulative("cumprod", lax::cumprod)),
      cumulative("cummax", lax::cummax),
      cumulative("cummin", lax::cummin),
      summing(reduction("reduce_sum", is_number, lax::reduce_sum)),
      summing(reduction("reduce_prod", is_number, lax::reduce_prod)),
      reduction("reduce_max", any, lax::reduce_max),
      reduction("reduce_min", any, lax::reduce_min),
      reduction("reduce_and", is_bits, lax::reduce_and),
      reduction("reduce_or", is_bits, lax::reduce_or),
      arg_reduction("argmax", lax::argmax),
      arg_reduction("argmin", lax::argmin),
      {"dot", 4, propose_dot, [](const Op&, const Arrays& x) { return lax::dot(whole(x[0]), whole(x[1])); }},
  };
  return *list;
}

}  // namespace tenon::fuzz
