#include "evaluator/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

#include "base/fail.h"
#include "evaluator/program_builder.h"

namespace tenon::evaluator {

// ---- running

void Program::run(const void* const* arguments, void* const* results) const {
  // Small programs (most eager operations) touch no allocator.
  constexpr std::size_t few_values = 64;
  constexpr std::int64_t small_arena_bytes = 4096;
  void* few[few_values];
  alignas(64) std::byte small_arena[small_arena_bytes];
  try {
    std::vector<void*> many(places_.size() > few_values ? places_.size() : 0);
    void** values = many.empty() ? few : many.data();
    std::shared_ptr<void> large_arena;
    std::byte* arena = small_arena;
    if (arena_bytes_ > small_arena_bytes) {
      large_arena = allocate(arena_bytes_);
      arena = static_cast<std::byte*>(large_arena.get());
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      switch (place.kind) {
        case PlaceKind::argument: values[i] = const_cast<void*>(arguments[place.where]); break;
        case PlaceKind::constant: values[i] = const_cast<void*>(constants_[place.where].get()); break;
        case PlaceKind::result: values[i] = results[place.where]; break;
        case PlaceKind::temp: values[i] = arena + place.where; break;
      }
    }
    void* few_pointers[16];
    std::vector<void*> many_pointers(most_pointers_ > 16 ? most_pointers_ : 0);
    void** pointers = many_pointers.empty() ? few_pointers : many_pointers.data();
    for (const Step& step : steps_) {
      const std::int32_t count = step.operand_count + step.result_count;
      for (std::int32_t i = 0; i < count; ++i) pointers[i] = values[operands_[step.first + i]];
      step.kernel->run(pointers, pointers + step.operand_count);
    }
    for (const Copy& copy : copies_) {
      if (copy.size_bytes > 0)
        std::memcpy(results[copy.result], values[copy.value], static_cast<std::size_t>(copy.size_bytes));
    }
  } catch (const std::bad_alloc&) {
    fail<OutOfMemoryError>("evaluator", "no memory for the scratch of an operation");
  }
}

std::vector<Tensor> run(const Program& program, std::span<const Tensor> arguments) {
  const Avals& expected = program.argument_avals();
  if (arguments.size() != expected.size())
    fail<TypeError>("evaluator", "the program takes ", expected.size(), " arguments; got ", arguments.size());
  std::vector<const void*> inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].dtype() != expected[i].dtype)
      fail<TypeError>("evaluator", "argument ", i, " has another dtype than the program takes; got ",
                      arguments[i].aval(), " for ", expected[i]);
    if (arguments[i].shape() != expected[i].shape)
      fail<ShapeError>("evaluator", "argument ", i, " has another shape than the program takes; got ",
                       arguments[i].aval(), " for ", expected[i]);
    inputs.push_back(arguments[i].data());
  }
  std::vector<Tensor> results;
  std::vector<void*> outputs;
  for (const Aval& aval : program.result_avals()) {
    results.emplace_back(aval);
    outputs.push_back(results.back().mutable_data());
  }
  program.run(inputs.data(), outputs.data());
  return results;
}

// ---- building

int ProgramBuilder::add_value(const Aval& aval, Program::Place place) {
  avals_.push_back(aval);
  program_->places_.push_back(place);
  return static_cast<int>(avals_.size()) - 1;
}

int ProgramBuilder::argument(const Aval& aval) {
  const auto index = static_cast<std::int64_t>(program_->argument_avals_.size());
  program_->argument_avals_.push_back(aval);
  return add_value(aval, {Program::PlaceKind::argument, index});
}

int ProgramBuilder::constant(const Aval& aval, std::shared_ptr<const void> data) {
  const auto index = static_cast<std::int64_t>(program_->constants_.size());
  program_->constants_.push_back(std::move(data));
  return add_value(aval, {Program::PlaceKind::constant, index});
}

int ProgramBuilder::step(KernelRef kernel, const std::vector<int>& operands, const Avals& results) {
  Program& program = *program_;
  const int first_value = static_cast<int>(avals_.size());
  program.steps_.push_back({std::move(kernel), static_cast<std::int32_t>(program.operands_.size()),
                            static_cast<std::int32_t>(operands.size()), static_cast<std::int32_t>(results.size())});
  program.most_pointers_ = std::max(program.most_pointers_, operands.size() + results.size());
  program.operands_.insert(program.operands_.end(), operands.begin(), operands.end());
  for (const Aval& aval : results)
    program.operands_.push_back(add_value(aval, {Program::PlaceKind::temp, 0}));
  return first_value;
}

/// Places of an arena, by best fit among those that are free.
class ArenaPlan {
 public:
  std::int64_t take(std::int64_t size) {
    auto best = free_.lower_bound(size);
    if (best == free_.end()) {
      const std::int64_t offset = end_;
      if (__builtin_add_overflow(end_, size, &end_))
        fail<OutOfMemoryError>("evaluator", "the program's arrays do not fit in 63 bits of address");
      return offset;
    }
    const auto [block_size, offset] = *best;
    free_.erase(best);
    if (block_size > size) free_.emplace(block_size - size, offset + size);
    return offset;
  }
  void give_back(std::int64_t offset, std::int64_t size) { free_.emplace(size, offset); }
  std::int64_t size_bytes() const { return end_; }

 private:
  std::multimap<std::int64_t, std::int64_t> free_;  // size -> offset
  std::int64_t end_ = 0;
};

ProgramRef ProgramBuilder::finish(const std::vector<int>& results, const Avals& avals) {
  Program& program = *program_;
  program.result_avals_ = avals;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const int value = results[r];
    Program::Place& place = program.places_[value];
    if (place.kind == Program::PlaceKind::temp)
      place = {Program::PlaceKind::result, static_cast<std::int64_t>(r)};
    else
      program.copies_.push_back({value, static_cast<std::int32_t>(r), avals_[value].nbytes()});
  }

  std::vector<std::int64_t> last_use(avals_.size(), -1);
  for (std::size_t s = 0; s < program.steps_.size(); ++s) {
    const Program::Step& step = program.steps_[s];
    for (int i = 0; i < step.operand_count + step.result_count; ++i)
      last_use[program.operands_[step.first + i]] = static_cast<std::int64_t>(s);
  }
  ArenaPlan plan;
  const auto padded_size = [&](int value) {
    std::int64_t size = avals_[value].nbytes();
    if (__builtin_add_overflow(size, 63, &size))
      fail<OutOfMemoryError>("evaluator", "an array does not fit in 63 bits of address; got ", avals_[value]);
    return std::max<std::int64_t>(size & ~std::int64_t{63}, 64);
  };
  for (std::size_t s = 0; s < program.steps_.size(); ++s) {
    const Program::Step& step = program.steps_[s];
    const auto is_temp = [&](int value) { return program.places_[value].kind == Program::PlaceKind::temp; };
    for (int i = step.operand_count; i < step.operand_count + step.result_count; ++i) {
      const int value = program.operands_[step.first + i];
      if (is_temp(value)) program.places_[value].where = plan.take(padded_size(value));
    }
    for (int i = 0; i < step.operand_count + step.result_count; ++i) {
      const int value = program.operands_[step.first + i];
      if (is_temp(value) && last_use[value] == static_cast<std::int64_t>(s)) {
        plan.give_back(program.places_[value].where, padded_size(value));
        last_use[value] = -1;  // once, also where it is an operand twice
      }
    }
  }
  program.arena_bytes_ = plan.size_bytes();
  return std::move(program_);
}

}  // namespace tenon::evaluator
