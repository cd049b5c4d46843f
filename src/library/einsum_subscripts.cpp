#include "library/einsum_subscripts.h"

#include <algorithm>
#include <set>

#include "base/fail.h"
#include "library/promote.h"

namespace tenon::detail {
namespace {

std::vector<std::string> split_terms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (char c : text) c == ',' ? void(terms.emplace_back()) : terms.back().push_back(c);
  return terms;
}

constexpr std::string_view kEllipsis = "...", kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Labels that stand for the axes of an ellipsis, the last ones for the last axes.
std::string ellipsis_labels(const std::string& used, int count) {
  std::string labels;
  for (char letter : kLetters) {
    if (labels.size() == static_cast<size_t>(count)) break;
    if (!has_label(used, letter)) labels.push_back(letter);
  }
  return labels;
}

class Parser {
 public:
  Parser(std::string_view subscripts, const Arrays& operands) : given_(subscripts), operands_(operands) {}

  EinsumLabels run() {
    std::string text = given_;
    std::erase(text, ' ');
    const size_t arrow = text.find("->");
    std::vector<std::string> inputs = split_terms(text.substr(0, arrow));
    if (inputs.size() != operands_.size())
      fail<ValueError>("einsum", "the subscripts are for ", inputs.size(), " operands; got ", operands_.size(), " and '", given_, "'");
    int most_axes = 0;
    for (const Array& operand : operands_) most_axes = std::max(most_axes, operand.ndim());
    const std::string axes = ellipsis_labels(text, most_axes);
    size_t longest = 0;  // of what the ellipses stand for
    for (size_t i = 0; i < inputs.size(); ++i) {
      const size_t rank = static_cast<size_t>(operands_[i].ndim());
      const size_t dots = check_term(inputs[i]) ? inputs[i].find(kEllipsis) : std::string::npos;
      const size_t named = inputs[i].size() - (dots == std::string::npos ? 0 : kEllipsis.size());
      if (dots == std::string::npos ? named != rank : named > rank)
        fail<ValueError>("einsum", "the subscripts '", inputs[i], "' are not those of operand ", i, "; got ", operands_[i].aval(), " and '",
                         given_, "'");
      if (dots == std::string::npos) continue;
      longest = std::max(longest, rank - named);
      inputs[i].replace(dots, kEllipsis.size(), last(axes, rank - named));
    }
    return {inputs, arrow == std::string::npos ? implicit(inputs, last(axes, longest))
                                               : output(text.substr(arrow + 2), inputs, last(axes, longest))};
  }

 private:
  static std::string last(const std::string& labels, size_t count) { return labels.substr(labels.size() - std::min(count, labels.size())); }

  // True with an ellipsis in it.
  bool check_term(const std::string& term) const {
    std::string letters = term;
    const size_t dots = letters.find(kEllipsis);
    if (dots != std::string::npos) letters.erase(dots, kEllipsis.size());
    for (char c : letters)
      if (!has_label(kLetters, c))
        fail<ValueError>("einsum", "subscripts are letters, commas, one '->' and an ellipsis '...' for an operand; got '", given_, "'");
    return dots != std::string::npos;
  }

  // The ellipsis, then in alphabetical order what comes once.
  static std::string implicit(const std::vector<std::string>& inputs, const std::string& ellipsis) {
    std::string all;
    for (const std::string& input : inputs) all += input;
    std::string once;
    for (char label : std::set<char>(all.begin(), all.end()))
      if (occurrences(all, label) == 1 && !has_label(ellipsis, label)) once.push_back(label);
    return ellipsis + once;
  }

  std::string output(std::string term, const std::vector<std::string>& inputs, const std::string& ellipsis) const {
    if (check_term(term)) term.replace(term.find(kEllipsis), kEllipsis.size(), ellipsis);
    for (char label : term) {
      if (occurrences(term, label) > 1)
        fail<ValueError>("einsum", "the result's subscript '", label, "' comes more than once; got '", given_, "'");
      if (std::ranges::none_of(inputs, [&](const std::string& input) { return has_label(input, label); }))
        fail<ValueError>("einsum", "the result's subscript '", label, "' is none of the operands'; got '", given_, "'");
    }
    return term;
  }

  std::string given_;
  const Arrays& operands_;
};

}  // namespace

EinsumLabels parse_subscripts(std::string_view subscripts, const Arrays& operands) { return Parser(subscripts, operands).run(); }

// An axis of size 1 takes part in any size.
std::map<char, int64_t> sizes_of(std::string_view subscripts, const std::vector<std::string>& inputs, const Arrays& operands) {
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape shape = operands[i].shape();
    for (size_t axis = 0; axis < inputs[i].size(); ++axis) {
      int64_t& size = sizes.try_emplace(inputs[i][axis], 1).first->second;
      const int64_t here = shape[static_cast<int64_t>(axis)];
      if (size == 1) size = here;
      else if (here != 1 && here != size)
        fail<ShapeError>("einsum", "sizes of the axes '", inputs[i][axis], "' differ: ", size, " and, in operand ", i, ", ", here, "; got ",
                         avals_of(operands), " and '", std::string(subscripts), "'");
    }
  }
  return sizes;
}

}  // namespace tenon::detail
