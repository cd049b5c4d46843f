// A call of the host: values are copied out of the program, the user's function runs as if it were called from nowhere,
// and what it gives is held against what was promised.
#include "control/host_function.h"

#include <cstring>
#include <exception>

#include "base/fail.h"
#include "control/rules.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "tenon/detail/host.h"

namespace tenon::detail {

static std::string function_str(const std::string& name) { return "<function " + name + " at 0xXXXXXXXXXXXX>"; }

std::string operand_tree_str(size_t operands) {
  std::string stars;
  for (size_t i = 0; i < operands; ++i) stars += i == 0 ? "*" : ", *";
  return "PyTreeDef(((" + stars + (operands == 1 ? "," : "") + "), {}))";
}

std::string HostFunctionParam::str() const {
  return text("_FlatCallback(callback_func=", function_str(function->name), ", in_tree=", operand_tree_str(operands), ")");
}
std::string DebugFunctionParam::str() const { return function_str("debug_callback.<locals>._debug_callback.<locals>._flat_callback"); }

std::string ResultAvals::str() const {
  std::string list;
  for (const Aval& aval : avals) list += (list.empty() ? "" : ", ") + aval.str();
  return "(" + list + (avals.size() == 1 ? ",)" : ")");
}

namespace {

std::string at(const std::string& where) { return where.empty() ? "" : " (" + where + ")"; }

[[noreturn]] void throw_nested(const std::string& who, const std::string& where, const char* what) {
  std::throw_with_nested(RuntimeError(text(who, ": the function of the host threw: ", what, at(where))));
}

Array checked(const std::string& who, const std::string& where, size_t number, const Array& got, const Aval& want) {
  const Array result = got.is_empty() || got.dtype() == want.dtype || !got.weak_type() ? got : lax::convert_element_type(got, want.dtype);
  const std::string which = text(who, ": result ", number, " of the function of the host is ");
  const std::string promised = text("; ", want.str_short(), " was promised", at(where));
  if (result.is_empty()) throw TypeError(which + "an empty Array" + promised);
  const Aval aval = result.aval();
  const std::string message = which + aval.str_short() + promised;
  if (aval.dtype != want.dtype) throw TypeError(message);
  if (aval.shape != want.shape) throw ShapeError(message);
  return result;
}

Arrays call_host(const std::string& who, const std::string& where, const HostFunction& function, const Arrays& operands, const Avals& results) {
  const EvaluationScope evaluation;
  const SiteReset site;
  const NameStackReset names;
  Arrays out;
  try {
    out = function.call(operands);
    for (const Array& result : out)
      if (!result.is_empty()) result.block_until_ready();
  } catch (const std::exception& error) {
    throw_nested(who, where, error.what());
  } catch (...) {
    throw_nested(who, where, "something that is no std::exception");
  }
  if (out.size() != results.size())
    throw TypeError(text(who, ": the function of the host gives ", out.size(), " arrays; ", results.size(), " were promised", at(where)));
  for (size_t i = 0; i < out.size(); ++i) out[i] = checked(who, where, i, out[i], results[i]);
  return out;
}

class Callee final : public HostCallee {
 public:
  Callee(std::string who, std::string where, HostFunctionRef function, Avals operands, Avals results)
      : who_(std::move(who)), where_(std::move(where)), function_(std::move(function)), operands_(std::move(operands)), results_(std::move(results)) {}
  void call(const void* const* operands, void* const* results) const override {
    const EvaluationScope evaluation;
    Arrays in;
    for (size_t i = 0; i < operands_.size(); ++i) in.push_back(array_from_host(operands[i], operands_[i]));
    const Arrays out = call_host(who_, where_, *function_, in, results_);
    for (size_t i = 0; i < results_.size(); ++i)
      if (results_[i].nbytes() > 0) std::memcpy(results[i], buffer_of(out[i], who_.c_str())->host_data(), static_cast<size_t>(results_[i].nbytes()));
  }

 private:
  std::string who_, where_;
  HostFunctionRef function_;
  Avals operands_, results_;
};

}  // namespace

Arrays evaluate_host_call(const char* who, const HostFunction& function, const Arrays& operands, const Avals& results) {
  const Loc* site = current_site();
  return call_host(who, site ? site_str(*site) : "", function, operands, results);
}

Values lower_host_call(StablehloBuilder& b, const char* who, const HostFunctionRef& function, const Values& operands, const Avals& results,
                       bool has_side_effect) {
  const SourceInfo source = current_source();
  const std::string where = source.line == 0 ? "" : text(std::string_view(source.file).substr(std::string_view(source.file).rfind('/') + 1), ":", source.line);
  Avals avals;
  for (const Value& v : operands) avals.push_back(v.aval());
  const HostCalleeRef callee(make_ref<Callee>(who, where, function, std::move(avals), results));
  return b.host_call(callee, operands, results, has_side_effect);
}

BatchResult call_for_each(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params,
                          int64_t unroll) {
  Arrays mapped;
  for (size_t i = 0; i < operands.size(); ++i)
    if (axes[i] != kNotMapped) mapped.push_back(move_axis(operands[i], axes[i], 0));
  const auto step = [&](const Arrays& elements) {
    Arrays all = operands;
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i)
      if (axes[i] != kNotMapped) all[i] = elements[next++];
    return Step{{}, {{bind_all(self, all, params), {}, {}}, {}}};
  };
  const Arrays values = scan(step, nullptr, {}, mapped, axis.size, false, unroll, current_site() ? *current_site() : Loc()).ys.leaves;
  return {values, std::vector<int>(values.size(), 0)};
}

}  // namespace tenon::detail
