// jit, checkpoint, vmap, branches and loops: what they do is what the function does, called as often.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "tools/fuzz/program.h"
#include "tools/fuzz/wrappers.h"

namespace tenon::fuzz {
namespace {

bool same_type(const Aval& a, const Aval& b) { return a.shape == b.shape && a.dtype == b.dtype; }

Array element(const Array& x, int64_t i, int axis) {
  std::vector<int64_t> starts(static_cast<size_t>(x.ndim()), 0), limits = x.shape().dims();
  starts[static_cast<size_t>(axis)] = i, limits[static_cast<size_t>(axis)] = i + 1;
  return lax::squeeze(lax::slice(x, Shape(starts), Shape(limits)), Axes(axis));
}

// While programs are cut down, numbers may meet another function than they were chosen for.
void expect_fit(bool fits) {
  if (!fits) throw std::invalid_argument("numbers for another function");
}

Aval with_axis(const Aval& aval, int64_t size, int64_t axis) {
  expect_fit(axis <= aval.ndim());
  std::vector<int64_t> dims = aval.shape.dims();
  dims.insert(dims.begin() + axis, size);
  return {Shape(dims), aval.dtype, false};
}

// The first list that differs from the second, by its number.
std::string lists_differ(const char* what, const Arrays& got, const Arrays& want, Exactness exactness) {
  if (got.size() != want.size()) return std::string(what) + ": another number of results";
  for (size_t k = 0; k < got.size(); ++k) {
    const std::string where = difference(got[k], want[k], exactness);
    if (!where.empty()) return std::string(what) + ", result " + std::to_string(k) + ", " + where;
  }
  return "";
}

Avals inputs_as_they_are(const Numbers&, const Avals& inner) { return inner; }
std::optional<Numbers> nothing_to_choose(Builder&, const Signature&) { return Numbers{}; }

// ---- the function itself

Arrays apply_jit(const Numbers&, const Function& inner, const Arrays& inputs) { return jit([inner](Arrays xs) { return inner(xs); })(inputs); }
Arrays apply_checkpoint(const Numbers&, const Function& inner, const Arrays& inputs) {
  const CheckpointPolicy policies[] = {CheckpointPolicy::nothing_saveable, CheckpointPolicy::everything_saveable, CheckpointPolicy::dots_saveable,
                                       CheckpointPolicy::dots_with_no_batch_dims_saveable};
  return checkpoint([inner](Arrays xs) { return inner(xs); }, {.policy = policies[inputs.size() % 4]})(inputs);
}
std::string differs_from_function(const Numbers&, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  return lists_differ("the function itself", results, inner(inputs), exactness);
}

// ---- vmap. numbers: size, axis, axis of the results, then for each input whether it is mapped.

std::optional<Numbers> propose_vmap(Builder& b, const Signature& inner) {
  int most = 3, most_out = 3;
  for (const Aval& a : inner.results) most_out = std::min(most_out, a.ndim());
  Numbers numbers{b.one_of<int64_t>({1, 2, 3, 5}), 0, b.pick(0, most_out)};
  for (const Aval& a : inner.inputs) {
    numbers.push_back(b.chance(0.7));
    if (numbers.back()) most = std::min(most, a.ndim());
  }
  if (std::ranges::count(numbers.begin() + 3, numbers.end(), 1) == 0) return {};
  numbers[1] = b.pick(0, most);
  return numbers;
}
Avals inputs_of_vmap(const Numbers& numbers, const Avals& inner) {
  expect_fit(numbers.size() == 3 + inner.size());
  Avals out = inner;
  for (size_t k = 0; k < out.size(); ++k)
    if (numbers[3 + k]) out[k] = with_axis(out[k], numbers[0], numbers[1]);
  return out;
}
Arrays apply_vmap(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  Arrays mapped, fixed;
  for (size_t k = 0; k < inputs.size(); ++k) (numbers[3 + k] ? mapped : fixed).push_back(inputs[k]);
  auto f = [&](Arrays one, Arrays same) {
    Arrays all;
    size_t next_one = 0, next_same = 0;
    for (size_t k = 0; k < inputs.size(); ++k) all.push_back(numbers[3 + k] ? one[next_one++] : same[next_same++]);
    return inner(all);
  };
  return vmap(f, {.in_axes = {static_cast<int>(numbers[1]), none}, .out_axes = static_cast<int>(numbers[2])})(mapped, fixed);
}
std::string differs_from_loop(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  for (int64_t i = 0; i < numbers[0]; ++i) {
    Arrays one;
    for (size_t k = 0; k < inputs.size(); ++k) one.push_back(numbers[3 + k] ? element(inputs[k], i, static_cast<int>(numbers[1])) : inputs[k]);
    Arrays parts;
    for (const Array& result : results) parts.push_back(element(result, i, static_cast<int>(numbers[2])));
    std::string where = lists_differ("a loop", parts, inner(one), exactness);
    if (!where.empty()) return "run " + std::to_string(i) + " of " + where;
  }
  return "";
}

// ---- branches. The first input chooses: the function, or the function of other values, or zeros.

std::optional<Numbers> propose_branches(Builder& b, const Signature& inner) {
  return inner.inputs.empty() ? std::nullopt : std::optional(Numbers{b.pick(0, 1)});
}
Arrays turned(Arrays inputs) {
  for (Array& x : inputs)
    if (x.dtype().is_inexact() || x.dtype().is_signed()) x = lax::neg(x);
  return inputs;
}
Avals with_bool(const Numbers&, const Avals& inner) {
  Avals out = inner;
  out.insert(out.begin(), Aval{Shape{}, jnp::bool_, false});
  return out;
}
Avals with_int(const Numbers&, const Avals& inner) {
  Avals out = inner;
  out.insert(out.begin(), Aval{Shape{}, jnp::int32, false});
  return out;
}
Arrays rest(const Arrays& inputs) { return Arrays(inputs.begin() + 1, inputs.end()); }

Arrays apply_cond(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  auto one = [&](Arrays xs) { return inner(xs); };
  auto other = [&](Arrays xs) { return inner(turned(xs)); };
  if (numbers[0]) return lax::cond(inputs[0], other, one, rest(inputs));
  return lax::cond(inputs[0], one, other, rest(inputs));
}
std::string differs_from_branch(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  const bool is_turned = bool(inputs[0]) == (numbers[0] != 0);
  return lists_differ("the branch", results, inner(is_turned ? turned(rest(inputs)) : rest(inputs)), exactness);
}

Arrays zeros_like_all(Arrays results) {
  for (Array& y : results) y = lax::full_like(y, 0);
  return results;
}
Arrays apply_switch(const Numbers&, const Function& inner, const Arrays& inputs) {
  auto one = [&](Arrays xs) { return inner(xs); };
  auto other = [&](Arrays xs) { return inner(turned(xs)); };
  auto zeros = [&](Arrays xs) { return zeros_like_all(inner(xs)); };
  return lax::switch_(inputs[0], std::tuple{one, other, zeros}, rest(inputs));
}
std::string differs_from_case(const Numbers&, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  const int which = int(inputs[0]);
  const Arrays xs = rest(inputs), want = which <= 0 ? inner(xs) : which == 1 ? inner(turned(xs)) : zeros_like_all(inner(xs));
  return lists_differ("the branch", results, want, exactness);
}

// ---- loops. Of each input a role says where the next trip gets it from: the elements of an array, the trip before
// unchanged, or the result of that number. A result of another type (programs are cut down) changes nothing.

constexpr int64_t kElement = -1, kUnchanged = -2;

std::optional<Numbers> propose_roles(Builder& b, const Signature& inner, bool has_elements) {
  Numbers roles;
  bool any = has_elements;
  for (const Aval& input : inner.inputs) {
    std::vector<int64_t> fits;
    for (size_t r = 0; r < inner.results.size(); ++r)
      if (same_type(inner.results[r], input)) fits.push_back(static_cast<int64_t>(r));
    if (!fits.empty() && b.chance(0.8)) roles.push_back(b.one_of(fits)), any = true;
    else roles.push_back(has_elements && input.ndim() < 4 && b.chance(0.5) ? kElement : kUnchanged);
  }
  return any ? std::optional(roles) : std::nullopt;
}
Array next_of(int64_t role, const Array& now, const Arrays& results) {
  if (role < 0 || role >= static_cast<int64_t>(results.size())) return now;
  const Array& result = results[static_cast<size_t>(role)];
  return same_type(result.aval(), now.aval()) ? result : now;
}
Arrays next_of_all(const Numbers& roles, const Arrays& now, const Arrays& results) {
  Arrays next;
  for (size_t k = 0; k < now.size(); ++k) next.push_back(next_of(roles[k], now[k], results));
  return next;
}

// numbers: length, reverse, unroll, roles.
std::optional<Numbers> propose_scan(Builder& b, const Signature& inner) {
  auto roles = propose_roles(b, inner, true);
  if (!roles) return {};
  Numbers numbers{b.one_of<int64_t>({0, 1, 2, 3, 4}), b.pick(0, 1), b.one_of<int64_t>({1, 1, 2, 3})};
  numbers.insert(numbers.end(), roles->begin(), roles->end());
  return numbers;
}
Avals inputs_of_scan(const Numbers& numbers, const Avals& inner) {
  expect_fit(numbers.size() == 3 + inner.size());
  Avals out = inner;
  for (size_t k = 0; k < out.size(); ++k)
    if (numbers[3 + k] == kElement) out[k] = with_axis(out[k], numbers[0], 0);
  return out;
}
Arrays apply_scan(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  Arrays carry, xs;
  for (size_t k = 0; k < inputs.size(); ++k) (numbers[3 + k] == kElement ? xs : carry).push_back(inputs[k]);
  auto body = [&](Arrays now, Arrays elements) {
    Arrays all, next;
    size_t next_carry = 0, next_element = 0;
    for (size_t k = 0; k < inputs.size(); ++k) all.push_back(numbers[3 + k] == kElement ? elements[next_element++] : now[next_carry++]);
    const Arrays results = inner(all);
    for (size_t k = 0; k < inputs.size(); ++k)
      if (numbers[3 + k] != kElement) next.push_back(next_of(numbers[3 + k], all[k], results));
    return std::pair{next, results};
  };
  auto [last, ys] = lax::scan(body, carry, xs, {.length = numbers[0], .reverse = numbers[1] != 0, .unroll = static_cast<int>(numbers[2])});
  last.insert(last.end(), ys.begin(), ys.end());
  return last;
}
std::string differs_from_trips(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  Arrays now = inputs;
  const auto carries = static_cast<size_t>(std::ranges::count_if(numbers.begin() + 3, numbers.end(), [](int64_t role) { return role != kElement; }));
  for (int64_t trip = 0; trip < numbers[0]; ++trip) {
    const int64_t i = numbers[1] ? numbers[0] - 1 - trip : trip;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (numbers[3 + k] == kElement) now[k] = element(inputs[k], i, 0);
    const Arrays ys = inner(now);
    Arrays parts;
    for (size_t r = carries; r < results.size(); ++r) parts.push_back(element(results[r], i, 0));
    std::string where = lists_differ("the function", parts, ys, exactness);
    if (!where.empty()) return "trip " + std::to_string(trip) + ": " + where;
    now = next_of_all(Numbers(numbers.begin() + 3, numbers.end()), now, ys);
  }
  Arrays last;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (numbers[3 + k] != kElement) last.push_back(now[k]);
  return lists_differ("the carries", Arrays(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carries)), last, exactness);
}

Arrays after_trips(const Numbers& roles, const Function& inner, Arrays now, int64_t trips) {
  for (int64_t trip = 0; trip < trips; ++trip) now = next_of_all(roles, now, inner(now));
  return now;
}

// numbers: trips, roles.
std::optional<Numbers> propose_fori(Builder& b, const Signature& inner) {
  auto roles = propose_roles(b, inner, false);
  if (!roles) return {};
  roles->insert(roles->begin(), b.pick(0, 3));
  return roles;
}
Avals inputs_of_fori(const Numbers& numbers, const Avals& inner) {
  expect_fit(numbers.size() == 1 + inner.size());
  return inner;
}
Avals inputs_of_while(const Numbers& numbers, const Avals& inner) { return with_int(numbers, inputs_of_fori(numbers, inner)); }
Numbers roles_of(const Numbers& numbers) { return Numbers(numbers.begin() + 1, numbers.end()); }
Arrays apply_fori(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  return lax::fori_loop(0, static_cast<int>(numbers[0]), [&](Array, Arrays now) { return next_of_all(roles_of(numbers), now, inner(now)); }, inputs);
}
std::string differs_from_fori(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  return lists_differ("the trips", results, after_trips(roles_of(numbers), inner, inputs, numbers[0]), exactness);
}

// numbers: the most trips, roles. The first input says how many.
Arrays apply_while(const Numbers& numbers, const Function& inner, const Arrays& inputs) {
  const Array trips = lax::min(inputs[0], jnp::int32(static_cast<int>(numbers[0])));
  using Carry = std::pair<Array, Arrays>;
  return lax::while_loop([&](Carry c) { return lax::lt(c.first, trips); },
                         [&](Carry c) { return Carry{c.first + 1, next_of_all(roles_of(numbers), c.second, inner(c.second))}; },
                         Carry{jnp::int32(0), rest(inputs)})
      .second;
}
std::string differs_from_while(const Numbers& numbers, const Function& inner, const Arrays& inputs, const Arrays& results, Exactness exactness) {
  const int64_t trips = std::min<int64_t>(int(inputs[0]), numbers[0]);
  return lists_differ("the trips", results, after_trips(roles_of(numbers), inner, rest(inputs), trips), exactness);
}

}  // namespace

const std::vector<Wrapper>& loop_wrappers() {
  static const auto* list = new std::vector<Wrapper>{
      {"jit", 1, false, nothing_to_choose, inputs_as_they_are, apply_jit, differs_from_function},
      {"checkpoint", 1, false, nothing_to_choose, inputs_as_they_are, apply_checkpoint, differs_from_function},
      {"vmap", 6, false, propose_vmap, inputs_of_vmap, apply_vmap, differs_from_loop},
      {"cond", 2, false, propose_branches, with_bool, apply_cond, differs_from_branch},
      {"switch", 1, false, nothing_to_choose, with_int, apply_switch, differs_from_case},
      {"scan", 4, false, propose_scan, inputs_of_scan, apply_scan, differs_from_trips},
      {"fori", 2, false, propose_fori, inputs_of_fori, apply_fori, differs_from_fori},
      {"while", 2, false, propose_fori, inputs_of_while, apply_while, differs_from_while},
  };
  return *list;
}

}  // namespace tenon::fuzz
