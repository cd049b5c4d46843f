// Jaxprs as text. The goldens are JAX's own output; what they lack was made with JAX by hand.
#include "core/printer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/jaxpr_reader.h"
#include "tenon/error.h"

namespace tenon {
namespace {

// Builds a jaxpr by hand.
class Builder {
 public:
  static Var var(ShapedArray aval = {}) {
    auto node = detail::make_ref<detail::VarNode>();
    node->aval = std::move(aval);
    return Var(node);
  }
  static Var lit(double value) {
    auto node = detail::make_ref<detail::VarNode>();
    node->literal = Array(value);
    node->aval = node->literal.aval();
    return Var(node);
  }
  Var in(ShapedArray aval = {}) { return node_->invars.emplace_back(var(std::move(aval))); }
  Vars eqns(const std::string& primitive, Vars operands, Vars results, EqnParams params = {}, SourceInfo source = {}) {
    node_->eqns.emplace_back(test_primitive(primitive), std::move(operands), results, std::move(params), std::move(source));
    return results;
  }
  Var eqn(const std::string& primitive, Vars operands, EqnParams params = {}, SourceInfo source = {}) {
    return eqns(primitive, std::move(operands), {var()}, std::move(params), std::move(source))[0];
  }
  Var jit(const std::string& name, const Jaxpr& jaxpr, Vars operands) {
    return eqn("jit", std::move(operands), {{"jaxpr", jaxpr}, {"name", name}});
  }
  Jaxpr out(Vars vars) {
    node_->outvars = std::move(vars);
    return Jaxpr(detail::Ref<const detail::JaxprNode>(node_));
  }

 private:
  detail::Ref<detail::JaxprNode> node_ = detail::make_ref<detail::JaxprNode>();
};

// x + number, as often as said.
Jaxpr adds(double number, int times = 1) {
  Builder b;
  Var x = b.in();
  for (int i = 0; i < times; ++i) x = b.eqn("add", {x, Builder::lit(number)});
  return b.out({x});
}

TEST(Printer, PrintsEveryGoldenAsItWasRead) {
  int jaxprs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TENON_TEST_DATA "/core/jaxpr_goldens")) {
    if (entry.path().extension() != ".txt") continue;
    if (entry.path().stem() == "print_option_source_info_and_scope") continue;  // with options, which the reader does not know
    std::stringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    std::string text = content.str();
    for (size_t at = 0; at < text.size(); ++at) {
      std::string_view rest = std::string_view(text).substr(at);
      size_t length = rest.find('\n');
      if (rest.starts_with("{ lambda") || rest.starts_with("let ")) {
        Jaxpr jaxpr;
        ASSERT_NO_THROW(jaxpr = read_jaxpr(rest, &length)) << entry.path();
        EXPECT_EQ(jaxpr.str(), rest.substr(0, length)) << entry.path();
        ++jaxprs;
      }
      at += length;
    }
  }
  EXPECT_EQ(jaxprs, 95);
}

TEST(Printer, NamesAreBase26InOrderOfPrinting) {
  Builder b;
  Var x = b.in();
  for (int i = 0; i < 710; ++i) x = b.eqn("sin", {x});
  std::string text = b.out({x}).str();
  EXPECT_TRUE(text.ends_with("\n    bbh:f32[] = sin bbg\n    bbi:f32[] = sin bbh\n  in (bbi,) }"));
  EXPECT_NE(text.find("    z:f32[] = sin y\n    ba:f32[] = sin z\n"), std::string::npos);
  EXPECT_NE(text.find("    zz:f32[] = sin zy\n    baa:f32[] = sin zz\n"), std::string::npos);
}

TEST(Printer, GroupsAreFlatUpToEightyColumns) {
  for (int digits : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Builder b;
    Var x = b.in();
    Var y = b.eqn("long_name_of_a_primitive_of_forty_letters", {x}, {{"p", std::string(static_cast<size_t>(digits), '1')}});
    std::string text = b.out({y}).str();
    std::string p(static_cast<size_t>(digits), '1');
    // "{ lambda ; a:f32[]. let " and " in (b,) }" are 34 columns, the equation 57 and its digits.
    EXPECT_EQ(text, "{ lambda ; a:f32[]. let\n    b:f32[] = long_name_of_a_primitive_of_forty_letters[p=" + p + "] a\n  in (b,) }");
  }
  auto line = [](size_t letters) {
    Builder b;
    Var x = b.in();
    return b.out({b.eqn(std::string(letters, 'p'), {x})}).str();
  };
  EXPECT_EQ(line(34), "{ lambda ; a:f32[]. let b:f32[] = pppppppppppppppppppppppppppppppppp a in (b,) }");
  EXPECT_EQ(line(34).size(), 80u);
  EXPECT_EQ(line(35), "{ lambda ; a:f32[]. let\n    b:f32[] = ppppppppppppppppppppppppppppppppppp a\n  in (b,) }");
}

TEST(Printer, SeparatorsBreakOnceTheLineIsFull) {
  Builder b;
  Vars xs;
  for (int i = 0; i < 12; ++i) xs.push_back(b.in({Shape{2, 3}, DType(DType::kFloat32), true}));
  EXPECT_EQ(b.out(xs).str(),
            "{ lambda ; a:f32[2,3] b:f32[2,3] c:f32[2,3] d:f32[2,3] e:f32[2,3] f:f32[2,3] g:f32[2,3]\n"
            "    h:f32[2,3] i:f32[2,3] j:f32[2,3] k:f32[2,3] l:f32[2,3]. let\n"
            "    \n"
            "  in (a, b, c, d, e, f, g, h, i, j, k, l) }");
}

TEST(Printer, ResultsThatNobodyReadsAreUnderscores) {
  Builder inner;
  Var p = inner.in();
  Var dead = inner.eqn("sin", {p});
  Jaxpr two = inner.out({inner.eqn("cos", {p}), inner.eqn("tan", {p})});
  Builder b;
  Var x = b.in();
  Vars results = {Builder::var(), Builder::var()};
  b.eqns("jit", {x}, results, {{"name", "two"}, {"jaxpr", two}});
  EXPECT_EQ(b.out({results[1]}).str(),
            "{ lambda ; a:f32[]. let\n"
            "    _:f32[] b:f32[] = jit[\n"
            "      name=two\n"
            "      jaxpr={ lambda ; a:f32[]. let\n"
            "          c:f32[] = sin a\n"
            "          _:f32[] = cos a\n"
            "          b:f32[] = tan a\n"
            "        in (_, b) }\n"
            "    ] a\n"
            "  in (b,) }");
}

// What JAX prints for jit(lambda x, y: (x + y, 3.0, x, x * y, y)) with literals and repeated operands.
TEST(Printer, ANestedJitReusesNamesOneForOne) {
  auto two = [] {
    Builder b;
    Var x = b.in(), y = b.in();
    return b.out({b.eqn("add", {x, y}), Builder::lit(3.0), x, b.eqn("mul", {x, y}), y});
  }();
  auto call = [&](int kind) {
    Builder b;
    Var x = b.in();
    Vars operands = {x, kind == 0 ? x : Builder::lit(2.0)}, r;
    for (int i = 0; i < 5; ++i) r.push_back(Builder::var());
    b.eqns("jit", operands, r, {{"name", "two"}, {"jaxpr", two}});
    return b.out({r[0], r[1], r[2], r[3]}).str();
  };
  EXPECT_EQ(call(1),
            "{ lambda ; a:f32[]. let\n"
            "    b:f32[] d:f32[] e:f32[] c:f32[] _:f32[] = jit[\n"
            "      name=two\n"
            "      jaxpr={ lambda ; a:f32[] _:f32[]. let\n"
            "          b:f32[] = add a _\n"
            "          c:f32[] = mul a _\n"
            "        in (b, 3.0:f32[], a, c, _) }\n"
            "    ] a 2.0:f32[]\n"
            "  in (b, d, e, c) }");
  EXPECT_EQ(call(0),
            "{ lambda ; a:f32[]. let\n"
            "    b:f32[] d:f32[] e:f32[] c:f32[] _:f32[] = jit[\n"
            "      name=two\n"
            "      jaxpr={ lambda ; a:f32[] _:f32[]. let\n"
            "          b:f32[] = add a _\n"
            "          c:f32[] = mul a _\n"
            "        in (b, 3.0:f32[], a, c, _) }\n"
            "    ] a a\n"
            "  in (b, d, e, c) }");
}

TEST(Printer, SharedGraphsComeFirst) {
  Jaxpr f = adds(1);
  Builder b;
  Var x = b.in();
  x = b.jit("<lambda>", f, {b.jit("<lambda>", f, {x})});
  EXPECT_EQ(b.out({x}).str(),
            "let lambda = { lambda ; a:f32[]. let b:f32[] = add a 1.0:f32[] in (b,) } in\n"
            "{ lambda ; c:f32[]. let\n"
            "    d:f32[] = jit[name=<lambda> jaxpr=lambda] c\n"
            "    e:f32[] = jit[name=<lambda> jaxpr=lambda] d\n"
            "  in (e,) }");
}

TEST(Printer, TenEquationsPrintInPlaceElevenDoNot) {
  for (int n : {10, 11}) {
    Builder b;
    Var x = b.in();
    std::string text = b.out({b.jit("f", adds(1, n), {x})}).str();
    EXPECT_EQ(text.starts_with("let f = "), n == 11);
  }
  EXPECT_TRUE(adds(1, 11).str().starts_with("{ lambda"));
}

TEST(Printer, VariablesDoNotTakeTheNamesOfGraphs) {
  Jaxpr a = adds(1);
  Builder b;
  Var x = b.in();
  x = b.jit("a", a, {b.jit("a", a, {x})});
  EXPECT_EQ(b.out({x}).str(),
            "let a = { lambda ; b:f32[]. let c:f32[] = add b 1.0:f32[] in (c,) } in\n"
            "{ lambda ; d:f32[]. let\n"
            "    e:f32[] = jit[name=a jaxpr=a] d\n"
            "    f:f32[] = jit[name=a jaxpr=a] e\n"
            "  in (f,) }");
}

TEST(Printer, GraphsOfOneNameAreNumbered) {
  auto names = [](std::vector<std::string> functions) {
    Builder b;
    Var x = b.in();
    double number = 0;
    for (const std::string& name : functions) x = b.jit(name, adds(++number, 11), {x});
    std::string text = b.out({x}).str(), found;
    for (size_t at = 0; (at = text.find("let ", at)) != std::string::npos; at += 4) {
      if (at > 0 && text[at - 1] != '\n') continue;
      found += text.substr(at + 4, text.find(' ', at + 4) - at - 4) + " ";
    }
    return found;
  };
  EXPECT_EQ(names({"f", "f", "f"}), "f f1 f2 ");
  EXPECT_EQ(names({"f", "f", "f1"}), "f f1 f11 ");
  // JAX gives two graphs the name f1 here.
  EXPECT_EQ(names({"f1", "f", "f"}), "f1 f f2 ");
}

// The definition that is found first comes first; what it uses may stand below it.
TEST(Printer, GraphsInsideSharedGraphsAreSharedToo) {
  Jaxpr inner = adds(1);
  Builder m;
  Var y = m.in();
  Jaxpr middle = m.out({m.jit("inner", inner, {y})});
  Builder b;
  Var x = b.in();
  x = b.jit("middle", middle, {b.jit("middle", middle, {x})});
  EXPECT_EQ(b.out({x}).str(),
            "let middle = { lambda ; a:f32[]. let\n"
            "    b:f32[] = jit[name=inner jaxpr=inner] a\n"
            "  in (b,) } in\n"
            "let inner = { lambda ; c:f32[]. let d:f32[] = add c 1.0:f32[] in (d,) } in\n"
            "{ lambda ; e:f32[]. let\n"
            "    f:f32[] = jit[name=middle jaxpr=middle] e\n"
            "    g:f32[] = jit[name=middle jaxpr=middle] f\n"
            "  in (g,) }");
}

TEST(Printer, ALoopHasItsConditionFirst) {
  Builder b;
  Var x = b.in();
  Jaxpr body = adds(1, 12), condition = adds(2, 11);
  x = b.eqn("while", {x}, {{"body_jaxpr", body}, {"body_nconsts", 0}, {"cond_jaxpr", condition}, {"cond_nconsts", 0}});
  std::string text = b.out({x}).str();
  EXPECT_TRUE(text.starts_with("let jaxpr = { lambda ; a:f32[]. let\n    b:f32[] = add a 2.0:f32[]\n"));
  EXPECT_TRUE(text.ends_with(
      "    ba:f32[] = while[\n"
      "      body_jaxpr=jaxpr1\n"
      "      body_nconsts=0\n"
      "      cond_jaxpr=jaxpr\n"
      "      cond_nconsts=0\n"
      "    ] z\n"
      "  in (ba,) }"))
      << text;
}

TEST(Printer, CustomRulesDoNotNameTheirGraph) {
  Builder b;
  Var x = b.in();
  Jaxpr f = adds(1, 11);
  x = b.eqn("custom_jvp_call", {x}, {{"call_jaxpr", f}, {"jvp", "rule"}, {"name", "f"}, {"symbolic_zeros", false}});
  EXPECT_TRUE(b.out({x}).str().ends_with(
      "{ lambda ; m:f32[]. let\n"
      "    n:f32[] = custom_jvp_call[\n"
      "      name=f\n"
      "      call_jaxpr=jaxpr\n"
      "      jvp=rule\n"
      "      symbolic_zeros=False\n"
      "    ] m\n"
      "  in (n,) }"));
}

TEST(Printer, HidesWhatThePrimitiveHides) {
  static const Primitive p{.name = "p", .prints_param = [](std::string_view name, const Param& value, const EqnParams& all) {
                             return name != "secret" && !value.is_none() && all.size() == 3;
                           }};
  auto node = detail::make_ref<detail::JaxprNode>();
  node->eqns.emplace_back(p, Vars{}, Vars{}, EqnParams{{"secret", 1}, {"none", Param()}, {"axes", Axes{0, 1}}});
  node->eqns.emplace_back(p, Vars{}, Vars{}, EqnParams{{"secret", 1}, {"none", Param()}, {"none2", Param()}});
  EXPECT_EQ(Jaxpr(detail::Ref<const detail::JaxprNode>(node)).str(), "{ lambda ; . let p[axes=(0, 1)] ; p  in () }");
}

TEST(Printer, ShowsScopesAndLinesWhenAsked) {
  Builder b;
  Var x = b.in();
  SourceInfo source{"/home/me/heat.cpp", "step", 12, 7, "alpha/beta"};
  Var y = b.eqn("sin", {x}, {}, source);
  source.line = 13, source.column = 0;
  Jaxpr jaxpr = b.out({b.eqn("add", {y, Builder::lit(1.0)}, {}, source), b.eqn("cos", {y})});
  EXPECT_EQ(jaxpr.str({.name_stack = true}),
            "{ lambda ; a:f32[]. let\n"
            "    b:f32[] = sin a           # [alpha/beta]\n"
            "    c:f32[] = add b 1.0:f32[] # [alpha/beta]\n"
            "    d:f32[] = cos b           # []\n"
            "  in (c, d) }");
  EXPECT_EQ(jaxpr.str({.source_info = true, .print_shapes = false}),
            "{ lambda ; a. let b = sin a; c = add b 1.0:f32[]; d = cos b in (c, d) } # /home/me/heat.cpp:12:7 (step)\n"
            "                                                                        # /home/me/heat.cpp:13 (step)\n"
            "                                                                        # unknown");
}

TEST(Printer, DeepNestingPrints) {
  Jaxpr f = adds(1);
  for (int depth = 0; depth < 400; ++depth) {
    Builder b;
    Var x = b.in();
    f = b.out({b.jit("f", f, {x})});
  }
  std::string text = f.str();
  EXPECT_NE(text.find("\n" + std::string(6 * 399 + 4 + 2, ' ') + "name=f\n"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), 401);
}

// Each level calls the one below twice: 2^60 calls, 61 graphs.
TEST(Printer, ManyCallsOfFewGraphsAreFewLines) {
  Jaxpr f = adds(1);
  for (int depth = 0; depth < 60; ++depth) {
    Builder b;
    Var x = b.in();
    f = b.out({b.jit("f", f, {b.jit("f", f, {x})})});
  }
  std::string text = f.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), 61);
}

TEST(EqnStr, HasTheNamesOfTheWhole) {
  Jaxpr jaxpr = read_jaxpr("{ lambda ; a:f32[3]. let b:f32[3] = sin a; c:f32[3] = mul[out_dtype=None] a b in (c,) }");
  EXPECT_EQ(detail::eqn_str(jaxpr, 1), "c:f32[3] = mul[out_dtype=None] a b");
}

TEST(Var, PrintsByItself) {
  EXPECT_EQ(Builder::lit(2).str(), "2.0:f32[]");
  EXPECT_EQ(Builder::var({Shape{3}, DType(DType::kBFloat16), false}).str(), "Var:bf16[3]");
}

TEST(Jaxpr, EmptyIsANamedError) {
  EXPECT_THROW(Jaxpr().str(), ValueError);
  EXPECT_THROW(Jaxpr().eqns(), ValueError);
}

}  // namespace
}  // namespace tenon
