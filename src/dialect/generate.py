"""Derives C++ from the records of the dialects (llvm-tblgen --dump-json).

    generate.py scalar_ops stablehlo.json chlo.json -o scalar_op.inc
    generate.py builder_ops stablehlo.json chlo.json -o stablehlo_builder_ops.inc
    generate.py builder_enums stablehlo.json chlo.json -o stablehlo_builder_enums.inc
"""
import argparse
import json


class Dialect:
    """The operation records of one dialect, ordered by mnemonic."""

    def __init__(self, path):
        with open(path) as file:
            self.records = json.load(file)
        self.name = path.rsplit("/", 1)[-1].removesuffix(".json")
        self.ops = sorted((self.records[name] for name in self.records["!instanceof"]["Fact_Op"]),
                          key=lambda op: op["opName"])

    def is_operand(self, record):
        return record in self.records["!instanceof"]["TypeConstraint"]

    def operands(self, op):
        return [name for record, name in op["arguments"]["args"] if self.is_operand(record["def"])]


def scalar_ops(dialects):
    """TENON_SCALAR_OP(enumerator, mnemonic, number of operands): one line for each scalar function."""
    lines = {}
    for dialect in dialects:
        for op in dialect.ops:
            if op["scalar"]:
                lines.setdefault(op["scalar"], 'TENON_SCALAR_OP(%s, "%s", %d)' % (
                    op["scalar"], op["opName"], len(dialect.operands(op))))
    return "".join(line + "\n" for _, line in sorted(lines.items()))


# ---- the builder of lowering rules (include/tenon/stablehlo_builder.h)

KEYWORDS = {"and", "or", "not", "xor", "case", "while", "if", "return", "auto", "switch"}


def cpp_name(op, prefix):
    name = prefix + op["opName"].replace("-", "_")
    return name + "_" if name in KEYWORDS else name


class Argument:
    """One argument of an operation: how it is declared and how it is handed to `create`."""

    def __init__(self, dialect, record_name, name):
        record = dialect.records[record_name]
        classes = record["!superclasses"]
        self.name = name + "_" if name in KEYWORDS else name
        self.is_operand = dialect.is_operand(record_name)
        if self.is_operand:
            self.variadic = "Variadic" in classes
            self.optional = "Optional" in classes
            self.type = "const Values&" if self.variadic else "const Value&"
            self.default = " = {}" if self.optional else ""
            return
        self.variadic = False
        self.optional = bool(record.get("isOptional")) or record.get("defaultValue") is not None
        base = dialect.records[record["baseAttr"]["def"]] if record.get("baseAttr") else record
        storage = (base.get("storageType") or "").strip()
        self.default, self.value = "", None
        by_storage = {
            "::mlir::DenseI64ArrayAttr": ("const Ints&", "Attribute::integers(%s.values)"),
            "::mlir::BoolAttr": ("bool", "Attribute::boolean(%s)"),
            "::mlir::UnitAttr": ("bool", "Attribute::unit(%s)"),
            "::mlir::FloatAttr": ("double", "Attribute::number(%s)"),
            "::mlir::StringAttr": ("std::string_view", "Attribute::string(%s)"),
            "::tenon::stablehlo::GatherDimensionNumbersAttr": ("const GatherDims&", "Attribute::parsed(%s.str())"),
            "::tenon::stablehlo::DotDimensionNumbersAttr": ("const DotDims&", "Attribute::parsed(%s.str())"),
            "::tenon::stablehlo::ScatterDimensionNumbersAttr": ("const ScatterDims&", "Attribute::parsed(%s.str())"),
        }
        if storage == "::mlir::IntegerAttr" and (not self.optional or record["defaultValue"]):
            bits = 32 if "I32Attr" in (record_name, (record.get("baseAttr") or {}).get("def")) else 64
            self.type, self.value = "int64_t", "Attribute::integer(%s, " + str(bits) + ")"
            if self.optional:
                self.default = " = " + record["defaultValue"]
        elif storage in by_storage:
            self.type, self.value = by_storage[storage]
            if self.optional:
                self.default = " = {}" if self.type != "bool" else " = " + (record.get("defaultValue") or "false")
        elif "KeywordAttr" in base["!superclasses"] and not self.optional:
            enum = base["enum"]["def"]
            self.type = dialect.records[enum]["className"]
            self.value = "Attribute::parsed(text(%s))"
        else:
            # Anything else is given as MLIR prints it.
            self.type, self.value = "std::string_view", "Attribute::parsed(%s)"
            self.default = " = {}" if self.optional else ""

    def declaration(self, with_default):
        return self.type + " " + self.name + (self.default if with_default else "")


def builder_method(dialect, op, prefix):
    arguments = [Argument(dialect, record["def"], name) for record, name in op["arguments"]["args"]]
    traits = {trait["def"] for trait in op["traits"]}
    results = op["results"]["args"]
    variadic_result = any("Variadic" in dialect.records[r["def"]]["!superclasses"] for r, _ in results)
    many = variadic_result or len(results) != 1
    parameters = [a for a in arguments if not a.default]
    regions = [name for _, name in op["regions"]["args"]]
    inferred = traits & {"InferredTypes", "SameTypes", "OwnTypes"}
    declared = [a.declaration(False) for a in parameters]
    if op["regions"]["args"]:
        variadic_region = any("VariadicRegion" in dialect.records[r["def"]]["!superclasses"]
                              for r, _ in op["regions"]["args"])
        declared += ["const std::vector<Region>& " + regions[0]] if variadic_region else [
            "const Region& " + name for name in regions]
    if not inferred:
        declared.append("const Avals& result_types" if many else "const Aval& result_type")
    declared += [a.declaration(True) for a in arguments if a.default]
    operands = ", ".join("OperandGroup(%s)" % a.name for a in arguments if a.is_operand)
    attributes = ", ".join('{"%s", %s}' % (name, a.value % a.name)
                           for a, (_, name) in zip(arguments, op["arguments"]["args"]) if not a.is_operand)
    region_list = ("{%s}" % ", ".join(regions)) if regions else "{}"
    if regions and "std::vector<Region>" in " ".join(declared):
        region_list = regions[0]
    types = "std::nullopt" if inferred else ("result_types" if many else "Avals{result_type}")
    segments = "true" if "AttrSizedOperandSegments" in traits else "false"
    call = 'create("%s.%s", {%s}, %s, {%s}, %s, %s)' % (
        dialect.name, op["opName"], operands, segments, attributes, region_list, types)
    return "  %s %s(%s) { return %s%s; }\n" % (
        "Values" if many else "Value", cpp_name(op, prefix), ", ".join(declared), call, "" if many else "[0]")


def builder_ops(dialects):
    """One method for each operation, for the class StablehloOps."""
    lines = []
    for dialect in dialects:
        prefix = "chlo_" if dialect.name == "chlo" else ""
        for op in dialect.ops:
            if op["opName"] not in ("return", "constant"):
                lines.append(builder_method(dialect, op, prefix))
    return "".join(lines)


def builder_enums(dialects):
    """The enumerations that operations take, with their text as attributes."""
    lines = []
    for dialect in dialects:
        used = {}
        for op in dialect.ops:
            for record, _ in op["arguments"]["args"]:
                attr = dialect.records[record["def"]]
                if "KeywordAttr" in attr["!superclasses"] and attr.get("enum"):
                    used[attr["enum"]["def"]] = attr
        for name, attr in sorted(used.items()):
            enum = dialect.records[name]
            cases = [dialect.records[c["def"]]["str"] for c in enum["enumerants"]]
            lines.append("enum class %s { %s };\n" % (enum["className"], ", ".join(cases)))
            lines.append("inline std::string text(%s v) {\n  constexpr const char* kNames[] = {%s};\n"
                         '  return std::string("#%s<%s ") + kNames[static_cast<int>(v)] + ">";\n}\n' % (
                             enum["className"], ", ".join('"%s"' % c for c in cases), dialect.name, attr["mnemonic"]))
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["scalar_ops", "builder_ops", "builder_enums"])
    parser.add_argument("json", nargs="+")
    parser.add_argument("-o", dest="out", required=True)
    arguments = parser.parse_args()
    text = {"scalar_ops": scalar_ops, "builder_ops": builder_ops, "builder_enums": builder_enums}[arguments.what]([Dialect(path) for path in arguments.json])
    with open(arguments.out, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
