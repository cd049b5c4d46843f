// debug_print: values as text.
#include <atomic>
#include <cstdio>

#include "base/fail.h"
#include "control/debug_callback.h"
#include "control/primitives.h"
#include "core/nodes.h"

namespace tenon::debug {

static std::atomic<Printer> g_printer{nullptr};
Printer set_printer(Printer printer) { return g_printer.exchange(printer); }

static void print_line(const std::string& line) {
  if (Printer printer = g_printer.load()) return printer(line);
  std::fwrite((line + "\n").data(), 1, line.size() + 1, stdout);
}

}  // namespace tenon::debug

namespace tenon::detail {
namespace {

const char* const kDebugPrint = "debug::print";

/// A format, taken apart: text, and the operand that follows it.
struct Pieces {
  struct Piece {
    std::string text;
    int operand;  // -1: none
  };
  std::vector<Piece> pieces;
  bool has_placeholders = false;

  Pieces(const std::string& format, size_t operands) {
    Piece piece{"", -1};
    size_t next = 0;
    for (size_t i = 0; i < format.size(); ++i) {
      const char c = format[i];
      if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
        piece.text += c;
        ++i;
        continue;
      }
      if (c == '}') fail<ValueError>(kDebugPrint, "a single '}' in the format; got '", format, "'; }} prints one");
      if (c != '{') {
        piece.text += c;
        continue;
      }
      const size_t end = format.find('}', i);
      const std::string inside = end == format.npos ? "?" : format.substr(i + 1, end - i - 1);
      if (inside.find_first_not_of("0123456789") != inside.npos || inside.size() > 6)
        fail<ValueError>(kDebugPrint, "braces hold nothing, or the number of an operand; got '", format, "'; {{ prints one");
      const size_t operand = inside.empty() ? next++ : static_cast<size_t>(std::stoul(inside));
      if (operand >= operands) fail<ValueError>(kDebugPrint, "the format wants operand ", operand, " of ", operands, "; got '", format, "'");
      piece.operand = static_cast<int>(operand);
      has_placeholders = true;
      pieces.push_back(std::exchange(piece, Piece{"", -1}));
      i = end;
    }
    if (!piece.text.empty()) pieces.push_back(piece);
  }
};

// "[1. 2.]" of "Array([1., 2.], dtype=float32)": str() as NumPy's str, without the commas.
std::string value_str(const Array& x) {
  if (x.ndim() == 0) {
    const std::string repr = x.str();
    const size_t open = repr.find('('), comma = repr.find(", dtype", open);
    return open == repr.npos ? repr : repr.substr(open + 1, (comma == repr.npos ? repr.rfind(')') : comma) - open - 1);
  }
  const std::string repr = x.str();
  const size_t open = repr.find('['), close = repr.rfind(']');
  if (open == repr.npos || close == repr.npos) return repr;
  std::string out;
  for (size_t i = open; i <= close; ++i)
    if (repr[i] != ',') out += repr[i];
  return out;
}

class Printing final : public HostFunction {
 public:
  Printing(const std::string& format, size_t operands) : HostFunction("print"), pieces_(format, operands) {}
  Arrays call(const Arrays& operands) const override {
    std::string line;
    for (const Pieces::Piece& piece : pieces_.pieces) {
      line += piece.text;
      if (piece.operand >= 0) line += value_str(operands[static_cast<size_t>(piece.operand)]);
    }
    debug::print_line(line);
    return {};
  }

 private:
  Pieces pieces_;
};

/// Parameters that print as JAX's and say nothing here.
struct Fixed {
  std::string text;
  bool operator==(const Fixed&) const = default;
  std::string str() const { return text; }
};
const char* const kPrintOptions =
    "(('edgeitems', 3), ('threshold', 1000), ('floatmode', 'maxprec'), ('precision', 8), ('suppress', False), ('linewidth', 75), "
    "('nanstr', 'nan'), ('infstr', 'inf'), ('sign', '-'), ('formatter', None), ('legacy', False), ('override_repr', None))";

// The format says it all: two prints of the same are equal.
HostFunctionRef printing(const EqnParams& params, size_t operands) {
  return HostFunctionRef(make_ref<Printing>(params.get<std::string>("fmt"), operands));
}

}  // namespace

constinit const Primitive debug_print_p{
    .name = "debug_print",
    .abstract_eval = [](const Avals&, const EqnParams&) -> Avals { return {}; },
    .jvp = jvp_debug,
    .transpose = transpose_debug,
    .batching = batch_debug,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      return lower_host_call(b, kDebugPrint, printing(params, operands.size()), operands, {}, true);
    },
    .evaluate = [](const Arrays& operands, const EqnParams& params) -> Arrays {
      return evaluate_host_call(kDebugPrint, *printing(params, operands.size()), operands, {});
    },
    .effects = [](const EqnParams& params) { return params.get<bool>("ordered") ? Effects::ordered_debug : Effects::debug; },
};

void print_debug(const DebugFormat& format, const Arrays& operands, bool ordered) {
  const SiteScope site(format.loc);
  const Pieces pieces(format.text, operands.size());
  bind_all(debug_print_p, operands,
           {{"fmt", format.text}, {"has_placeholders", pieces.has_placeholders}, {"in_tree", Fixed{operand_tree_str(operands.size())}},
            {"logging_record", Param()}, {"np_printoptions", Fixed{kPrintOptions}}, {"ordered", ordered}, {"partitioned", false},
            {"static_args", Fixed{"()"}}});
}

}  // namespace tenon::detail
