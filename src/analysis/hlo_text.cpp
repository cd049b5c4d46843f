// Prints HLO as XLA does: callees first, every name with a percent sign, layouts, metadata.
#include "analysis/hlo_text.h"

#include "analysis/hlo.h"

namespace tenon::analysis {

static std::string braced(const std::vector<int64_t>& values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text + "}";
}

int64_t HloShape::elements() const {
  if (is_tuple()) {
    int64_t sum = 0;
    for (const HloShape& leaf : tuple) sum += leaf.elements();
    return sum;
  }
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

int64_t HloShape::size_bytes() const {
  if (!is_tuple()) return elements() * element_bytes;
  int64_t sum = 0;
  for (const HloShape& leaf : tuple) sum += leaf.size_bytes();
  return sum;
}

std::string HloShape::str(bool layout) const {
  std::string text;
  if (is_tuple()) {
    for (const HloShape& leaf : tuple) text += (text.empty() ? "(" : ", ") + leaf.str(layout);
    return text.empty() ? "()" : text + ")";
  }
  text = element + "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  text += "]";
  return layout && !dims.empty() ? text + braced(minor_to_major) : text;
}

static std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

static void print_instruction(const HloModule& module, const HloComputation& computation, const HloInstruction& instruction,
                              bool metadata, std::string& out) {
  out += "%" + instruction.name + " = " + instruction.shape.str() + " " + instruction.opcode + "(";
  if (instruction.parameter_number >= 0) out += std::to_string(instruction.parameter_number);
  out += instruction.literal;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    out += (i ? ", %" : "%") + computation.instructions[instruction.operands[i]].name;
  }
  out += ")";
  for (const std::string& attribute : instruction.attributes) out += ", " + attribute;
  if (instruction.computation >= 0) {
    out += ", " + instruction.calls_keyword + "=%" + module.computations[instruction.computation].name;
  }
  if (!instruction.branches.empty()) {
    const auto name = [&](int branch) { return "%" + module.computations[branch].name; };
    if (instruction.opcode == "while") {
      out += ", condition=" + name(instruction.branches[0]) + ", body=" + name(instruction.branches[1]);
    } else {
      out += ", branch_computations={";
      for (size_t i = 0; i < instruction.branches.size(); ++i) out += (i ? ", " : "") + name(instruction.branches[i]);
      out += "}";
    }
  }
  if (metadata && !(instruction.op_name.empty() && instruction.source_file.empty())) {
    out += ", metadata={";
    std::string separator;
    if (!instruction.op_name.empty()) {
      out += "op_name=" + quoted(instruction.op_name);
      separator = " ";
    }
    if (!instruction.source_file.empty()) {
      out += separator + "source_file=" + quoted(instruction.source_file) +
             " source_line=" + std::to_string(instruction.source_line);
    }
    out += "}";
  }
}

static std::vector<const HloInstruction*> parameters_of(const HloComputation& computation) {
  std::vector<const HloInstruction*> parameters;
  for (const HloInstruction& instruction : computation.instructions) {
    if (instruction.parameter_number < 0) continue;
    if (parameters.size() <= static_cast<size_t>(instruction.parameter_number)) {
      parameters.resize(instruction.parameter_number + 1);
    }
    parameters[instruction.parameter_number] = &instruction;
  }
  return parameters;
}

std::string print(const HloModule& module, bool metadata) {
  const HloComputation& entry = module.computations.back();
  std::string out = "HloModule " + module.name;
  if (module.is_scheduled) out += ", is_scheduled=true";
  if (!module.aliases.empty()) {
    out += ", input_output_alias={";
    bool many = entry.instructions.back().shape.is_tuple();
    for (const HloModule::Alias& alias : module.aliases) {
      out += " {" + (many ? std::to_string(alias.output) : "") + "}: (" + std::to_string(alias.parameter) + ", {}, may-alias)";
      out += &alias == &module.aliases.back() ? " }" : ",";
    }
  }
  out += ", entry_computation_layout={(";
  bool first = true;
  for (const HloInstruction* parameter : parameters_of(entry)) {
    out += (first ? "" : ", ") + parameter->shape.str();
    first = false;
  }
  out += ")->" + entry.instructions.back().shape.str() + "}\n\n";

  for (const HloComputation& computation : module.computations) {
    out += (&computation == &entry ? "ENTRY %" : "%") + computation.name + " (";
    first = true;
    for (const HloInstruction* parameter : parameters_of(computation)) {
      out += (first ? "" : ", ") + parameter->name + ": " + parameter->shape.str(false);
      first = false;
    }
    out += ") -> " + computation.instructions.back().shape.str(false) + " {\n";
    for (const HloInstruction& instruction : computation.instructions) {
      out += &instruction == &computation.instructions.back() ? "  ROOT " : "  ";
      print_instruction(module, computation, instruction, metadata, out);
      out += "\n";
    }
    out += "}\n\n";
  }
  return out;
}

std::string hlo_text(const Module& module, const HloTextOptions& options) {
  return print(to_hlo(module), options.metadata);
}

}  // namespace tenon::analysis
