// debug_print: values as text.
#include <atomic>
#include <cstdio>

#include "base/fail.h"
#include "control/debug_callback.h"
#include "control/primitives.h"
#include "control/value_format.h"
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

class Printing final : public HostFunction {
 public:
  Printing(const std::string& format, size_t operands) : HostFunction("print"), format_(kDebugPrint, format, operands) {}
  Arrays call(const Arrays& operands) const override {
    debug::print_line(format_.str(operands));
    return {};
  }

 private:
  ValueFormat format_;
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
  const ValueFormat parsed(kDebugPrint, format.text, operands.size());
  bind_all(debug_print_p, operands,
           {{"fmt", format.text}, {"has_placeholders", parsed.has_placeholders()}, {"in_tree", Fixed{operand_tree_str(operands.size())}},
            {"logging_record", Param()}, {"np_printoptions", Fixed{kPrintOptions}}, {"ordered", ordered}, {"partitioned", false},
            {"static_args", Fixed{"()"}}});
}

}  // namespace tenon::detail
