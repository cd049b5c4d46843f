// Kernels that run other programs: calls, branches, loops.
#include <algorithm>
#include <cstring>

#include "evaluator/kernels.h"

namespace tenon::evaluator {
namespace {

class Call : public Kernel {
 public:
  explicit Call(ProgramRef callee) : callee_(std::move(callee)) {}
  void run(const void* const* operands, void* const* results) const override { callee_->run(operands, results); }

  bool has_compiled_bits() const override { return callee_->has_compiled_bits(); }

 private:
  ProgramRef callee_;
};

class HostCall : public Kernel {
 public:
  explicit HostCall(detail::HostCalleeRef callee) : callee_(std::move(callee)) {}
  void run(const void* const* operands, void* const* results) const override { callee_->call(operands, results); }

 private:
  detail::HostCalleeRef callee_;
};

class Case : public Kernel {
 public:
  Case(std::vector<ProgramRef> branches, bool is_predicate)
      : branches_(std::move(branches)), is_predicate_(is_predicate) {}
  void run(const void* const* operands, void* const* results) const override {
    const auto count = static_cast<std::int32_t>(branches_.size());
    std::int32_t index;
    if (is_predicate_) {
      index = *static_cast<const bool*>(operands[0]) ? 0 : 1;
    } else {
      index = *static_cast<const std::int32_t*>(operands[0]);
      if (index < 0 || index >= count) index = count - 1;
    }
    branches_[static_cast<std::size_t>(index)]->run(operands + 1, results);
  }

  bool has_compiled_bits() const override {
    return std::ranges::all_of(branches_, [](const ProgramRef& branch) { return branch->has_compiled_bits(); });
  }

 private:
  std::vector<ProgramRef> branches_;
  bool is_predicate_;
};

class While : public Kernel {
 public:
  While(ProgramRef condition, ProgramRef body, int carry_count)
      : condition_(std::move(condition)), body_(std::move(body)), carry_count_(static_cast<std::size_t>(carry_count)) {}

  void run(const void* const* operands, void* const* results) const override {
    const Avals& avals = body_->argument_avals();
    std::vector<Tensor> spare;
    std::vector<void*> now(results, results + carry_count_), next(carry_count_);
    std::vector<const void*> arguments(operands, operands + avals.size());
    for (std::size_t i = 0; i < carry_count_; ++i) {
      spare.emplace_back(avals[i]);
      next[i] = spare[i].mutable_data();
      copy(operands[i], now[i], avals[i]);
      arguments[i] = now[i];
    }
    bool again = false;
    void* condition_result = &again;
    for (;;) {
      condition_->run(arguments.data(), &condition_result);
      if (!again) break;
      body_->run(arguments.data(), next.data());
      now.swap(next);
      for (std::size_t i = 0; i < carry_count_; ++i) arguments[i] = now[i];
    }
    for (std::size_t i = 0; i < carry_count_; ++i)
      if (now[i] != results[i]) copy(now[i], results[i], avals[i]);
  }

  bool has_compiled_bits() const override { return condition_->has_compiled_bits() && body_->has_compiled_bits(); }

 private:
  static void copy(const void* from, void* to, const Aval& aval) {
    if (const std::int64_t size = aval.nbytes(); size > 0) std::memcpy(to, from, static_cast<std::size_t>(size));
  }
  ProgramRef condition_, body_;
  std::size_t carry_count_;
};

class Map : public Kernel {
 public:
  Map(const Avals& operands, const Aval& result, ProgramRef computation)
      : count_(result.shape.num_elements()), result_itemsize_(result.dtype.itemsize()),
        computation_(std::move(computation)) {
    for (const Aval& operand : operands) itemsizes_.push_back(operand.dtype.itemsize());
  }
  void run(const void* const* operands, void* const* results) const override {
    std::vector<const void*> elements(itemsizes_.size());
    for (std::int64_t i = 0; i < count_; ++i) {
      for (std::size_t o = 0; o < elements.size(); ++o)
        elements[o] = static_cast<const std::byte*>(operands[o]) + i * itemsizes_[o];
      void* out = static_cast<std::byte*>(results[0]) + i * result_itemsize_;
      computation_->run(elements.data(), &out);
    }
  }

 private:
  std::int64_t count_;
  int result_itemsize_;
  ProgramRef computation_;
  std::vector<int> itemsizes_;
};

}  // namespace

KernelRef call_kernel(ProgramRef callee) { return std::make_shared<Call>(std::move(callee)); }
KernelRef host_call_kernel(detail::HostCalleeRef callee) { return std::make_shared<HostCall>(std::move(callee)); }
KernelRef case_kernel(std::vector<ProgramRef> branches, bool is_predicate) {
  return std::make_shared<Case>(std::move(branches), is_predicate);
}
KernelRef while_kernel(ProgramRef condition, ProgramRef body, int carry_count) {
  return std::make_shared<While>(std::move(condition), std::move(body), carry_count);
}
KernelRef map_kernel(const Avals& operands, const Aval& result, ProgramRef computation) {
  return std::make_shared<Map>(operands, result, std::move(computation));
}

}  // namespace tenon::evaluator
