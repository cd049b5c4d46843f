// einsum: subscripts and operands in; sums, diagonals and products of two operands at a time out.
#include <algorithm>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/einsum_path.h"
#include "library/einsum_subscripts.h"
#include "library/promote.h"

namespace tenon::jnp {
namespace {

using detail::has_label;
using detail::occurrences;

std::string without(std::string labels, const std::string& removed) {
  std::erase_if(labels, [&](char label) { return has_label(removed, label); });
  return labels;
}

/// An array and the names of its axes.
struct Named {
  Array array;
  std::string labels;
};

class Contractor {
 public:
  Contractor(DType dtype, const lax::DotOptions& options) : dtype_(dtype), options_{.preferred_element_type = dtype, .precision = options.precision} {}

  Named one(Named x, const std::string& contracted, const std::string& result) const {
    const std::string labels = x.labels;
    x = sum_out(std::move(x), [&](char label) { return has_label(contracted, label) && occurrences(labels, label) == 1; });
    return sum_repeated(std::move(x), labels, result);
  }

  Named two(Named x, Named y, const std::string& contracted, const std::string& result) const {
    x = without_ones(std::move(x), y);
    y = without_ones(std::move(y), x);
    const std::string x_labels = x.labels, y_labels = y.labels;
    auto only_in = [&](const std::string& here, const std::string& there) {
      return [&](char label) { return has_label(contracted, label) && occurrences(here, label) == 1 && !has_label(there, label); };
    };
    x = sum_out(std::move(x), only_in(x_labels, y_labels));
    y = sum_out(std::move(y), only_in(y_labels, x_labels));
    x = sum_repeated(std::move(x), x_labels, result + y.labels);
    y = sum_repeated(std::move(y), y_labels, result + x.labels);
    return product(x, y, contracted, result);
  }

 private:
  static int64_t axis_of(const Named& x, char label) { return static_cast<int64_t>(x.labels.find(label)); }

  Array sum(const Array& x, const Axes& axes) const {
    const Array y = x.dtype() == dtype_ ? x : lax::convert_type(x, dtype_, false);
    return y.dtype().is_bool() ? lax::reduce_or(y, axes) : lax::reduce_sum(y, axes);
  }

  // In alphabetical order.
  template <class F>
  Named sum_out(Named x, F is_summed) const {
    std::string summed;
    for (char label : detail::Labels(x.labels.begin(), x.labels.end()))
      if (is_summed(label)) summed.push_back(label);
    if (summed.empty()) return x;
    std::vector<int64_t> axes;
    for (char label : summed) axes.push_back(axis_of(x, label));
    return {sum(x.array, Axes(axes)), without(x.labels, summed)};
  }

  // A label that comes more than once is a diagonal: what is off it is made 0, then summed over.
  Named sum_repeated(Named x, const std::string& order, const std::string& kept) const {
    std::string seen;
    for (char label : order) {
      if (has_label(seen, label) || occurrences(x.labels, label) < 2) continue;
      seen.push_back(label);
      std::vector<int64_t> axes;
      for (size_t i = 0; i < x.labels.size(); ++i)
        if (x.labels[i] == label) axes.push_back(static_cast<int64_t>(i));
      x.array = lax::select(diagonal(x.array.shape(), axes), x.array, lax::full_like(x.array, 0));
      if (has_label(kept, label)) axes.pop_back();
      x.array = sum(x.array, Axes(axes));
      for (size_t i = axes.size(); i-- > 0;) x.labels.erase(static_cast<size_t>(axes[i]), 1);
    }
    return x;
  }

  static Array diagonal(const Shape& shape, const std::vector<int64_t>& axes) {
    std::vector<int64_t> dims;
    for (int64_t axis : axes) dims.push_back(shape[axis]);
    Arrays indices;
    for (size_t i = 0; i < axes.size(); ++i) indices.push_back(lax::broadcasted_iota(uint32, Shape(dims), static_cast<int>(i)));
    Arrays equal;
    for (size_t i = 0; i + 1 < indices.size(); ++i) equal.push_back(lax::eq(indices[i], indices[i + 1]));
    Array all = equal[0];
    for (size_t i = 1; i < equal.size(); ++i) all = lax::bitwise_and(all, equal[i]);
    return lax::broadcast_in_dim(all, shape, Axes(axes));
  }

  // Without the axes of size 1 that meet a larger one.
  static Named without_ones(Named x, const Named& other) {
    std::vector<int64_t> ones;
    std::string labels;
    for (size_t i = 0; i < x.labels.size(); ++i) {
      const bool meets = has_label(other.labels, x.labels[i]) && other.array.shape()[axis_of(other, x.labels[i])] != 1;
      if (x.array.shape()[static_cast<int64_t>(i)] == 1 && meets) ones.push_back(static_cast<int64_t>(i));
      else labels.push_back(x.labels[i]);
    }
    return {lax::squeeze(x.array, Axes(ones)), labels};
  }

  Named product(const Named& x, const Named& y, const std::string& contracted, const std::string& result) const {
    std::string batch, summed;
    for (char label : result)
      if (has_label(x.labels, label) && has_label(y.labels, label)) batch.push_back(label);
    for (char label : contracted)
      if (has_label(x.labels, label) && has_label(y.labels, label)) summed.push_back(label);
    auto axes_of = [](const Named& operand, const std::string& labels) {
      std::vector<int64_t> axes;
      for (char label : labels) axes.push_back(axis_of(operand, label));
      return Axes(axes);
    };
    auto dot = [&](const Named& left, const Named& right) {
      return lax::dot_general(left.array, right.array,
                              {axes_of(left, summed), axes_of(right, summed), axes_of(left, batch), axes_of(right, batch)}, options_);
    };
    const std::string x_rest = without(x.labels, batch + summed), y_rest = without(y.labels, batch + summed);
    // The order of the two that needs no transpose, when there is one.
    if (batch + y_rest + x_rest == result) return {dot(y, x), result};
    return {dot(x, y), batch + x_rest + y_rest};
  }

  DType dtype_;
  lax::DotOptions options_;
};

}  // namespace

Array einsum(const Subscripts& subscripts, const Arrays& operands, const lax::DotOptions& options) {
  detail::FunctionScope site(subscripts.loc);
  const detail::EinsumLabels parsed = detail::parse_subscripts(subscripts.text, operands);
  const std::map<char, int64_t> sizes = detail::sizes_of(subscripts.text, parsed.inputs, operands);
  const PromotedType type = options.preferred_element_type ? PromotedType{canonical_dtype(*options.preferred_element_type), false}
                                                           : promote(detail::avals_of(operands), "einsum");
  const detail::Labels output(parsed.output.begin(), parsed.output.end());

  std::vector<Named> left;
  std::vector<detail::Labels> labels;
  for (size_t i = 0; i < operands.size(); ++i) {
    left.push_back({operands[i], parsed.inputs[i]});
    labels.emplace_back(parsed.inputs[i].begin(), parsed.inputs[i].end());
  }
  const Contractor contractor(type.dtype, options);
  for (const std::vector<size_t>& step : detail::contraction_path(labels, output, sizes)) {
    std::vector<Named> taken;  // the later one first
    std::string all;
    for (size_t k = step.size(); k-- > 0;) {
      taken.push_back(left[step[k]]);
      all += taken.back().labels;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(step[k]));
    }
    detail::Labels needed = output;
    for (const Named& other : left) needed.insert(other.labels.begin(), other.labels.end());
    std::string contracted, result;
    for (char label : detail::Labels(all.begin(), all.end()))
      if (!needed.contains(label)) contracted.push_back(label);
    for (char label : all)
      if (needed.contains(label) && !has_label(result, label)) result.push_back(label);
    if (left.empty()) result = parsed.output;

    Named product = taken.size() == 1 ? contractor.one(taken[0], contracted, result) : contractor.two(taken[0], taken[1], contracted, result);
    if (product.labels != result) {
      std::vector<int64_t> permutation;
      for (char label : result) permutation.push_back(static_cast<int64_t>(product.labels.find(label)));
      product = {lax::transpose(product.array, Axes(permutation)), result};
    }
    left.push_back(std::move(product));
  }
  return lax::convert_type(left[0].array, type.dtype, type.weak);
}

}  // namespace tenon::jnp
