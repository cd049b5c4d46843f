#include "support/jaxpr_reader.h"

#include <cstdlib>
#include <map>
#include <set>

#include "base/fail.h"
#include "core/nodes.h"

namespace tenon {
namespace {

// EqnParams and primitives point at their names.
const char* interned(const std::string& name) {
  static auto* all = new std::set<std::string>;
  return all->insert(name).first->c_str();
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Jaxpr program() {
    skip_space();
    while (looking_at("let ")) definition();
    return graph();
  }
  size_t position() const { return at_; }

 private:
  using Scope = std::map<std::string, Var>;

  [[noreturn]] void bad(const std::string& what) {
    fail<ParseError>("read_jaxpr", what, " at ", at_, ": ", std::string(text_.substr(at_, 40)));
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!looking_at(what)) return false;
    at_ += what.size();
    skip_space();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) bad("expected '" + std::string(what) + "'");
  }
  std::string word() {
    size_t from = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '_' || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    if (from == at_) bad("expected a name");
    return std::string(text_.substr(from, at_ - from));
  }

  // A definition may use one that comes later: remember where it is, read it when it is needed.
  void definition() {
    expect("let ");
    std::string name = word();
    skip_space();
    expect("=");
    definitions_[name] = {at_, {}};
    for (int depth = 0; at_ < text_.size(); ++at_) {
      depth += (text_[at_] == '{') - (text_[at_] == '}');
      if (depth == 0) break;
    }
    ++at_;
    skip_space();
    expect("in");
  }
  bool is_defined(const std::string& name) const { return definitions_.contains(name); }
  Jaxpr defined(const std::string& name) {
    Definition& definition = definitions_.at(name);
    if (definition.jaxpr.is_empty()) {
      size_t here = std::exchange(at_, definition.at);
      definition.jaxpr = graph();
      at_ = here;
    }
    return definition.jaxpr;
  }

  ShapedArray type() {
    size_t bracket = text_.find('[', at_), end = text_.find(']', at_);
    if (end == std::string_view::npos) bad("expected a type");
    ShapedArray aval{{}, DType::parse(text_.substr(at_, bracket - at_)), false};
    for (at_ = bracket + 1; at_ < end; ++at_) {
      aval.shape.push_back(std::atoll(text_.data() + at_));
      at_ = std::min(end, text_.find(',', at_));
    }
    at_ = end + 1;
    skip_space();
    return aval;
  }

  // "1.0:f32[]", "-inf:f32[]", "True:bool[]", "1j:c64[]".
  bool at_literal() const {
    return (!is_letter(text_[at_]) && text_[at_] != '_') || looking_at("inf:") || looking_at("nan:");
  }
  Var literal() {
    size_t colon = text_.find(':', at_);
    std::string value(text_.substr(at_, colon - at_));
    at_ = colon + 1;
    ShapedArray aval = type();
    auto node = detail::make_ref<detail::VarNode>();
    node->aval = aval;
    switch (aval.dtype.kind()) {
      case DTypeKind::boolean: node->literal = Array(detail::make_scalar(int64_t(value == "True"), aval.dtype, false)); break;
      case DTypeKind::signed_integer: node->literal = Array(detail::make_scalar(int64_t(std::atoll(value.c_str())), aval.dtype, false)); break;
      case DTypeKind::unsigned_integer:
        node->literal = Array(detail::make_scalar(uint64_t(std::strtoull(value.c_str(), nullptr, 10)), aval.dtype, false));
        break;
      case DTypeKind::floating: node->literal = Array(detail::make_scalar(std::strtod(value.c_str(), nullptr), aval.dtype, false)); break;
      case DTypeKind::complex: {  // "1j"
        double parts[2] = {0, std::strtod(value.c_str(), nullptr)};
        auto scalar = detail::make_ref<detail::ScalarNode>(aval);
        detail::convert_elements(parts, DType(DType::kComplex128), scalar->bytes, aval.dtype, 1);
        node->literal = Array(scalar);
        break;
      }
      default: bad("a literal of this dtype is not read");
    }
    return Var(node);
  }
  Var atom(const Scope& scope) {
    if (at_literal()) return literal();
    std::string name = word();
    skip_space();
    auto found = scope.find(name);
    if (found == scope.end()) bad("unbound variable " + name);
    return found->second;
  }
  Var binder(Scope& scope) {
    std::string name = word();
    expect(":");
    auto node = detail::make_ref<detail::VarNode>();
    node->aval = type();
    Var var(node);
    if (name != "_") scope[name] = var;
    return var;
  }

  Param value(std::string_view key) {
    if (looking_at("{ lambda")) return Param(graph());
    if (key == "branches") {
      expect("(");
      std::vector<Jaxpr> graphs;
      while (!take(")")) {
        graphs.push_back(looking_at("{ lambda") ? graph() : defined(word()));
        skip_space();
      }
      return Param(graphs);
    }
    size_t from = at_;
    for (int depth = 0; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (depth == 0 && (c == ' ' || c == '\n' || c == ']')) break;
      depth += (c == '(' || c == '[' || c == '{' || c == '<') - (c == ')' || c == ']' || c == '}' || c == '>');
    }
    std::string text(text_.substr(from, at_ - from));
    skip_space();
    if (key.ends_with("jaxpr") && is_defined(text)) return Param(defined(text));
    return Param(text);
  }

  Eqn eqn(Scope& scope) {
    Vars results, operands;
    Scope bound = scope;
    while (!looking_at("=")) results.push_back(binder(scope));
    expect("=");
    std::string primitive = word();
    EqnParams params;
    if (take("[")) {
      while (!looking_at("]")) {
        std::string key = word();
        expect("=");
        params = params.with(interned(key), value(key));
      }
      ++at_;
    }
    for (skip_space(); !looking_at(";") && !looking_at("in (") && !at_binder();) operands.push_back(atom(bound));
    take(";");
    return Eqn(test_primitive(primitive), operands, results, params);
  }
  // "c:f32[] ": the next equation begins.
  bool at_binder() const {
    size_t end = text_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at_);
    return end > at_ && end < text_.size() && text_[end] == ':' && !looking_at("inf:") && !looking_at("nan:");
  }

  Jaxpr graph() {
    auto node = detail::make_ref<detail::JaxprNode>();
    Scope scope;
    expect("{ lambda");
    while (!looking_at(";")) node->constvars.push_back(binder(scope));
    expect(";");
    while (!looking_at(".")) node->invars.push_back(binder(scope));
    expect(".");
    expect("let");
    while (!looking_at("in (")) node->eqns.push_back(eqn(scope));
    expect("in (");
    while (!looking_at(")")) {
      node->outvars.push_back(atom(scope));
      take(",");
    }
    expect(")");
    expect("}");
    return Jaxpr(detail::Ref<const detail::JaxprNode>(node));
  }

  struct Definition {
    size_t at;
    Jaxpr jaxpr;
  };
  std::string_view text_;
  size_t at_ = 0;
  std::map<std::string, Definition> definitions_;
};

}  // namespace

const Primitive& test_primitive(const std::string& name) {
  static auto* all = new std::map<std::string, const Primitive*>;
  const Primitive*& primitive = (*all)[name];
  if (!primitive) {
    bool call_like = name == "jit" || name == "custom_jvp_call" || name == "custom_vjp_call";
    primitive = new Primitive{.name = interned(name), .call_like = call_like};
  }
  return *primitive;
}

Jaxpr read_jaxpr(std::string_view text, size_t* consumed) {
  Reader reader(text);
  Jaxpr jaxpr = reader.program();
  if (consumed) *consumed = text.substr(0, reader.position()).find_last_of('}') + 1;
  return jaxpr;
}

}  // namespace tenon
