#include "core/checker.h"

#include <unordered_set>

#include "base/fail.h"
#include "core/printer.h"
#include "tenon/primitive.h"

namespace tenon::detail {
namespace {

// Weak types may differ: a rule that keeps them is not wrong where a variable forgot them.
bool same_type(const Aval& a, const Aval& b) { return a.shape == b.shape && a.dtype == b.dtype; }

class Checker {
 public:
  explicit Checker(const Jaxpr& jaxpr) : jaxpr_(jaxpr) {}

  void check() {
    check_consts();
    bind(jaxpr_.constvars());
    bind(jaxpr_.invars());
    for (index_ = 0; index_ < jaxpr_.eqns().size(); ++index_) check_eqn(jaxpr_.eqns()[index_]);
    use(jaxpr_.outvars(), "result");
  }

 private:
  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... what) const {
    std::string where;
    if (index_ != kBinders && index_ < jaxpr_.eqns().size())
      where = detail::text("equation ", index_, ", `", detail::eqn_str(jaxpr_, index_), "`: ");
    fail<InternalError>("check_jaxpr", where, what..., "; this is a mistake in Tenon or in the rules of a primitive");
  }

  void check_consts() const {
    const Vars& vars = jaxpr_.constvars();
    const Arrays& consts = jaxpr_.consts();
    if (vars.size() != consts.size()) wrong("there are ", vars.size(), " constvars and ", consts.size(), " consts");
    for (size_t i = 0; i < vars.size(); ++i) {
      if (consts[i].is_empty()) wrong("const ", i, " is an empty Array");
      if (!same_type(vars[i].aval(), consts[i].aval()))
        wrong("constvar ", i, " is ", vars[i].aval(), " and its const is ", consts[i].aval());
    }
  }

  void bind(const Vars& vars) {
    for (const Var& v : vars) {
      if (!v.id()) wrong("a binder is empty");
      if (v.is_literal()) wrong("the literal ", v, " is bound");
      if (!bound_.insert(v.id()).second) wrong("a variable is bound twice");
    }
  }
  void use(const Vars& vars, std::string_view what) const {
    for (size_t i = 0; i < vars.size(); ++i) {
      if (!vars[i].id()) wrong(what, " ", i, " is empty");
      if (vars[i].is_literal()) {
        if (!same_type(vars[i].aval(), vars[i].literal().aval()))
          wrong(what, " ", i, " is a literal of type ", vars[i].aval(), " with a value of type ", vars[i].literal().aval());
      } else if (!bound_.contains(vars[i].id())) {
        wrong(what, " ", i, " is not bound before it is used");
      }
    }
  }

  void check_eqn(const Eqn& eqn) {
    use(eqn.invars(), "operand");
    if (eqn.primitive().abstract_eval) {
      Avals operands, results;
      for (const Var& v : eqn.invars()) operands.push_back(v.aval());
      try {
        results = eqn.primitive().abstract_eval(operands, eqn.params());
      } catch (const Error& error) {
        wrong("its rule refuses the operands: ", error.what());
      }
      if (results.size() != eqn.outvars().size())
        wrong("its rule gives ", results.size(), " results and the equation has ", eqn.outvars().size());
      for (size_t i = 0; i < results.size(); ++i)
        if (!same_type(results[i], eqn.outvars()[i].aval()))
          wrong("result ", i, " is ", eqn.outvars()[i].aval(), " and its rule gives ", results[i]);
    }
    if ((eqn.effects() | jaxpr_.effects()) != jaxpr_.effects()) wrong("it has effects that the jaxpr does not have");
    bind(eqn.outvars());
  }

  static constexpr size_t kBinders = static_cast<size_t>(-1);
  const Jaxpr& jaxpr_;
  std::unordered_set<const void*> bound_;
  size_t index_ = kBinders;
};

}  // namespace

void check_jaxpr(const Jaxpr& jaxpr) {
  std::vector<Jaxpr> open = {jaxpr};
  std::unordered_set<const detail::JaxprNode*> seen = {jaxpr.id()};
  while (!open.empty()) {
    Jaxpr next = std::move(open.back());
    open.pop_back();
    Checker(next).check();
    for (const Eqn& eqn : next.eqns())
      for (Jaxpr& inner : jaxprs_in_params(eqn.params()))
        if (seen.insert(inner.id()).second) open.push_back(std::move(inner));
  }
}

}  // namespace tenon::detail
