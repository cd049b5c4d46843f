#include "tools/fuzz/draw.h"

#include <algorithm>

namespace tenon::fuzz {

// Small ones, with transformations around them.
static Program draw_wrapped(uint64_t seed, const Draw& bounds, bool derives, Builder& dice) {
  Style style;
  style.exact_sums = !derives;
  style.tame = derives && dice.chance(0.8);
  style.wide_floats = derives && dice.chance(0.6);
  Builder builder(seed, std::min<int64_t>(bounds.max_elements, 150), style);
  Program program = builder.build(static_cast<int>(builder.pick(2, 10)));
  builder.wrap(program, static_cast<int>(builder.pick(1, 3)), derives);
  const bool has_derivative = std::ranges::any_of(program.wraps, [](const Wrap& wrap) { return wrap.wrapper->derives; });
  return derives && !has_derivative ? draw_wrapped(seed, bounds, false, dice) : program;
}

Program draw(uint64_t seed, const Draw& bounds) {
  Builder dice(~seed, 0);
  if (Builder(~seed - 1, 0).chance(bounds.wrapped)) return draw_wrapped(seed, bounds, dice.chance(0.6), dice);
  Builder builder(seed, bounds.max_elements);
  return builder.build(static_cast<int>(builder.pick(8, builder.pick(8, bounds.max_ops))));
}

}  // namespace tenon::fuzz
