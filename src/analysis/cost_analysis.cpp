// HloCostAnalysis over our own HLO: each rule below is one that XLA applies, quirks included, so that equal
// graphs give equal numbers.
#include "analysis/cost_analysis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/hlo.h"

namespace tenon::analysis {
namespace {

/// Bytes of an entry of the pointer table of a tuple, as the CPU client counts them.
constexpr double kTupleEntryBytes = 4;

struct Cost {
  double flops = 0, transcendentals = 0, bytes = 0, bytes_out = 0;
  double wide_flops = 0, wide_transcendentals = 0;  // on numbers of 64 bits
  std::vector<double> operand_bytes, utilization, leaf_bytes_out;

  static double& at(std::vector<double>& values, size_t i) {
    if (values.size() <= i) values.resize(i + 1);
    return values[i];
  }
  void add(const Cost& other) {
    flops += other.flops;
    transcendentals += other.transcendentals;
    wide_flops += other.wide_flops;
    wide_transcendentals += other.wide_transcendentals;
    bytes += other.bytes;
    bytes_out += other.bytes_out;
    for (size_t i = 0; i < other.operand_bytes.size(); ++i) at(operand_bytes, i) += other.operand_bytes[i];
    for (size_t i = 0; i < other.utilization.size(); ++i) at(utilization, i) += other.utilization[i];
    for (size_t i = 0; i < other.leaf_bytes_out.size(); ++i) at(leaf_bytes_out, i) += other.leaf_bytes_out[i];
  }
  /// Each number the larger one of both.
  void maximize(const Cost& other) {
    const auto one = [](double& a, double b) { a = std::max(a, b); };
    const auto all = [&](std::vector<double>& a, const std::vector<double>& b) {
      for (size_t i = 0; i < b.size(); ++i) one(at(a, i), b[i]);
    };
    one(flops, other.flops), one(transcendentals, other.transcendentals);
    one(wide_flops, other.wide_flops), one(wide_transcendentals, other.wide_transcendentals);
    one(bytes, other.bytes), one(bytes_out, other.bytes_out);
    all(operand_bytes, other.operand_bytes), all(utilization, other.utilization), all(leaf_bytes_out, other.leaf_bytes_out);
  }
};

bool is_wide(const HloShape& shape) {
  const HloShape& array = shape.is_tuple() && !shape.tuple.empty() ? shape.tuple.front() : shape;
  return array.element == "f64" || array.element == "c128" || array.element == "s64" || array.element == "u64";
}

class Counter {
 public:
  explicit Counter(const HloModule& module) : module_(module) {}

  /// Appends what `index` starts.
  void list(int index, int depth, int branch, KernelCosts& out) {
    const HloComputation& computation = module_.computations[index];
    for (const HloInstruction& instruction : computation.instructions) {
      const Cost cost = count(computation, instruction);
      if (instruction.launch < 0) {
        if (depth == 0) out.other_bytes += cost.bytes;
        continue;
      }
      out.kernels.push_back({instruction.name, instruction.opcode, instruction.launch, depth, branch, cost.flops, cost.transcendentals, cost.bytes,
                             cost.wide_flops, cost.wide_transcendentals, instruction.op_name,
                             instruction.source_file.empty() ? std::string() : instruction.source_file + ":" + std::to_string(instruction.source_line)});
      for (size_t k = 0; k < instruction.branches.size(); ++k) list(instruction.branches[k], depth + 1, static_cast<int>(k), out);
    }
  }

  Cost computation(int index) {
    Cost sum;
    const HloComputation& computation = module_.computations[index];
    for (const HloInstruction& instruction : computation.instructions) sum.add(count(computation, instruction));
    return sum;
  }

 private:
  const HloShape& operand(const HloComputation& computation, const HloInstruction& instruction, size_t i) const {
    return computation.instructions[instruction.operands[i]].shape;
  }

  Cost count(const HloComputation& computation, const HloInstruction& instruction) {
    Cost cost;
    if (instruction.cost == HloCost::free) {  // a name for the memory of its operand
      cost.utilization.assign(instruction.operands.size(), 1);
      return cost;
    }
    const double elements = static_cast<double>(instruction.shape.elements());
    auto move_all = [&](const auto& bytes_of_operand, double bytes_out) {
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        Cost::at(cost.operand_bytes, i) = bytes_of_operand(i);
        Cost::at(cost.utilization, i) = 1;
        cost.bytes += cost.operand_bytes[i];
      }
      cost.bytes_out = bytes_out;
      cost.bytes += bytes_out;
    };
    auto size_of_operand = [&](size_t i) { return static_cast<double>(operand(computation, instruction, i).size_bytes()); };
    const double size_out = static_cast<double>(instruction.shape.size_bytes());
    // By what is read: a comparison is of its operands' type.
    const bool wide = is_wide(instruction.operands.empty() ? instruction.shape : operand(computation, instruction, 0));

    switch (instruction.cost) {
      case HloCost::free:
        break;
      case HloCost::move:
        move_all(size_of_operand, size_out);
        break;
      case HloCost::elementwise:
        cost.flops = elements;
        move_all(size_of_operand, size_out);
        break;
      case HloCost::transcendental:
        cost.transcendentals = elements;
        move_all(size_of_operand, size_out);
        break;
      case HloCost::reduce: {
        Cost combiner = this->computation(instruction.computation);
        const HloShape& result = instruction.shape.is_tuple() ? instruction.shape.tuple[0] : instruction.shape;
        double combinations = static_cast<double>(operand(computation, instruction, 0).elements() - result.elements());
        cost.flops = combinations * combiner.flops;
        cost.transcendentals = combinations * combiner.transcendentals;
        move_all(size_of_operand, size_out);
        break;
      }
      case HloCost::dot:
        cost.flops = 2 * elements * static_cast<double>(instruction.contracted_elements);
        move_all(size_of_operand, size_out);
        break;
      case HloCost::fft:
        cost.flops = 8 * static_cast<double>(operand(computation, instruction, 0).elements() * instruction.log_lengths);
        move_all(size_of_operand, size_out);
        break;
      case HloCost::sort: {
        const double sorted = static_cast<double>(operand(computation, instruction, 0).elements());
        if (sorted > 1) cost.flops = sorted * std::ceil(std::log2(sorted));
        move_all(size_of_operand, size_out);
        break;
      }
      case HloCost::slice:
      case HloCost::gather:
        move_all([&](size_t i) { return i == 0 ? size_out : size_of_operand(i); }, size_out);
        break;
      case HloCost::update: {
        double updated = size_of_operand(1);
        move_all([&](size_t i) { return i == 0 ? 0.0 : size_of_operand(i); }, updated);
        break;
      }
      case HloCost::tuple:
        for (size_t i = 0; i < instruction.operands.size(); ++i) Cost::at(cost.utilization, i) = 1;
        cost.bytes = cost.bytes_out = kTupleEntryBytes * static_cast<double>(instruction.operands.size());
        break;
      case HloCost::control: {
        if (instruction.opcode == "while") {
          for (int branch : instruction.branches) cost.add(this->computation(branch));
          return cost;
        }
        for (int branch : instruction.branches) cost.maximize(this->computation(branch));
        return cost;
      }
      case HloCost::call:
        cost = this->computation(instruction.computation);
        return cost;
      case HloCost::fusion:
        return fusion(instruction);
    }
    if (wide) cost.wide_flops = cost.flops, cost.wide_transcendentals = cost.transcendentals;
    return cost;
  }

  /// The sums over the inside keep their per-operand entries beyond the fusion's own operands, as XLA does.
  Cost fusion(const HloInstruction& instruction) {
    const HloComputation& inside = module_.computations[instruction.computation];
    Cost cost = computation(instruction.computation);
    cost.bytes = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      Cost::at(cost.operand_bytes, i) = parameter_bytes(inside, static_cast<int>(i));
      Cost::at(cost.utilization, i) = 1;
      cost.bytes += cost.operand_bytes[i];
    }
    for (const HloInstruction& fused : inside.instructions) {  // arrays baked into the kernel are read as well
      if (fused.opcode == "constant" && fused.shape.elements() > 1) cost.bytes += static_cast<double>(fused.shape.size_bytes());
    }
    cost.leaf_bytes_out.clear();
    const HloInstruction& root = inside.instructions.back();
    auto written = [](const HloInstruction& value, double size, const HloComputation& in) {
      return value.cost == HloCost::update ? static_cast<double>(in.instructions[value.operands[1]].shape.size_bytes()) : size;
    };
    if (instruction.shape.is_tuple()) {
      cost.bytes_out = 0;
      for (size_t i = 0; i < instruction.shape.tuple.size(); ++i) {
        double size = static_cast<double>(instruction.shape.tuple[i].size_bytes());
        if (root.opcode == "tuple") size = written(inside.instructions[root.operands[i]], size, inside);
        cost.leaf_bytes_out.push_back(size);
        cost.bytes_out += size;
      }
    } else {
      cost.bytes_out = written(root, static_cast<double>(instruction.shape.size_bytes()), inside);
    }
    cost.bytes += cost.bytes_out;
    return cost;
  }

  /// A parameter that is only sliced is read where it is sliced; any other use reads all of it, once.
  static double parameter_bytes(const HloComputation& inside, int number) {
    int position = 0;
    while (inside.instructions[position].parameter_number != number) ++position;
    double sliced = 0;
    bool whole = false;
    for (const HloInstruction& user : inside.instructions) {
      for (size_t i = 0; i < user.operands.size(); ++i) {
        if (user.operands[i] != position) continue;
        if (user.cost == HloCost::slice && i == 0) {
          sliced += static_cast<double>(user.shape.size_bytes());
        } else if (!(user.cost == HloCost::update && i == 0)) {
          whole = true;
        }
      }
    }
    return sliced + (whole ? static_cast<double>(inside.instructions[position].shape.size_bytes()) : 0);
  }

  const HloModule& module_;
};

}  // namespace

KernelCosts kernel_costs(const Module& module) {
  const HloModule hlo = to_hlo(module);
  KernelCosts costs;
  if (!hlo.computations.empty()) Counter(hlo).list(static_cast<int>(hlo.computations.size()) - 1, 0, 0, costs);
  return costs;
}

CostMap cost_analysis(const Module& module) {
  HloModule hlo = to_hlo(module);
  Cost cost = Counter(hlo).computation(static_cast<int>(hlo.computations.size()) - 1);
  CostMap map;
  auto put = [&](const std::string& key, double value) {
    if (value != 0) map[key] = value;
  };
  put("flops", cost.flops);
  put("transcendentals", cost.transcendentals);
  put("bytes accessed", cost.bytes);
  put("bytes accessedout{}", cost.bytes_out);
  for (size_t i = 0; i < cost.operand_bytes.size(); ++i) put("bytes accessed" + std::to_string(i) + "{}", cost.operand_bytes[i]);
  for (size_t i = 0; i < cost.utilization.size(); ++i) put("utilization" + std::to_string(i) + "{}", cost.utilization[i]);
  for (size_t i = 0; i < cost.leaf_bytes_out.size(); ++i) {
    put("bytes accessedout{" + std::to_string(i) + "}", cost.leaf_bytes_out[i]);
  }
  return map;
}

}  // namespace tenon::analysis
