// What the corners of the semantics give, row by row of edge_semantics.tsv (made by JAX 0.12): the printed result, a
// dtype, or the class of an error. Rows that need a transform, another API or Python itself are not here.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "tenon/tenon.h"

namespace tenon::test {
namespace {

struct Row {
  const char* expression;
  Array (*function)();
  const char* instead = nullptr;  // our result, where JAX's is a mistake or an error has another name here
};
#define ROW(text, expression, ...) {text, []() -> Array { return expression; }, ##__VA_ARGS__}

using namespace jnp;
constexpr float kInf = INFINITY, kNan = NAN;

const Row kRows[] = {
    // indexing
    ROW("jnp.arange(5)[10]", arange(5)(10)),
    ROW("jnp.arange(5)[-9]", arange(5)(-9)),
    ROW("jax.jit(lambda v,n: v[n])(jnp.arange(5), 10)", jit([](Array v, Array n) { return v(n); })(arange(5), 10)),
    ROW("jax.jit(lambda v,n: v[n])(jnp.arange(5), -1)", jit([](Array v, Array n) { return v(n); })(arange(5), -1)),
    ROW("jax.jit(lambda v,n: v[n])(jnp.arange(5), -9)", jit([](Array v, Array n) { return v(n); })(arange(5), -9)),
    ROW("jnp.arange(5.)[jnp.array([10,-1,-7])]", arange(5.0)(array({10, -1, -7}))),
    ROW("jnp.take(jnp.arange(5.), 10)", take(arange(5.0), 10)),
    ROW("jnp.take(jnp.arange(5), 10)", take(arange(5), 10)),
    ROW("jnp.arange(5.).at[10].get(mode='fill')", arange(5.0).at(10).get({.mode = IndexMode::fill})),
    ROW("lax.dynamic_slice(jnp.arange(5), (4,), (3,))", lax::dynamic_slice(arange(5), {4}, {3})),
    ROW("jnp.arange(10)[8:20]", arange(10)(slice(8, 20))),
    ROW("jnp.arange(5).at[10].set(1)", arange(5).at(10).set(1)),
    ROW("jnp.arange(5).at[jnp.array([1,1])].add(10)", arange(5).at(array({1, 1})).add(10)),
    ROW("lax.dynamic_update_slice(jnp.arange(5), jnp.array([9,9,9]), (4,))",
        lax::dynamic_update_slice(arange(5), array({9, 9, 9}), {4})),
    // integer
    ROW("jnp.int32(-7)//jnp.int32(2)", floor_divide(int32(-7), int32(2))),
    ROW("jnp.int32(-7)%jnp.int32(3)", int32(-7) % int32(3)),
    ROW("lax.rem(jnp.int32(-7),jnp.int32(3))", lax::rem(int32(-7), int32(3))),
    ROW("lax.div(jnp.int32(-7),jnp.int32(2))", lax::div(int32(-7), int32(2))),
    ROW("jnp.int32(7)//jnp.int32(0)", floor_divide(int32(7), int32(0))),
    ROW("lax.div(jnp.int32(7),jnp.int32(0))", lax::div(int32(7), int32(0))),
    ROW("lax.rem(jnp.int32(7),jnp.int32(0))", lax::rem(int32(7), int32(0))),
    ROW("lax.div(jnp.int32(-2147483648),jnp.int32(-1))", lax::div(int32(int64_t{-2147483648}), int32(-1))),
    ROW("jnp.int32(2147483647)+jnp.int32(1)", int32(2147483647) + int32(1)),
    ROW("jnp.abs(jnp.int32(-2147483648))", abs(int32(int64_t{-2147483648}))),
    ROW("jnp.int32(1)<<jnp.int32(40)", lax::shift_left(int32(1), int32(40))),
    ROW("jnp.int32(-8)>>1", lax::shift_right_arithmetic(int32(-8), int32(1))),
    ROW("jnp.array(3000000000)", array({int64_t{3000000000}}), "ValueError"),
    ROW("jnp.uint8(200)+jnp.uint8(100)", uint8(200) + uint8(100)),
    ROW("jnp.int32(7)/jnp.int32(2)", int32(7) / int32(2)),
    // float
    ROW("jnp.round(jnp.array([0.5,1.5,2.5,-0.5]))", round(array({0.5, 1.5, 2.5, -0.5}))),
    ROW("lax.round(jnp.array([0.5,1.5,2.5,-0.5]))", lax::round(array({0.5, 1.5, 2.5, -0.5}))),
    ROW("jnp.sign(jnp.array([-0.0,0.0,jnp.nan]))", sign(array({-0.0f, 0.0f, kNan}))),
    ROW("jnp.maximum(jnp.nan,1.)", maximum(kNan, 1.0)),
    ROW("jnp.minimum(jnp.array([0.,-0.]),jnp.array([-0.,0.]))", minimum(array({0.0, -0.0}), array({-0.0, 0.0}))),
    ROW("jnp.max(jnp.array([1.,jnp.nan,2.]))", max(array({1.0f, kNan, 2.0f}))),
    ROW("jnp.argmax(jnp.array([1.,jnp.nan,2.]))", argmax(array({1.0f, kNan, 2.0f}))),
    ROW("jnp.argmin(jnp.array([3.,1.,1.]))", argmin(array({3.0, 1.0, 1.0}))),
    ROW("jnp.sort(jnp.array([jnp.nan,1.,0.,-0.,-jnp.inf]))", sort(array({kNan, 1.0f, 0.0f, -0.0f, -kInf}))),
    ROW("jnp.argsort(jnp.array([jnp.nan,1.,0.,-0.]))", argsort(array({kNan, 1.0f, 0.0f, -0.0f}))),
    ROW("jnp.float32(-7.5)%jnp.float32(2)", float32(-7.5) % float32(2)),
    ROW("lax.rem(jnp.float32(-7.5),jnp.float32(2))", lax::rem(float32(-7.5), float32(2))),
    ROW("jnp.float32(1)//jnp.float32(0)", floor_divide(float32(1), float32(0))),
    ROW("jnp.power(0.,0.)", power(0.0, 0.0)),
    ROW("jnp.power(-8.,1/3)", power(-8.0, 1.0 / 3)),
    ROW("jnp.sqrt(-1.)", sqrt(-1.0)),
    ROW("jnp.log(0.)", log(0.0)),
    ROW("jnp.exp(jnp.float32(89))", exp(float32(89))),
    ROW("jnp.float32(1e-40)*1", float32(1e-40) * 1, "Array(1.e-40, dtype=float32)"),  // no flushing
    ROW("jnp.clip(jnp.nan,0.,1.)", clip(kNan, 0.0, 1.0)),
    ROW("jnp.isclose(1.,1.+1e-6)", isclose(1.0, 1.0 + 1e-6)),
    ROW("jnp.mean(jnp.zeros((0,)))", mean(zeros({0}))),
    ROW("jnp.max(jnp.zeros((0,)))", max(zeros({0}))),
    ROW("jnp.sum(jnp.zeros((0,3)),axis=0)", sum(zeros({0, 3}), {.axis = 0})),
    ROW("jnp.prod(jnp.zeros((0,)))", prod(zeros({0}))),
    // cast
    ROW("jnp.float32(3.7e9).astype(jnp.int32)", float32(3.7e9).astype(int32)),
    ROW("jnp.float32(-1.5).astype(jnp.uint8)", float32(-1.5).astype(uint8)),
    ROW("jnp.float32(300.).astype(jnp.uint8)", float32(300.0).astype(uint8)),
    ROW("jnp.float32(jnp.nan).astype(jnp.int32)", float32(kNan).astype(int32)),
    ROW("jnp.float32(-1.9).astype(jnp.int32)", float32(-1.9).astype(int32)),
    ROW("jnp.int32(257).astype(jnp.int8)", int32(257).astype(int8)),
    ROW("jnp.float32(2.).astype(bool)", float32(2.0).astype(bool_)),
    ROW("jnp.float32(65520.).astype(jnp.float16)", float32(65520.0).astype(float16)),
    // dtype
    ROW("jnp.sum(jnp.ones(3,jnp.int8)).dtype", sum(ones({3}, int8))),
    ROW("jnp.sum(jnp.ones(3,bool)).dtype", sum(ones({3}, bool_))),
    ROW("jnp.sum(jnp.ones(3,jnp.bfloat16)).dtype", sum(ones({3}, bfloat16))),
    ROW("jnp.prod(jnp.ones(3,jnp.uint8)).dtype", prod(ones({3}, uint8))),
    ROW("jnp.cumsum(jnp.ones(3,jnp.int8)).dtype", cumsum(ones({3}, int8))),
    ROW("jnp.mean(jnp.ones(3,jnp.int32)).dtype", mean(ones({3}, int32))),
    ROW("jnp.mean(jnp.ones(3,jnp.float16)).dtype", mean(ones({3}, float16))),
    ROW("jnp.var(jnp.ones(3,jnp.int32)).dtype", var(ones({3}, int32))),
    ROW("jnp.dot(jnp.ones(3,jnp.int8),jnp.ones(3,jnp.int8)).dtype", dot(ones({3}, int8), ones({3}, int8))),
    ROW("jnp.dot(jnp.ones(3,jnp.bfloat16),jnp.ones(3)).dtype", dot(ones({3}, bfloat16), ones({3}))),
    ROW("jnp.sin(jnp.int32(1)).dtype", sin(int32(1))),
    ROW("jnp.sqrt(jnp.int8(4)).dtype", sqrt(int8(4))),
    ROW("jnp.argmax(jnp.ones(3)).dtype", argmax(ones({3}))),
    ROW("jnp.arange(3).dtype", arange(3)),
    ROW("jnp.arange(3.).dtype", arange(3.0)),
    ROW("jnp.linspace(0,1,3).dtype", linspace(0, 1, 3)),
    ROW("jnp.asarray(1).dtype", asarray(1)),
    ROW("jnp.zeros(2,'float64').dtype", zeros({2}, float64)),
    ROW("jnp.where(True,1,2.0).dtype", where(true, 1, 2.0)),
    ROW("jnp.where(jnp.array(True),jnp.int8(1),2).dtype", where(array(true), int8(1), 2)),
    // weak types
    ROW("repr(jnp.asarray(1))", asarray(1)),
    ROW("repr(jnp.asarray(1.0))", asarray(1.0)),
    ROW("repr(jnp.array([1,2]))", array({1, 2})),
    ROW("repr(jnp.float32(1)*2)", float32(1) * 2),
    ROW("repr(jnp.ones(())*1.0)", ones({}) * 1.0),
    ROW("repr(jnp.asarray(1)*jnp.asarray(2.0))", asarray(1) * asarray(2.0)),
    ROW("repr(jnp.full((2,),1.0))", full({2}, 1.0)),
    ROW("repr(jnp.zeros_like(1.0))", zeros_like(1.0)),
    ROW("repr(jnp.sin(1.0))", sin(1.0)),
    ROW("repr(jnp.sum(jnp.asarray([1.0])))", sum(asarray({1.0}))),
    ROW("repr(jax.jit(lambda v: v+1)(1))", jit([](Array v) { return v + 1; })(1)),
    // errors
    ROW("jnp.int32(2)**jnp.int32(-1)", power(int32(2), -1)),
    ROW("jnp.ones(3)+jnp.ones(4)", ones({3}) + ones({4})),
    ROW("jnp.ones((2,3))@jnp.ones((2,3))", matmul(ones({2, 3}), ones({2, 3}))),
    ROW("jnp.ones(6).reshape(4,2)", ones({6}).reshape({4, 2})),
    ROW("jnp.concatenate([jnp.ones((2,3)),jnp.ones((3,2))])", concatenate({ones({2, 3}), ones({3, 2})})),
    ROW("jnp.ones(3)[1,2]", ones({3})(1, 2)),
    ROW("jnp.ones((2,3)).sum(axis=2)", ones({2, 3}).sum(2)),
    ROW("jnp.transpose(jnp.ones((2,3)),(0,0))", transpose(ones({2, 3}), {0, 0})),
    ROW("jax.jit(lambda v: float(v))(1.0)", jit([](Array v) { return Array(float(v)); })(1.0)),
    ROW("lax.add(jnp.ones(3),jnp.ones(3,jnp.int32))", lax::add(ones({3}), ones({3}, int32))),
    ROW("lax.add(1.0,jnp.ones(3))", lax::add(1.0, ones({3}))),
    ROW("jax.random.normal(jnp.ones(3))", random::normal(ones({3}))),
    ROW("jax.random.split(3)", random::split(3)),
};

const std::map<std::string, std::string>& results() {
  static const auto all = [] {
    std::map<std::string, std::string> rows;
    std::ifstream file(TENON_TEST_DATA "/library/edge_semantics.tsv");
    std::string line;
    while (std::getline(file, line)) {
      const size_t a = line.find('\t'), b = line.find('\t', a + 1);
      rows[line.substr(a + 1, b - a - 1)] = line.substr(b + 1);
    }
    return rows;
  }();
  return all;
}

// The class of what `function` throws.
std::string error_of(Array (*function)()) {
  try {
    function().block_until_ready();
  } catch (const ConcretizationTypeError&) {
    return "ConcretizationTypeError";
  } catch (const IndexError&) {
    return "IndexError";
  } catch (const TypeError&) {
    return "TypeError";
  } catch (const ValueError&) {
    return "ValueError";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

class EdgeSemantics : public testing::TestWithParam<Row> {};

TEST_P(EdgeSemantics, AreJaxs) {
  const Row& row = GetParam();
  SCOPED_TRACE(row.expression);
  const std::string want = row.instead ? row.instead : results().at(row.expression);
  if (const size_t colon = want.find("Error"); colon != std::string::npos) {
    EXPECT_EQ(error_of(row.function), want.substr(0, colon + 5));
    return;
  }
  const Array got = row.function();
  if (want.starts_with("dtype(")) {
    std::string dtype = want.substr(6, want.size() - 7);
    std::erase(dtype, '\'');
    EXPECT_EQ(got.dtype().str(), dtype);
  } else {
    EXPECT_EQ(got.str(), want);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, EdgeSemantics, testing::ValuesIn(kRows),
                         [](const auto& info) { return "row_" + std::to_string(info.index); });

}  // namespace
}  // namespace tenon::test
