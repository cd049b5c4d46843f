#include "tools/fuzz/program.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/fuzz/wrappers.h"

namespace tenon::fuzz {

Arrays Program::apply_ops(const Arrays& inputs) const {
  Arrays values = inputs;
  for (const Op& op : ops) {
    Arrays operands;
    for (int operand : op.operands) operands.push_back(values[operand]);
    if (op.family->sums && style.exact_sums) operands[0] = lax::sign(operands[0]);
    values.push_back(op.family->apply(op, operands));
  }
  Arrays wanted;
  for (int result : results) wanted.push_back(values[result]);
  return wanted;
}

Function Program::function(size_t depth) const {
  Function f = [this](const Arrays& xs) { return apply_ops(xs); };
  for (size_t k = 0; k < depth; ++k) f = [wrap = wraps[k], inner = std::move(f)](const Arrays& xs) { return wrap.wrapper->apply(wrap.numbers, inner, xs); };
  return f;
}
Avals Program::inputs_of(size_t depth) const {
  Avals avals = inputs;
  for (size_t k = 0; k < depth; ++k) avals = wraps[k].wrapper->inputs(wraps[k].numbers, avals);
  return avals;
}

Avals results_of(const Function& function, const Avals& inputs) {
  Arrays shapes;
  for (const Aval& aval : inputs) shapes.push_back(ShapeDtype(aval.shape, aval.dtype));
  return make_jaxpr([&](Arrays xs) { return function(xs); })(shapes).out_avals();
}

static double element(std::mt19937_64& random) {
  static constexpr double kSpecial[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 255.0, 3e9, -3e9, 1e-40, 1e30,
                                        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
  const uint64_t dice = random();
  if (dice % 16 == 0) return kSpecial[(dice >> 8) % std::size(kSpecial)];
  const double unit = static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63;
  if (dice % 4 == 1) return std::nearbyint(unit * 9);
  return unit * std::exp2(static_cast<double>((dice >> 8) % 12) - 4);
}

static double tame_element(std::mt19937_64& random) { return static_cast<double>(static_cast<int64_t>(random())) * 0x1p-62; }

Arrays Program::make_inputs() const {
  Arrays arrays;
  const Avals avals = inputs_of(wraps.size());
  for (size_t k = 0; k < avals.size(); ++k) {
    std::mt19937_64 random(seed * 1000 + k);
    const Aval& aval = avals[k];
    std::vector<float> elements(aval.shape.num_elements());
    for (float& e : elements) {
      e = static_cast<float>(style.tame ? tame_element(random) : element(random));
      if (aval.dtype.is_bool()) e = e > 0;
    }
    arrays.push_back(lax::convert_element_type(device_put(HostView(elements.data(), aval.shape)), aval.dtype).block_until_ready());
  }
  return arrays;
}

std::string Program::str() const {
  std::string text = "seed " + std::to_string(seed) + (enable_x64 ? ", enable_x64" : "") + "\n";
  for (size_t k = 0; k < inputs.size(); ++k) text += "v" + std::to_string(k) + " = input " + inputs[k].str_short() + "\n";
  for (size_t k = 0; k < ops.size(); ++k) {
    text += "v" + std::to_string(inputs.size() + k) + " = " + ops[k].family->name;
    for (int operand : ops[k].operands) text += " v" + std::to_string(operand);
    if (!ops[k].numbers.empty()) text += " " + Shape(ops[k].numbers).str();
    text += "\n";
  }
  text += "results";
  for (int result : results) text += " v" + std::to_string(result);
  text += "\n";
  for (size_t k = 0; k < wraps.size(); ++k) {
    text += std::string("wrapped in ") + wraps[k].wrapper->name + " " + Shape(wraps[k].numbers).str() + ", inputs";
    for (const Aval& aval : inputs_of(k + 1)) text += " " + aval.str_short();
    text += "\n";
  }
  return text;
}

// ---- making programs

Builder::Builder(uint64_t seed, int64_t max_elements, const Style& style) : random_(seed), max_elements_(max_elements), style_(style) {}

int64_t Builder::pick(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
}

bool Builder::chance(double probability) { return static_cast<double>(random_() >> 11) * 0x1p-53 < probability; }

std::optional<int> Builder::value(const std::function<bool(const Aval&)>& fits) {
  std::vector<int> fitting;
  for (size_t k = 0; k < avals_.size(); ++k) {
    if (fits(avals_[k])) fitting.push_back(static_cast<int>(k));
  }
  if (fitting.empty()) return {};
  const int64_t last = static_cast<int64_t>(fitting.size()) - 1;
  return fitting[chance(0.5) ? pick(std::max<int64_t>(0, last - 3), last) : pick(0, last)];
}

DType Builder::dtype() {
  static const std::vector<DType> kFrequent = {jnp::float32, jnp::int32, jnp::bool_};
  static const std::vector<DType> kOthers = {jnp::bfloat16, jnp::float16, jnp::int8, jnp::uint8, jnp::int16, jnp::uint16, jnp::uint32, jnp::complex64};
  static const std::vector<DType> kWide = {jnp::float64, jnp::int64, jnp::uint64, jnp::complex128};
  static const std::vector<DType> kNoOtherFloats = {jnp::float64, jnp::float64, jnp::float64, jnp::int32, jnp::bool_, jnp::int64, jnp::complex128};
  if (style_.wide_floats) return one_of(kNoOtherFloats);
  if (chance(0.5)) return enable_x64_ ? jnp::float64 : jnp::float32;
  return one_of(chance(0.5) ? kFrequent : enable_x64_ && chance(0.5) ? kWide : kOthers);
}

Shape Builder::shape() {
  static const std::vector<int64_t> kSizes = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, 1000, 5000, 100000};
  Shape shape;
  for (int64_t rank = pick(0, 3); rank > 0; --rank) {
    int64_t size = one_of(kSizes);
    while (size > 3 && !is_small(Shape{shape.num_elements(), size})) size /= 7;
    shape.push_back(size);
  }
  return shape;
}

Program Builder::build(int ops) {
  Program program;
  program.seed = random_();
  program.style = style_;
  program.enable_x64 = enable_x64_ = style_.wide_floats || chance(0.25);
  const config::Scope wide{{"enable_x64", enable_x64_}};
  const Shape main_shape = shape();
  for (int64_t k = pick(2, 4); k > 0; --k) program.inputs.push_back({chance(0.6) ? main_shape : shape(), dtype(), false});
  program.inputs.push_back({Shape{}, jnp::int32, false});
  avals_ = program.inputs;

  std::vector<const Family*> urn;
  for (const Family& family : families()) urn.insert(urn.end(), family.weight, &family);
  for (int tries = 0; static_cast<int>(program.ops.size()) < ops && tries < 40 * ops; ++tries) {
    const Family& family = *one_of(urn);
    std::optional<Op> op = family.propose(*this);
    if (!op) continue;
    if (family.sums && style_.exact_sums && avals_[op->operands[0]].dtype.is_complex()) continue;
    op->family = &family;
    Arrays operands;
    for (int operand : op->operands) operands.push_back(ShapeDtype(avals_[operand].shape, avals_[operand].dtype));
    Aval result;
    try {
      Jaxpr jaxpr = make_jaxpr([&](Arrays xs) { return family.apply(*op, xs); })(operands);
      result = jaxpr.out_avals()[0];
    } catch (const InternalError&) {
      throw;
    } catch (const Error&) {
      continue;  // refused: a dtype, a shape that it does not take
    }
    if (!is_small(result.shape)) continue;
    avals_.push_back(result);
    program.ops.push_back(std::move(*op));
  }
  // What nobody uses, and some of the rest.
  std::vector<bool> used(avals_.size());
  for (const Op& op : program.ops) {
    for (int operand : op.operands) used[operand] = true;
  }
  for (size_t k = program.inputs.size(); k < avals_.size(); ++k) {
    if (!used[k] || chance(0.1)) program.results.push_back(static_cast<int>(k));
  }
  if (program.results.empty()) program.results.push_back(0);
  return program;
}

void Builder::wrap(Program& program, int depth, bool derives) {
  const config::Scope wide{{"enable_x64", program.enable_x64}};
  std::vector<const Wrapper*> urn;
  for (const Wrapper& wrapper : wrappers())
    if (derives || !wrapper.derives) urn.insert(urn.end(), static_cast<size_t>(wrapper.weight), &wrapper);
  Signature inner{program.inputs, results_of(program.function(0), program.inputs)};
  for (int tries = 0; static_cast<int>(program.wraps.size()) < depth && tries < 8 * depth; ++tries) {
    const Wrapper& wrapper = *one_of(urn);
    auto numbers = wrapper.propose(*this, inner);
    if (!numbers) continue;
    program.wraps.push_back({&wrapper, std::move(*numbers)});
    Signature whole{program.inputs_of(program.wraps.size()), {}, inner.has_while || std::string_view(wrapper.name) == "while"};
    try {
      whole.results = results_of(program.function(program.wraps.size()), whole.inputs);
    } catch (const UnimplementedError&) {
      program.wraps.pop_back();  // an operation without a derivative
      continue;
    } catch (const Error& error) {
      // The larger of two complex numbers has no derivative, as in JAX. All else is a fault, which the run will tell.
      if (std::string_view(error.what()).find("does not accept dtype complex") == std::string_view::npos) return;
      program.wraps.pop_back();
      continue;
    }
    int64_t elements = 0;
    for (const Avals& avals : {whole.inputs, whole.results})
      for (const Aval& aval : avals) elements += aval.shape.num_elements();
    if (elements > 40 * max_elements_) program.wraps.pop_back();
    else inner = std::move(whole);
  }
}

const std::vector<Wrapper>& wrappers() {
  static const auto* list = [] {
    auto* all = new std::vector<Wrapper>(loop_wrappers());
    all->insert(all->end(), derivative_wrappers().begin(), derivative_wrappers().end());
    return all;
  }();
  return *list;
}

}  // namespace tenon::fuzz
