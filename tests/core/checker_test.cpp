// What a jaxpr must be, and how the checker says where it is not.
#include "core/checker.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/jaxpr_reader.h"
#include "support/test_client.h"
#include "tenon/error.h"
#include "tenon/host.h"

namespace tenon {
namespace {

using detail::check_jaxpr;

const Aval kVector{Shape{3}, DType(DType::kFloat32)};

Var var(const Aval& aval = kVector) {
  auto node = detail::make_ref<detail::VarNode>();
  node->aval = aval;
  return Var(node);
}
Avals first_operand(const Avals& operands, const EqnParams&) {
  if (operands.empty()) throw ShapeError("same: it takes an operand");
  return {operands[0]};
}
const Primitive same_p{.name = "same", .abstract_eval = first_operand};

using Node = detail::Ref<detail::JaxprNode>;
Node node() { return detail::make_ref<detail::JaxprNode>(); }
Jaxpr jaxpr(const Node& n) { return Jaxpr(detail::Ref<const detail::JaxprNode>(n)); }
constexpr const char* kEnd = "; this is a mistake in Tenon or in the rules of a primitive";

TEST(CheckJaxpr, AcceptsWhatIsRight) {
  TestClient::instance();
  EXPECT_NO_THROW(check_jaxpr(read_jaxpr("{ lambda ; a:f32[3]. let b:f32[3] = sin a; c:f32[3] = mul a b in (c, 1.0:f32[], a) }")));
  Node n = node();
  Var x = var(), y = var({Shape{3}, DType(DType::kFloat32), true});  // weak types may differ
  n->invars = {x};
  n->eqns.emplace_back(same_p, Vars{x}, Vars{y}, EqnParams{});
  n->outvars = {y};
  float data[3] = {};
  n->constvars = {var()};
  n->consts = {device_put(HostView(data, Shape{3}))};
  EXPECT_NO_THROW(check_jaxpr(jaxpr(n)));
}

TEST(CheckJaxpr, VariablesAreBoundOnceBeforeTheyAreUsed) {
  Node n = node();
  Var x = var(), y = var(), z = var();
  n->invars = {x};
  n->eqns.emplace_back(same_p, Vars{x}, Vars{y}, EqnParams{});
  n->eqns.emplace_back(same_p, Vars{z}, Vars{var()}, EqnParams{});
  n->outvars = {y};
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0),
               std::string("check_jaxpr: equation 1, `_:f32[3] = same c`: operand 0 is not bound before it is used") + kEnd);
  n->eqns[1] = Eqn(same_p, {x}, {y}, {});
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0),
               std::string("check_jaxpr: equation 1, `b:f32[3] = same a`: a variable is bound twice") + kEnd);
  n->eqns.pop_back();
  n->outvars = {y, z};
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0), std::string("check_jaxpr: result 1 is not bound before it is used") + kEnd);
  n->invars = {x, x};
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0), std::string("check_jaxpr: a variable is bound twice") + kEnd);
}

TEST(CheckJaxpr, ResultsAgreeWithTheRule) {
  Node n = node();
  Var x = var();
  n->invars = {x};
  n->eqns.emplace_back(same_p, Vars{x}, Vars{var({Shape{2}, DType(DType::kFloat32)})}, EqnParams{});
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0),
               std::string("check_jaxpr: equation 0, `_:f32[2] = same a`: result 0 is f32[2] and its rule gives f32[3]") + kEnd);
  n->eqns[0] = Eqn(same_p, {x}, {var(), var()}, {});
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0),
               std::string("check_jaxpr: equation 0, `_:f32[3] _:f32[3] = same a`: its rule gives 1 results and the equation has 2") + kEnd);
  n->eqns[0] = Eqn(same_p, {}, {var()}, {});
  EXPECT_ERROR(InternalError, (check_jaxpr(jaxpr(n)), 0),
               std::string("check_jaxpr: equation 0, `_:f32[3] = same `: its rule refuses the operands: same: it takes an operand") + kEnd);
}

TEST(CheckJaxpr, ConstsMatch) {
  Node n = node();
  n->constvars = {var()};
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(n)), 0), "there are 1 constvars and 0 consts");
  n->consts = {Array(1)};
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(n)), 0), "constvar 0 is f32[3] and its const is i32[]");
  n->consts = {Array()};
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(n)), 0), "const 0 is an empty Array");
}

TEST(CheckJaxpr, EffectsArePassedOn) {
  Node n = node();
  Var x = var();
  n->invars = {x};
  n->eqns.emplace_back(same_p, Vars{x}, Vars{var()}, EqnParams{}, SourceInfo{}, Effects::ordered_io);
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(n)), 0), "it has effects that the jaxpr does not have");
  n->effects = Effects::ordered_io | Effects::reads;
  EXPECT_NO_THROW(check_jaxpr(jaxpr(n)));
}

TEST(CheckJaxpr, EmptyVariablesAreFound) {
  Node n = node();
  n->eqns.emplace_back(same_p, Vars{Var()}, Vars{var()}, EqnParams{});
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(n)), 0), "equation 0, `_:f32[3] = same ?`: operand 0 is empty");
  n->eqns[0] = Eqn(same_p, {}, {Var()}, {});
  EXPECT_THROW(check_jaxpr(jaxpr(n)), InternalError);
}

TEST(CheckJaxpr, LooksInside) {
  Node inner = node();
  inner->outvars = {var()};
  Node middle = node();
  middle->eqns.emplace_back(test_primitive("jit"), Vars{}, Vars{}, EqnParams{{"jaxpr", jaxpr(inner)}});
  Node outer = node();
  outer->eqns.emplace_back(test_primitive("cond"), Vars{}, Vars{}, EqnParams{{"branches", std::vector<Jaxpr>{jaxpr(middle), jaxpr(middle)}}});
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(jaxpr(outer)), 0), "check_jaxpr: result 0 is not bound");
}

}  // namespace
}  // namespace tenon
