// Jaxpr -> text, character for character as JAX 0.12 prints it. The tree goes into a Doc, front to
// back; names are given in that order, over the whole print.
#include "core/printer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/doc.h"
#include "core/literal.h"
#include "core/nodes.h"
#include "core/shared_jaxprs.h"
#include "tenon/primitive.h"

namespace tenon {
namespace detail {
namespace {

// a..z, ba..zz, baa..: base 26 with the digits a to z.
std::string letters(uint64_t n) {
  std::string out;
  do out.insert(out.begin(), static_cast<char>('a' + n % 26));
  while (n /= 26);
  return out;
}

// An empty Var is a mistake, and prints so that it can be found.
bool is_variable(const Var& v) { return v.id() && !v.is_literal(); }

class Printer {
 public:
  Printer(const Jaxpr& jaxpr, const JaxprTextOptions& options) : options_(options), jaxpr_(jaxpr), shared_(find_shared_jaxprs(jaxpr)) {
    for (const SharedJaxpr& s : shared_) {
      shared_names_.emplace(s.jaxpr.id(), s.name);
      reserved_.insert(s.name);
    }
    name_unused();
  }

  void print_all() {
    for (const SharedJaxpr& s : shared_) {
      doc_.text("let ");
      doc_.text(s.name);
      doc_.text(" = ");
      print_body(s.jaxpr);
      doc_.text(" in");
      doc_.soft_break();  // outside of any group: a newline
    }
    print_body(jaxpr_);
  }
  std::string take() { return std::exchange(doc_, Doc()).str(); }

  std::string one_eqn(const Eqn& eqn) {
    {
      Doc::Group line(doc_);
      print_eqn(eqn);
    }
    return std::exchange(doc_, Doc()).str(UINT64_MAX);
  }

 private:
  static constexpr uint64_t kUnused = UINT64_MAX;

  // Results that nobody reads are called `_`: those of the outermost jaxpr, and what shares their name.
  void name_unused() {
    std::unordered_set<const void*> used;
    auto use = [&](const Vars& vars) {
      for (const Var& v : vars)
        if (is_variable(v)) used.insert(v.id());
    };
    use(jaxpr_.outvars());
    for (const Eqn& eqn : jaxpr_.eqns()) use(eqn.invars());
    for (const Eqn& eqn : jaxpr_.eqns())
      for (const Var& v : eqn.outvars())
        if (!used.contains(v.id())) names_.emplace(v.id(), kUnused);
  }

  uint64_t number_of(const Var& var) {
    auto [at, fresh] = names_.try_emplace(var.id(), next_name_);
    if (fresh) {
      while (reserved_.contains(letters(next_name_))) ++next_name_;
      at->second = next_name_++;
    }
    return at->second;
  }
  std::string name_of(const Var& var) {
    uint64_t number = number_of(var);
    return number == kUnused ? "_" : letters(number);
  }

  // The variables of a nested jit take the names of what they stand for, one for one.
  void share_names(const Vars& inner, const Vars& outer) {
    if (inner.size() != outer.size()) return;
    std::unordered_set<const void*> taken;
    for (size_t i = 0; i < inner.size(); ++i) {
      if (!is_variable(inner[i]) || !is_variable(outer[i]) || names_.contains(inner[i].id())) continue;
      if (!taken.insert(outer[i].id()).second) continue;
      uint64_t number = number_of(outer[i]);
      names_.emplace(inner[i].id(), number);
    }
  }

  // Filled: each separator breaks by itself, once the line is full.
  void print_vars(const Vars& vars, std::string_view separator, bool with_types) {
    Doc::Nest nest(doc_, 2);
    Doc::Group group(doc_);
    bool first = true;
    for (const Var& v : vars) {
      if (!std::exchange(first, false)) {
        doc_.text(separator);
        Doc::Group alone(doc_);
        doc_.soft_break();
      }
      if (!v.id()) {
        doc_.text("?");
        continue;
      }
      doc_.text(v.is_literal() ? literal_str(v.literal()) : name_of(v));
      if (with_types) {
        doc_.text(":");
        doc_.text(v.aval().str_short());
      }
    }
  }
  void print_binders(const Vars& vars) { print_vars(vars, "", options_.print_shapes); }

  // A graph, or its name where it has one.
  void print_jaxpr(const Jaxpr& jaxpr) {
    auto name = shared_names_.find(jaxpr.id());
    if (name != shared_names_.end())
      doc_.text(name->second);
    else
      print_body(jaxpr);
  }
  void print_body(const Jaxpr& jaxpr) {
    Doc::Group group(doc_);
    {
      Doc::Nest nest(doc_, 2);
      doc_.text("{ lambda ");
      print_binders(jaxpr.constvars());
      doc_.text("; ");
      print_binders(jaxpr.invars());
      doc_.text(". let");
      {
        Doc::Nest body(doc_, 2);
        doc_.soft_break();
        bool first = true;
        for (const Eqn& eqn : jaxpr.eqns()) {
          if (!std::exchange(first, false)) doc_.soft_break("; ");
          print_eqn(eqn);
        }
      }
      doc_.soft_break();
      doc_.text("in (");
      print_vars(jaxpr.outvars(), ",", false);
      doc_.text(jaxpr.outvars().size() == 1 ? ",)" : ")");
    }
    doc_.text(" }");
  }

  void print_eqn(const Eqn& eqn) {
    std::string primitive = eqn.primitive().name();
    if (const Param* body = primitive == "jit" ? eqn.params().find("jaxpr") : nullptr; body && body->is<Jaxpr>()) {
      const Jaxpr& jaxpr = body->get<Jaxpr>();
      if (!shared_names_.contains(jaxpr.id())) {
        share_names(jaxpr.invars(), eqn.invars());
        share_names(jaxpr.outvars(), eqn.outvars());
      }
    }
    if (!eqn.outvars().empty()) {
      print_binders(eqn.outvars());
      doc_.text(" = ");
      if (options_.source_info) doc_.annotate(source_str(eqn.source()));
    }
    doc_.text(primitive);
    if (options_.name_stack) doc_.annotate("[" + eqn.source().scope + "]");
    print_params(eqn);
    doc_.text(" ");
    print_vars(eqn.invars(), "", false);
  }

  static std::string source_str(const SourceInfo& source) {
    if (source.line == 0) return "unknown";
    std::string out = std::string(source.file) + ":" + std::to_string(source.line);
    if (source.column != 0) out += ":" + std::to_string(source.column);
    return out + " (" + source.function + ")";
  }

  void print_params(const Eqn& eqn) {
    const Primitive& primitive = eqn.primitive();
    std::vector<const EqnParams::Entry*> shown;
    for (const EqnParams::Entry& entry : eqn.params())
      if (!primitive.prints_param || primitive.prints_param(entry.name, entry.value, eqn.params())) shown.push_back(&entry);
    if (shown.empty()) return;
    const char* first = primitive.call_like ? "name" : primitive.first_param;
    if (first) {
      const auto at = std::ranges::find(shown, first, [](const auto* entry) { return entry->name; });
      if (at != shown.end()) std::rotate(shown.begin(), at, at + 1);
    }
    Doc::Group group(doc_);
    {
      Doc::Nest nest(doc_, 2);
      doc_.text("[");
      doc_.soft_break("");
      for (const auto* entry : shown) {
        if (entry != shown.front()) doc_.soft_break();
        doc_.text(entry->name);
        doc_.text("=");
        print_value(entry->value);
      }
    }
    doc_.soft_break("");
    doc_.text("]");
  }

  void print_value(const Param& value) {
    if (value.is<Jaxpr>()) return print_jaxpr(value.get<Jaxpr>());
    if (!value.is<std::vector<Jaxpr>>()) return doc_.text(value.str());
    Doc::Group group(doc_);
    {
      Doc::Nest nest(doc_, 2);
      doc_.text("(");
      doc_.soft_break("");
      bool first = true;
      for (const Jaxpr& jaxpr : value.get<std::vector<Jaxpr>>()) {
        if (!std::exchange(first, false)) doc_.soft_break();
        print_jaxpr(jaxpr);
      }
    }
    doc_.soft_break("");
    doc_.text(")");
  }

  const JaxprTextOptions options_;
  const Jaxpr jaxpr_;
  const std::vector<SharedJaxpr> shared_;
  std::unordered_map<const JaxprNode*, std::string> shared_names_;
  std::unordered_set<std::string> reserved_;
  std::unordered_map<const void*, uint64_t> names_;
  uint64_t next_name_ = 0;
  Doc doc_;
};

}  // namespace

std::string eqn_str(const Jaxpr& jaxpr, size_t index) {
  Printer printer(jaxpr, {});
  printer.print_all();  // gives the names
  printer.take();
  return printer.one_eqn(jaxpr.eqns()[index]);
}

}  // namespace detail

std::string Jaxpr::str(const JaxprTextOptions& options) const {
  detail::Printer printer(*this, options);
  printer.print_all();
  return printer.take();
}

}  // namespace tenon
