#include "analysis/memory_analysis.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "analysis/hlo_builder.h"
#include "dialect/module.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::analysis {
namespace {

using mlir::Operation;
using mlir::Value;

/// A value of the entry computation in an allocation.
struct Tenant {
  std::string name;
  HloShape shape;
  int64_t offset = 0;
};
struct Allocation {
  std::string kind;  ///< "parameter 0", "output", "constant", "preallocated-temp"
  HloShape shape;    ///< of an argument or a result
  int64_t size_bytes = 0;
  std::vector<Tenant> tenants;
};
struct Allocations {
  std::vector<Allocation> arguments, outputs, constants;
  Allocation arena;
  std::set<int64_t> aliased;  ///< arguments that are results

  std::vector<const Allocation*> all() const {
    std::vector<const Allocation*> list;
    for (const auto* group : {&outputs, &arguments, &constants}) {
      for (const Allocation& allocation : *group) list.push_back(&allocation);
    }
    if (arena.size_bytes > 0) list.push_back(&arena);
    return list;
  }
};

std::string name_of(Operation* op, int number) {
  if (auto fusion = mlir::dyn_cast<ir::FusionOp>(op)) return fusion.getName().str();
  return hlo_opcode(op).str() + "." + std::to_string(number);
}

Allocations read(const Module& module) {
  mlir::ModuleOp op = module_op(module);
  Allocations result;
  result.arena.kind = "preallocated-temp";
  if (auto size = op->getAttrOfType<mlir::IntegerAttr>("tenon.temp_size_bytes")) result.arena.size_bytes = size.getInt();
  auto main = op.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return result;
  mlir::Block& body = main.getBody().front();
  for (mlir::BlockArgument argument : body.getArguments()) {
    HloShape shape = hlo_shape(argument.getType());
    std::string number = std::to_string(argument.getArgNumber());
    result.arguments.push_back({"parameter " + number, shape, shape.size_bytes(), {{"Arg_" + number, shape}}});
  }
  std::vector<int64_t> donated_to;  // result -> argument whose memory it is, or -1
  for (Value value : body.getTerminator()->getOperands()) {
    HloShape shape = hlo_shape(value.getType());
    result.outputs.push_back({"output", shape, shape.size_bytes(), {}});
  }
  int number = 0;
  for (Operation& entry : body.without_terminator()) {
    ++number;
    auto buffers = entry.getAttrOfType<mlir::ArrayAttr>("tenon.buffers");
    if (!buffers) continue;
    for (auto [value, attribute] : llvm::zip(entry.getResults(), buffers)) {
      auto buffer = mlir::cast<ir::BufferAttr>(attribute);
      Tenant tenant{name_of(&entry, number), hlo_shape(value.getType()), buffer.getOffset()};
      size_t index = static_cast<size_t>(buffer.getIndex());
      switch (buffer.getKind()) {
        case ir::BufferKind::Argument:
          if (index < result.arguments.size()) result.arguments[index].tenants.push_back(tenant);
          break;
        case ir::BufferKind::Output:
          if (index < result.outputs.size()) result.outputs[index].tenants.push_back(tenant);
          break;
        case ir::BufferKind::Constant:
          if (!mlir::isa<stablehlo::ConstantOp>(entry)) break;
          result.constants.push_back({"constant", tenant.shape, tenant.shape.size_bytes(), {tenant}});
          break;
        case ir::BufferKind::Temp:
          result.arena.tenants.push_back(tenant);
          break;
      }
    }
  }
  HloModule hlo = to_hlo(module);
  for (const HloModule::Alias& alias : hlo.aliases) result.aliased.insert(alias.parameter);
  // A result in an argument's memory has no allocation of its own.
  std::vector<Allocation> outputs;
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    bool aliased = std::ranges::any_of(hlo.aliases, [&](const HloModule::Alias& a) { return a.output == static_cast<int>(i); });
    if (!aliased) outputs.push_back(result.outputs[i]);
  }
  result.outputs = std::move(outputs);
  return result;
}

std::string mebibytes(int64_t bytes) {
  char text[40];
  if (bytes >= 1 << 20) {
    std::snprintf(text, sizeof text, "%.2fMiB", static_cast<double>(bytes) / (1 << 20));
  } else if (bytes >= 1 << 10) {
    std::snprintf(text, sizeof text, "%.1fKiB", static_cast<double>(bytes) / (1 << 10));
  } else {
    std::snprintf(text, sizeof text, "%lldB", static_cast<long long>(bytes));
  }
  return text;
}

}  // namespace

MemoryAnalysis memory_analysis(const Module& module) {
  Allocations allocations = read(module);
  MemoryAnalysis memory;
  for (const Allocation& argument : allocations.arguments) memory.argument_size_in_bytes += argument.size_bytes;
  for (const Allocation& output : allocations.outputs) memory.output_size_in_bytes += output.size_bytes;
  for (int64_t argument : allocations.aliased) {
    memory.alias_size_in_bytes += allocations.arguments[argument].size_bytes;
    memory.output_size_in_bytes += allocations.arguments[argument].size_bytes;
  }
  memory.temp_size_in_bytes = allocations.arena.size_bytes;
  memory.peak_memory_in_bytes = memory.argument_size_in_bytes + memory.output_size_in_bytes +
                                memory.temp_size_in_bytes - memory.alias_size_in_bytes;
  return memory;
}

std::string buffer_assignment_text(const Module& module) {
  Allocations allocations = read(module);
  std::string text = "BufferAssignment:\n";
  int number = 0;
  for (const Allocation* allocation : allocations.all()) {
    text += "allocation " + std::to_string(number++) + ": size " + std::to_string(allocation->size_bytes) + ", ";
    if (allocation->kind == "output") {
      text += "output shape is |" + allocation->shape.str(false) + "|, maybe-live-out:\n";
    } else if (allocation->kind.starts_with("parameter")) {
      text += allocation->kind + ", shape |" + allocation->shape.str(false) + "| at ShapeIndex {}:\n";
    } else {
      text += allocation->kind + ":\n";
    }
    for (const Tenant& tenant : allocation->tenants) {
      text += " value: <" + tenant.name + " @0> (size=" + std::to_string(tenant.shape.size_bytes()) +
              ",offset=" + std::to_string(tenant.offset) + "): " + tenant.shape.str() + "\n";
    }
  }
  return text;
}

std::string memory_usage_report(const Module& module) {
  Allocations allocations = read(module);
  std::vector<const Allocation*> list = allocations.all();
  std::ranges::stable_sort(list, [](const Allocation* a, const Allocation* b) { return a->size_bytes > b->size_bytes; });
  int64_t total = 0, cumulative = 0;
  for (const Allocation* allocation : list) total += allocation->size_bytes;
  std::string text = "Memory Space: default (color=0)\nTotal bytes: " + std::to_string(total) + " (" + mebibytes(total) + ")\n";
  for (const Allocation* allocation : list) {
    cumulative += allocation->size_bytes;
    std::string shapes;
    for (const Tenant& tenant : allocation->tenants) shapes += (shapes.empty() ? " " : ", ") + tenant.shape.str(false);
    char row[160];
    std::snprintf(row, sizeof row, "%12s(%3.0f%%); %10s; %12d; %16zu;", mebibytes(cumulative).c_str(),
                  total == 0 ? 100.0 : 100.0 * static_cast<double>(cumulative) / static_cast<double>(total),
                  mebibytes(allocation->size_bytes).c_str(), 0, allocation->tenants.size());
    text += "  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n"
            "  ------------------------------------------------------------\n" +
            std::string(row) + shapes + "\n\n";
  }
  return text;
}

}  // namespace tenon::analysis
