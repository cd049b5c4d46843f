// Each scalar rule of simplify on all pairs of int8, all float16 numbers and both bools: what it makes has the bits of what it
// replaces. A rule is applied alone, to every operation with every pair of operands it could have.
#include <algorithm>
#include <cmath>
#include <set>

#include "dialect/module_impl.h"
#include "evaluator/prepare.h"
#include "ir_text.h"
#include "passes/simplify.h"

namespace tenon::passes {
namespace {

using evaluator::Tensor;
using Tensors = std::vector<Tensor>;

constexpr int64_t kCount = 1 << 16;

/// x goes through all numbers, y through all for each of x (int8) or through all in another order (float16).
struct Domain {
  const char* type;
  bool is_float;
  std::vector<std::string> constants, unary, binary;
  Tensors inputs;
};

Tensor bools() {
  std::vector<bool> p(kCount);
  for (int64_t i = 0; i < kCount; ++i) p[static_cast<size_t>(i)] = (i * 2654435761u >> 13) % 2 != 0;
  return Tensor::of<bool>({kCount}, p);
}

Domain int8_pairs() {
  std::vector<int8_t> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) x[i] = static_cast<int8_t>(i / 256), y[i] = static_cast<int8_t>(i % 256);
  return {"i8",
          false,
          {"0", "1", "-1", "2", "127", "-128"},
          {"negate", "abs", "not", "sign"},
          {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power", "and", "or", "xor", "shift_left",
           "shift_right_arithmetic", "shift_right_logical"},
          {Tensor::of<int8_t>({kCount}, x), Tensor::of<int8_t>({kCount}, y), bools()}};
}

Domain float16_numbers() {
  Tensor x(Aval{{kCount}, DType(DType::kFloat16)}), y(Aval{{kCount}, DType(DType::kFloat16)});
  auto *from = static_cast<uint16_t*>(x.mutable_data()), *to = static_cast<uint16_t*>(y.mutable_data());
  for (int i = 0; i < kCount; ++i) from[i] = static_cast<uint16_t>(i), to[i] = static_cast<uint16_t>(i * 40503 + 12345);
  return {"f16",
          true,
          {"0.0", "-0.0", "1.0", "-1.0", "2.0", "0x7C00", "0xFC00", "0x7E00"},
          {"negate", "abs", "sign", "floor", "sqrt"},
          {"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "power", "atan2"},
          {x, y, bools()}};
}

Domain both_bools() {
  std::vector<bool> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) x[i] = i % 2 != 0, y[i] = i / 2 % 2 != 0;
  return {"i1", false, {"true", "false"}, {"not"}, {"and", "or", "xor", "maximum", "minimum", "add", "multiply"},
          {Tensor::of<bool>({kCount}, x), Tensor::of<bool>({kCount}, y), bools()}};
}

/// One result for each program.
class Programs {
 public:
  explicit Programs(const Domain& domain) : domain_(domain), array_("tensor<65536x" + std::string(domain.type) + ">") {
    for (size_t k = 0; k < domain.constants.size(); ++k) {
      const std::string& c = domain.constants[k];
      line("%c" + std::to_string(k) + " = stablehlo.constant dense<" + c + "> : " + array_);
      operands_.push_back("%c" + std::to_string(k));
    }
    for (const std::string& op : domain.unary) {
      line("%" + op + "_x = stablehlo." + op + " %x : " + array_);
      operands_.push_back("%" + op + "_x");
    }
    operands_.push_back("%x");
    operands_.push_back("%y");
  }
  void add_binary(const std::string& op) {
    for (const std::string& a : operands_)
      for (const std::string& b : operands_) result("stablehlo." + op + " " + a + ", " + b + " : " + array_, array_);
  }
  void add_unary() {
    for (const std::string& op : domain_.unary)
      for (const std::string& a : operands_) result("stablehlo." + op + " " + a + " : " + array_, array_);
    result("stablehlo.convert %x : " + array_, array_);
  }
  void add_select() {
    line("%yes = stablehlo.constant dense<true> : tensor<65536xi1>");
    line("%no = stablehlo.constant dense<false> : tensor<65536xi1>");
    line("%one_yes = stablehlo.constant dense<true> : tensor<i1>");
    line("%not_p = stablehlo.not %p : tensor<65536xi1>");
    for (const char* p : {"%p", "%not_p", "%yes", "%no", "%one_yes"}) {
      const std::string predicate = p == std::string("%one_yes") ? "tensor<i1>" : "tensor<65536xi1>";
      for (const char* a : {"%x", "%y", "%c0"})
        for (const char* b : {"%x", "%y", "%c0"})
          result("stablehlo.select " + std::string(p) + ", " + a + ", " + b + " : " + predicate + ", " + array_, array_);
    }
  }
  void add_complex() {
    line("%wx = stablehlo.convert %x : (" + array_ + ") -> tensor<65536xf32>");
    line("%wy = stablehlo.convert %y : (" + array_ + ") -> tensor<65536xf32>");
    line("%z = stablehlo.complex %wx, %wy : tensor<65536xcomplex<f32>>");
    for (const char* part : {"real", "imag"})
      result("stablehlo." + std::string(part) + " %z : (tensor<65536xcomplex<f32>>) -> tensor<65536xf32>", "tensor<65536xf32>");
  }
  Module module() const {
    std::string names, types;
    for (size_t k = 0; k < results_.size(); ++k) {
      names += (k ? ", %r" : "%r") + std::to_string(k);
      types += (k ? ", " : "") + results_[k];
    }
    return Module::parse(main_text("(%x: " + array_ + ", %y: " + array_ + ", %p: tensor<65536xi1>) -> (" + types + ")",
                                   body_ + "    return " + names + " : " + types));
  }

 private:
  void line(const std::string& text) { body_ += "    " + text + "\n"; }
  void result(const std::string& op, const std::string& type) {
    line("%r" + std::to_string(results_.size()) + " = " + op);
    results_.push_back(type);
  }
  const Domain& domain_;
  std::string array_, body_;
  std::vector<std::string> operands_, results_;
};

template <class Bits>
bool is_nan(Bits bits) {
  constexpr Bits kInfinity = sizeof(Bits) == 2 ? Bits(0x7c00) : Bits(0x7f800000);
  return static_cast<Bits>(bits << 1) > static_cast<Bits>(kInfinity << 1);
}
/// The first element that differs, NaN being as good as another; -1: none.
template <class Bits>
int64_t first_difference(const Tensor& a, const Tensor& b, bool is_float) {
  const auto x = a.values<Bits>(), y = b.values<Bits>();
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(is_float && is_nan<Bits>(x[i]) && is_nan<Bits>(y[i]))) return static_cast<int64_t>(i);
  return -1;
}
int64_t first_difference(const Tensor& a, const Tensor& b) {
  const bool is_float = a.dtype().is_floating();
  if (a.dtype().itemsize() == 1) return first_difference<uint8_t>(a, b, is_float);
  return a.dtype().itemsize() == 2 ? first_difference<uint16_t>(a, b, is_float) : first_difference<uint32_t>(a, b, is_float);
}

Tensors evaluate(const Module& module, const Tensors& inputs) { return evaluator::run(*evaluator::prepare(module), inputs); }

struct Check {
  std::set<std::string> applied;                 // pictures of rules
  std::vector<std::string> wrong;                // "rule: result 7, element 3"

  void run(const Module& module, const Domain& domain, llvm::ArrayRef<Rule> rules) {
    Tensors before;
    for (const Rule& rule : rules) {
      Module rewritten = module.clone();
      const PipelineOptions options;
      PassContext context{options};
      rewrite(module_op(rewritten), rule, context);
      if (context.applications == 0) continue;
      applied.insert(rule.picture);
      if (before.empty()) before = evaluate(module, domain.inputs);
      const Tensors after = evaluate(rewritten, domain.inputs);
      for (size_t k = 0; k < before.size(); ++k) {
        const int64_t at = first_difference(before[k], after[k]);
        if (at >= 0) wrong.push_back(std::string(rule.picture) + ": " + domain.type + ", result " + std::to_string(k) + ", element " + std::to_string(at));
      }
    }
  }
  void run_all(const Domain& domain, llvm::ArrayRef<Rule> rules) {
    for (const std::string& op : domain.binary) {
      Programs programs(domain);
      programs.add_binary(op);
      run(programs.module(), domain, rules);
    }
    Programs programs(domain);
    programs.add_unary();
    programs.add_select();
    if (domain.is_float) programs.add_complex();
    run(programs.module(), domain, rules);
  }
};

TEST(SimplifyByEnumeration, EachScalarRuleKeepsAllBits) {
  Check check;
  for (const Domain& domain : {int8_pairs(), float16_numbers(), both_bools()}) check.run_all(domain, arithmetic_rules());
  EXPECT_TRUE(check.wrong.empty()) << check.wrong.size() << " differences, among them: " << check.wrong.front();
  for (const Rule& rule : arithmetic_rules()) EXPECT_TRUE(check.applied.contains(rule.picture)) << "never applied: " << rule.picture;
}

// The check sees it where a rule is no identity of IEEE: x + 0.0 is +0.0 for x = -0.0, and nothing else.
TEST(SimplifyByEnumeration, FindsTheNamedException) {
  Check check;
  const Domain domain = float16_numbers();
  check.run_all(domain, zero_sum_rules());
  ASSERT_FALSE(check.wrong.empty());
  const Module sum = Module::parse(main_text("(%x: tensor<65536xf16>, %y: tensor<65536xf16>, %p: tensor<65536xi1>) -> tensor<65536xf16>", R"(
    %c = stablehlo.constant dense<0.0> : tensor<65536xf16>
    %0 = stablehlo.add %x, %c : tensor<65536xf16>
    return %0 : tensor<65536xf16>)"));
  Module dropped = sum.clone();
  const PipelineOptions options;
  PassContext context{options};
  rewrite(module_op(dropped), zero_sum_rules(), context);
  const Tensor before = evaluate(sum, domain.inputs)[0], after = evaluate(dropped, domain.inputs)[0];
  const auto x = before.values<uint16_t>(), y = after.values<uint16_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (is_nan<uint16_t>(x[i]) && is_nan<uint16_t>(y[i]))) continue;
    EXPECT_EQ(i, 0x8000u);
  }
}

}  // namespace
}  // namespace tenon::passes
