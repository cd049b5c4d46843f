// Depth first over all orders of pairs; an order that is worse than the best so far is given up. Up to four operands
// all orders are tried, with more only promising ones. The choices, ties included, are those of opt_einsum's "auto",
// which JAX uses, up to 14 operands.
#include "library/einsum_path.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tenon::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCutoff = 4;  // times the best number of operations at this depth

struct Pair {
  size_t first, second;
  auto operator<=>(const Pair&) const = default;
};
struct Contraction {
  Labels kept;
  double flops;
};

class PathSearch {
 public:
  PathSearch(const std::vector<Labels>& inputs, const Labels& output, const std::map<char, int64_t>& sizes)
      : labels_(inputs), output_(output), sizes_(sizes) {}

  /// Pairs of names: operands have the numbers from 0, products the following ones.
  std::vector<Pair> run() {
    std::vector<size_t> all(labels_.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const size_t count = all.size();
    branches_ = count <= 6 ? count * count : count <= 8 ? 2 : 1;
    count <= 4 ? try_all(all, 0) : try_promising(all, 0, 0);
    return best_;
  }

 private:
  double size_of(const Labels& labels) const {
    double size = 1;
    for (char label : labels) size *= static_cast<double>(sizes_.at(label));
    return size;
  }

  const Contraction& contract(const std::vector<size_t>& left, Pair pair) {
    const Labels &x = labels_[pair.first], &y = labels_[pair.second];
    auto [entry, is_new] = cache_.try_emplace({x, y});
    if (!is_new) return entry->second;
    Labels either = x, keep = output_;
    either.insert(y.begin(), y.end());
    for (size_t i : left)
      if (i != pair.first && i != pair.second) keep.insert(labels_[i].begin(), labels_[i].end());
    bool sums = false;
    for (char label : either) {
      if (keep.contains(label)) entry->second.kept.insert(label);
      else sums |= x.contains(label) && y.contains(label);
    }
    entry->second.flops = size_of(either) * (sums ? 2 : 1);
    return entry->second;
  }

  // Contracts the pair and goes on with `next`.
  template <class F>
  void descend(const std::vector<size_t>& left, Pair pair, const Labels& kept, F next) {
    std::vector<size_t> rest;
    for (size_t i : left)
      if (i != pair.first && i != pair.second) rest.push_back(i);
    rest.push_back(labels_.size());
    labels_.push_back(kept);
    path_.push_back(pair);
    next(rest);
    path_.pop_back();
    labels_.pop_back();
  }

  void try_all(const std::vector<size_t>& left, double flops) {
    if (left.size() == 1) {
      best_flops_ = flops;
      best_ = path_;
      return;
    }
    for (size_t i = 0; i < left.size(); ++i) {
      for (size_t j = i + 1; j < left.size(); ++j) {
        const Pair pair{left[i], left[j]};
        const Contraction& step = contract(left, pair);
        const double total = flops + step.flops;
        if (total >= best_flops_) continue;
        descend(left, pair, step.kept, [&](const std::vector<size_t>& rest) { try_all(rest, total); });
      }
    }
  }

  // What removes most memory first. Outer products only when there is nothing else.
  void try_promising(const std::vector<size_t>& left, double flops, double largest) {
    if (left.size() == 1) {
      best_flops_ = flops;
      best_size_ = largest;
      best_ = path_;
      return;
    }
    using Candidate = std::tuple<double, double, double, double, Pair>;  // cost, flops of the step and in all, largest
    std::vector<Candidate> candidates;
    for (const bool outer : {false, true}) {
      if (!candidates.empty()) break;
      for (size_t i = 0; i < left.size(); ++i) {
        for (size_t j = i + 1; j < left.size(); ++j) {
          const Labels &x = labels_[left[i]], &y = labels_[left[j]];
          const bool share = std::ranges::any_of(x, [&](char label) { return y.contains(label); });
          if (!share && !outer) continue;
          const Contraction& step = contract(left, {left[i], left[j]});
          const double size = size_of(step.kept), total = flops + step.flops, peak = std::max(largest, size);
          if (std::pair(total, peak) >= std::pair(best_flops_, best_size_)) continue;
          double& progress = progress_.try_emplace(labels_.size(), kInfinity).first->second;
          if (total < progress) progress = total;
          else if (total > kCutoff * progress) continue;
          candidates.emplace_back(size - size_of(x) - size_of(y), step.flops, total, peak, Pair{left[i], left[j]});
        }
      }
    }
    std::ranges::sort(candidates);
    if (candidates.size() > branches_) candidates.resize(branches_);
    for (const auto& [cost, step_flops, total, peak, pair] : candidates) {
      const Labels kept = contract(left, pair).kept;
      descend(left, pair, kept, [&, total = total, peak = peak](const std::vector<size_t>& rest) { try_promising(rest, total, peak); });
    }
  }

  std::vector<Labels> labels_;
  const Labels& output_;
  const std::map<char, int64_t>& sizes_;
  std::map<std::pair<Labels, Labels>, Contraction> cache_;
  std::map<size_t, double> progress_;  // by how many names there are
  std::vector<Pair> path_, best_;
  double best_flops_ = kInfinity, best_size_ = kInfinity;
  size_t branches_ = 1;
};

}  // namespace

std::vector<std::vector<size_t>> contraction_path(const std::vector<Labels>& inputs, const Labels& output,
                                                  const std::map<char, int64_t>& sizes) {
  if (inputs.size() == 1) return {{0}};
  if (inputs.size() == 2) return {{0, 1}};
  std::vector<size_t> names(inputs.size());  // of what is left
  for (size_t i = 0; i < names.size(); ++i) names[i] = i;
  std::vector<std::vector<size_t>> steps;
  size_t product = inputs.size();
  for (const Pair& pair : PathSearch(inputs, output, sizes).run()) {
    auto position = [&](size_t name) { return static_cast<size_t>(std::ranges::find(names, name) - names.begin()); };
    steps.push_back({position(pair.first), position(pair.second)});
    std::ranges::sort(steps.back());
    std::erase_if(names, [&](size_t name) { return name == pair.first || name == pair.second; });
    names.push_back(product++);
  }
  return steps;
}

}  // namespace tenon::detail
