// An interpreter of jaxprs: values are arrays, and whether an implementation may have others there. Loops and branches
// are run here, trip by trip, so that noise is everywhere.
#include "noisy_run.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string_view>
#include <unordered_map>

#include "tenon/primitive.h"

namespace tenon::oracle {
namespace {

struct Value {
  Array array;
  bool is_rounded = false;  // another implementation may have other elements
};
using ValueList = std::vector<Value>;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) { return std::ranges::find(names, name) != names.end(); }

// Gives elements of its operands, or decides between them.
bool moves(std::string_view name) {
  return is_one_of(name, {"argmax", "argmin", "bitcast_convert_type", "broadcast_in_dim", "ceil", "clamp", "complex", "concatenate", "conj", "copy",
                          "cummax", "cummin", "dynamic_slice", "dynamic_update_slice", "floor", "gather", "imag", "iota", "max", "min", "neg",
                          "nextafter", "optimization_barrier", "pad", "real", "reduce_max", "reduce_min", "reshape", "rev", "round", "scatter",
                          "select_n", "slice", "sort", "split", "squeeze", "stack", "stop_gradient", "tile", "transpose", "unstack"});
}
// Of real numbers: exact.
bool is_exact_of_reals(std::string_view name) { return is_one_of(name, {"abs", "sign"}); }
// Rounds, but everywhere alike: the result nearest to the exact one. Roots: of real numbers.
bool rounds_correctly(std::string_view name, bool is_complex) {
  return is_one_of(name, {"add", "add_any", "sub", "convert_element_type", "rem"}) || (name == "sqrt" && !is_complex);
}

bool is_half(DType dtype) { return dtype.is_floating() && dtype.bits() == 16; }
bool is_inexact(const Array& x) { return x.dtype().is_floating() || x.dtype().is_complex(); }
DType part_of(DType dtype) { return dtype == jnp::complex64 ? DType(jnp::float32) : dtype == jnp::complex128 ? DType(jnp::float64) : dtype; }
double epsilon(DType part) { return std::exp2(part == jnp::float64 ? -52 : part == jnp::float32 ? -23 : part == jnp::float16 ? -10 : -7); }

// The elements of an inexact array, on the host.
struct Elements {
  Shape shape;
  DType dtype;
  std::vector<double> real, imag;  // imag is empty for real numbers

  explicit Elements(const Array& x) : shape(x.shape()), dtype(x.dtype()) {
    if (dtype.is_complex()) real = lax::real(x).to_vector<double>(), imag = lax::imag(x).to_vector<double>();
    else real = x.to_vector<double>();
  }
  Array array() const {
    const auto put = [&](const std::vector<double>& part) -> Array {
      if (part_of(dtype) == jnp::float64) return device_put(HostView(part.data(), shape));
      const std::vector<float> narrow(part.begin(), part.end());
      return lax::convert_element_type(device_put(HostView(narrow.data(), shape)), part_of(dtype));
    };
    return dtype.is_complex() ? lax::complex(put(real), put(imag)) : put(real);
  }
  bool are_whole() const {
    const double limit = 1 / (epsilon(part_of(dtype)) * static_cast<double>(std::max<size_t>(real.size(), 1)));
    const auto is_whole = [&](double v) { return v == std::floor(v) && std::abs(v) <= limit; };
    return std::ranges::all_of(real, is_whole) && std::ranges::all_of(imag, is_whole);
  }
  /// Adds such a part of its size to an element; of the size of the whole number where it is complex.
  void disturb(size_t i, double by_real, double by_imag) {
    if (imag.empty()) {
      real[i] += real[i] * by_real;
      return;
    }
    const double size = std::hypot(real[i], imag[i]);
    if (!std::isfinite(size)) return;
    real[i] += size * by_real, imag[i] += size * by_imag;
  }
  void flush() {
    for (std::vector<double>* part : {&real, &imag})
      for (double& v : *part)
        if (std::abs(v) < least_normal(part_of(dtype))) v = std::copysign(0.0, v);
  }
};

class Run {
 public:
  explicit Run(const Noise& noise) : noise_(noise), random_(noise.seed) {}

  ValueList call(const Jaxpr& jaxpr, const ValueList& inputs) {
    std::unordered_map<const void*, Value> values;
    const auto read = [&](const Var& v) { return v.is_literal() ? Value{v.literal()} : values.at(v.id()); };
    for (size_t k = 0; k < jaxpr.consts().size(); ++k) values[jaxpr.constvars()[k].id()] = {jaxpr.consts()[k]};
    for (size_t k = 0; k < inputs.size(); ++k) values[jaxpr.invars()[k].id()] = inputs[k];
    for (const Eqn& eqn : jaxpr.eqns()) {
      ValueList operands;
      for (const Var& v : eqn.invars()) operands.push_back(read(v));
      const ValueList results = apply(eqn, operands);
      for (size_t k = 0; k < results.size(); ++k) values[eqn.outvars()[k].id()] = results[k];
    }
    ValueList out;
    for (const Var& v : jaxpr.outvars()) out.push_back(read(v));
    return out;
  }

 private:
  ValueList apply(const Eqn& eqn, const ValueList& operands) {
    const std::string_view name = eqn.primitive().name.text;
    const EqnParams& params = eqn.params();
    if (name == "scan") return scan(params, operands);
    if (name == "while") return while_loop(params, operands);
    if (name == "cond") {
      const auto& branches = params.get<std::vector<Jaxpr>>("branches");
      const int which = std::clamp(operands[0].array.item<int>(), 0, static_cast<int>(branches.size()) - 1);
      return call(branches[static_cast<size_t>(which)], ValueList(operands.begin() + 1, operands.end()));
    }
    if (eqn.primitive().call_like || name == "remat2") return call(jaxprs_in_params(params).at(0), operands);
    return operation(eqn, name, operands);
  }

  // ---- loops

  static Array element(const Array& x, int64_t at) {
    std::vector<int64_t> starts(static_cast<size_t>(x.ndim()), 0), limits = x.shape().dims();
    starts[0] = at, limits[0] = at + 1;
    return lax::squeeze(lax::slice(x, Shape(starts), Shape(limits)), Axes(0));
  }
  ValueList scan(const EqnParams& params, const ValueList& operands) {
    const auto& body = params.get<Jaxpr>("jaxpr");
    const int64_t length = params.get<int64_t>("length");
    const auto consts = static_cast<size_t>(params.get<int64_t>("num_consts")), carries = static_cast<size_t>(params.get<int64_t>("num_carry"));
    ValueList now(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(consts + carries));
    std::vector<Arrays> ys(body.outvars().size() - carries);
    std::vector<bool> rounded(ys.size());
    for (int64_t trip = 0; trip < length; ++trip) {
      const int64_t at = params.get<bool>("reverse") ? length - 1 - trip : trip;
      ValueList inputs = now;
      for (size_t k = consts + carries; k < operands.size(); ++k)
        inputs.push_back({element(operands[k].array, at), operands[k].is_rounded});
      const ValueList results = call(body, inputs);
      std::copy_n(results.begin(), carries, now.begin() + static_cast<std::ptrdiff_t>(consts));
      for (size_t k = 0; k < ys.size(); ++k) {
        ys[k].push_back(results[carries + k].array);
        rounded[k] = rounded[k] || results[carries + k].is_rounded;
      }
    }
    ValueList out(now.begin() + static_cast<std::ptrdiff_t>(consts), now.end());
    const Avals avals = body.out_avals();
    for (size_t k = 0; k < ys.size(); ++k) {
      if (params.get<bool>("reverse")) std::ranges::reverse(ys[k]);
      const Aval& each = avals[carries + k];
      std::vector<int64_t> dims = each.shape.dims();
      dims.insert(dims.begin(), 0);
      out.push_back({length == 0 ? lax::full(Shape(dims), 0, each.dtype) : jnp::stack(ys[k]), rounded[k]});
    }
    return out;
  }

  ValueList while_loop(const EqnParams& params, const ValueList& operands) {
    const auto &condition = params.get<Jaxpr>("cond_jaxpr"), &body = params.get<Jaxpr>("body_jaxpr");
    const auto of_condition = params.get<int64_t>("cond_nconsts"), carry_at = of_condition + params.get<int64_t>("body_nconsts");
    ValueList carry(operands.begin() + carry_at, operands.end());
    const auto with_consts = [&](int64_t from, int64_t to) {
      ValueList all(operands.begin() + from, operands.begin() + to);
      all.insert(all.end(), carry.begin(), carry.end());
      return all;
    };
    while (true) {
      const Array again = call(condition, with_consts(0, of_condition))[0].array;  // under vmap one for each element
      const Shape batch = again.shape();
      if (!jnp::any(again).item<bool>()) return carry;
      ValueList next = call(body, with_consts(of_condition, carry_at));
      for (size_t k = 0; k < next.size(); ++k) {
        Axes axes;
        for (int axis = 0; axis < batch.ndim(); ++axis) axes.push_back(axis);
        const Array mask = lax::broadcast_in_dim(again, next[k].array.shape(), axes);
        next[k] = {lax::select(mask, next[k].array, carry[k].array), next[k].is_rounded || carry[k].is_rounded};
      }
      carry = std::move(next);
    }
  }

  // ---- operations

  ValueList operation(const Eqn& eqn, std::string_view name, const ValueList& operands) {
    const bool flushes = chance(noise_.flushes) && name != "copy" && name != "bitcast_convert_type";
    Arrays xs;
    bool any_rounded = false;
    for (const Value& operand : operands) {
      any_rounded |= operand.is_rounded;
      xs.push_back(is_inexact(operand.array) && (flushes || operand.is_rounded) ? used(operand, flushes) : operand.array);
    }
    const bool sums = is_one_of(name, {"reduce_sum", "cumsum", "cumlogsumexp"}) && is_inexact(xs[0]) && !Elements(xs[0]).are_whole();
    Walk walk;
    if (sums && noise_.units > 0) {
      walk = walk_of(eqn, name, xs[0].shape());
      xs[0] = walked(xs[0], walk, -1);
    }
    const bool exact_products = name == "dot_general" && Elements(xs[0]).are_whole() && Elements(xs[1]).are_whole();
    const bool is_complex = !xs.empty() && xs[0].dtype().is_complex();
    Arrays results = bind_all(eqn.primitive(), xs, eqn.params());
    done_.insert(name);
    if (noise_.way && !xs.empty() && (noise_.way->after.empty() || done_.contains(noise_.way->after)))
      noise_.way->change(name, eqn.params(), xs, results, noise_.seed);
    ValueList out;
    for (Array& result : results) {
      if (!is_inexact(result)) {
        out.push_back({result});
        continue;
      }
      const bool errs = !exact_products && !moves(name) && !(is_exact_of_reals(name) && !is_complex) &&
                        (!rounds_correctly(name, is_complex) || rounds_twice(name, xs, result)) &&
                        !(is_one_of(name, {"reduce_sum", "cumsum"}) && !sums);
      if (name == "cumsum" && sums && noise_.units > 0) result = walked(result, walk, 1);
      if (errs || flushes) result = disturbed(result, errs ? noise_.units : 0, flushes);
      const bool snaps = is_one_of(name, {"floor", "ceil", "round", "sign", "iota"});
      out.push_back({result, !snaps && (errs || any_rounded)});
    }
    return out;
  }
  // 16-bit formats are computed in wider ones, and XLA may keep those.
  static bool rounds_twice(std::string_view name, const Arrays& xs, const Array& result) {
    return is_half(result.dtype()) && (name != "convert_element_type" || (is_inexact(xs[0]) && xs[0].dtype() != result.dtype()));
  }

  Array used(const Value& operand, bool flushes) { return disturbed(operand.array, operand.is_rounded ? noise_.units : 0, flushes); }

  Array disturbed(const Array& x, int units, bool flushes) {
    if (x.size() == 0 || (units == 0 && !flushes)) return x;
    Elements e(x);
    if (units > 0) {
      const double step = epsilon(part_of(e.dtype)) * (is_half(e.dtype) ? 0.5 : 1);
      for (size_t i = 0; i < e.real.size(); ++i) e.disturb(i, step * some(units), step * some(units));
    }
    if (flushes) e.flush();
    return e.array();
  }

  // Sums in order: the partial sum at each step is rounded, so elements count by what the steps after them err.
  struct Walk {
    std::vector<double> errors;  // after each step
    std::vector<int64_t> sizes;  // of the operand
    std::vector<int> axes;       // along which it goes
    bool reverse = false;
  };
  Walk walk_of(const Eqn& eqn, std::string_view name, const Shape& shape) {
    Walk walk;
    if (name == "reduce_sum") {
      for (int axis : eqn.params().get<Axes>("axes")) walk.axes.push_back(axis);
    } else {
      walk.axes = {static_cast<int>(eqn.params().get<int64_t>("axis"))};
      walk.reverse = eqn.params().get<bool>("reverse");
    }
    walk.sizes = shape.dims();
    int64_t steps = 1;
    for (int axis : walk.axes) steps *= shape[axis];
    double error = 0;
    for (int64_t k = 0; k < steps; ++k) walk.errors.push_back(error += some(1) * 0.5);
    return walk;
  }
  Array walked(const Array& x, const Walk& walk, int sign) {
    if (x.size() == 0 || walk.errors.empty()) return x;
    Elements e(x);
    const double step = epsilon(part_of(e.dtype)) * sign;
    std::vector<int64_t> at(walk.sizes.size());
    for (size_t i = 0; i < e.real.size(); ++i) {
      int64_t rest = static_cast<int64_t>(i), step_number = 0;
      for (size_t axis = at.size(); axis-- > 0;) at[axis] = rest % walk.sizes[axis], rest /= walk.sizes[axis];
      for (int axis : walk.axes) step_number = step_number * walk.sizes[static_cast<size_t>(axis)] + at[static_cast<size_t>(axis)];
      if (walk.reverse) step_number = static_cast<int64_t>(walk.errors.size()) - 1 - step_number;
      const double error = step * walk.errors[static_cast<size_t>(step_number)];
      e.disturb(i, error, error);
    }
    return e.array();
  }

  bool chance(double part) { return static_cast<double>(random_() >> 11) * 0x1p-53 < part; }
  int some(int units) { return static_cast<int>(random_() % static_cast<uint64_t>(2 * units + 1)) - units; }

  Noise noise_;
  std::mt19937_64 random_;
  std::set<std::string_view> done_;  // names of operations
};

}  // namespace

double least_normal(DType part) { return part == jnp::float64 ? 0x1p-1022 : part == jnp::float16 ? 0 : 0x1p-126; }

Arrays noisy_run(const Jaxpr& jaxpr, const Arrays& inputs, const Noise& noise) {
  ValueList values;
  for (const Array& x : inputs) values.push_back({x});
  Arrays out;
  for (Value& value : Run(noise).call(jaxpr, values)) out.push_back(value.array.block_until_ready());
  return out;
}

}  // namespace tenon::oracle
