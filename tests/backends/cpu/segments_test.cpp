// Bodies long enough to be cut into loops over strips (segments.cpp).
#include <algorithm>
#include <chrono>

#include "run_both.h"

namespace tenon::cpu {
namespace {

std::string type(const Shape& shape, const std::string& element) {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + element + ">";
}

/// `count` rounds of v = log(tanh(v) * v + 3) from "%x" on, in values "%<prefix><k>"; the last is "%<prefix>".
std::string rounds(const std::string& t, int count, const std::string& prefix) {
  std::string text, v = "%x";
  for (int k = 0; k < count; ++k) {
    const std::string name = "%" + prefix + (k + 1 < count ? std::to_string(k) : "");
    const std::string step = "%" + prefix + std::to_string(k);
    text += step + "_t = stablehlo.tanh " + v + " : " + t + "\n" + step + "_p = stablehlo.multiply " + step + "_t, " + v + " : " + t + "\n" +
            step + "_s = stablehlo.add " + step + "_p, %three : " + t + "\n" + name + " = stablehlo.log " + step + "_s : " + t + "\n";
    v = name;
  }
  return text;
}

std::string three(const std::string& t) { return "%three = stablehlo.constant dense<3.0> : " + t + "\n"; }

// A comparison and a number of the first round are read by the last; two results.
TEST(Segments, EachTypeAndSize) {
  for (const std::string element : {"f32", "f64", "f16", "bf16"}) {
    std::vector<Shape> shapes{{513}, {3, 700}};
    if (element == "f32") shapes.insert(shapes.end(), {{511}, {512}, {5003}, {700, 3}, {2, 3, 520}});
    for (const Shape& shape : shapes) {
      const std::string t = type(shape, element), b = type(shape, "i1"), i = type(shape, "i32");
      SCOPED_TRACE(t);
      const std::string body = three(t) + "%below = stablehlo.compare LT, %x, %y : (" + t + ", " + t + ") -> " + b + "\n" +
                               "%r = stablehlo.round_nearest_even %y : " + t + "\n%n = stablehlo.convert %r : (" + t + ") -> " + i + "\n" +
                               rounds(t, 4, "a") + "%c = stablehlo.select %below, %a, %y : " + b + ", " + t + "\n" +
                               "%m = stablehlo.convert %n : (" + i + ") -> " + t + "\n%e = stablehlo.multiply %m, %a : " + t + "\n" +
                               "return %c, %e : " + t + ", " + t;
      const DType dtype = DType::parse(element);
      expect_both_same(program("(%x: " + t + ", %y: " + t + ") -> (" + t + ", " + t + ")", body),
                       {random_tensor(1, shape, dtype, -10, 10, true), random_tensor(2, shape, dtype, -10, 10)});
    }
  }
}

// Rows and columns that are broadcast, a pad, a concatenation and a reversal between the segments.
void check_index_maps(int64_t n) {
  SCOPED_TRACE(n);
  const std::string t = type({5, n}, "f32"), half = type({5, n / 2}, "f32"), row = type({n}, "f32");
  const std::string body = three(half) + "%zero = stablehlo.constant dense<0.5> : tensor<f32>\n" + rounds(half, 3, "a") +
                           "%w = stablehlo.reverse %a, dims = [1] : " + half + "\n" +
                           "%joined = stablehlo.concatenate %a, %w, dim = 1 : (" + half + ", " + half + ") -> " + t + "\n" +
                           "%wide = stablehlo.pad %a, %zero, low = [0, 100], high = [0, " + std::to_string(n / 2 - 100) +
                           "], interior = [0, 0] : (" + half + ", tensor<f32>) -> " + t + "\n" +
                           "%row = stablehlo.broadcast_in_dim %r, dims = [1] : (" + row + ") -> " + t + "\n" +
                           "%column = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<5xf32>) -> " + t + "\n" +
                           "%0 = stablehlo.multiply %joined, %row : " + t + "\n%1 = stablehlo.add %0, %wide : " + t + "\n" +
                           "%2 = stablehlo.sine %1 : " + t + "\n%3 = stablehlo.multiply %2, %column : " + t + "\n" +
                           "%4 = stablehlo.logistic %3 : " + t + "\n%5 = stablehlo.add %4, %joined : " + t + "\nreturn %5 : " + t;
  expect_both_same(program("(%x: " + half + ", %r: " + row + ", %c: tensor<5xf32>) -> " + t, body),
                   {random_tensor(3, {5, n / 2}), random_tensor(4, {n}), random_tensor(5, {5})});
}
TEST(Segments, IndexMapsBetween) {
  for (int64_t n : {512, 600, 1024}) check_index_maps(n);
}

// A roll by `shift` is two slices that change places; with a reversal, the last elements come from both.
TEST(Segments, RollsAndReversals) {
  for (int64_t n : {512, 520, 1536}) {
    SCOPED_TRACE(n);
    const std::string t = type({3, n}, "f32"), size = std::to_string(n);
    const auto roll = [&](const std::string& of, const std::string& to) {
      const std::string at = std::to_string(n - 3), end = type({3, 3}, "f32"), begin = type({3, n - 3}, "f32");
      return to + "_e = stablehlo.slice " + of + " [0:3, " + at + ":" + size + "] : (" + t + ") -> " + end + "\n" + to + "_b = stablehlo.slice " + of +
             " [0:3, 0:" + at + "] : (" + t + ") -> " + begin + "\n" + to + " = stablehlo.concatenate " + to + "_e, " + to + "_b, dim = 1 : (" + end +
             ", " + begin + ") -> " + t + "\n";
    };
    const std::string body = three(t) + rounds(t, 2, "a") + roll("%a", "%once") + "%d = stablehlo.subtract %once, %a : " + t + "\n" + roll("%d", "%twice") +
                             "%f = stablehlo.reverse %twice, dims = [1] : " + t + "\n%l = stablehlo.tanh %f : " + t + "\n" +
                             "%m = stablehlo.maximum %l, %twice : " + t + "\nreturn %m : " + t;
    expect_both_same(program("(%x: " + t + ") -> " + t, body), {random_tensor(7, {3, n})});
  }
}

// Values kept at places that the program reads: of a slice, of rows chosen, of an update.
TEST(Segments, PlacesThatAreRead) {
  for (int64_t n : {512, 714}) {
    SCOPED_TRACE(n);
    const std::string t = type({8, n}, "f32"), part = type({4, n}, "f32"), size = std::to_string(n);
    const std::string head = three(t) + rounds(t, 2, "a") + "%z = stablehlo.constant dense<0> : tensor<i32>\n";
    const std::string slice = "%s = stablehlo.dynamic_slice %a, %i, %z, sizes = [4, " + size + "] : (" + t + ", tensor<i32>, tensor<i32>) -> " + part + "\n";
    const std::string update = slice + "%w = stablehlo.dynamic_update_slice %a, %s, %i, %z : (" + t + ", " + part + ", tensor<i32>, tensor<i32>) -> " + t +
                               "\n%l = stablehlo.tanh %w : " + t + "\n%r = stablehlo.multiply %l, %a : " + t + "\nreturn %r : " + t;
    const std::string rows = "%g = \"stablehlo.gather\"(%a, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
                             "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, " + size + ">}> : (" + t + ", tensor<8xi32>) -> " + t +
                             "\n%l = stablehlo.tanh %g : " + t + "\n%r = stablehlo.multiply %l, %g : " + t + "\nreturn %r : " + t;
    const std::string signature = "(%x: " + t + ", %i: tensor<i32>, %k: tensor<8xi32>) -> " + t;
    const Tensors arguments{random_tensor(10, {8, n}), Tensor::of<int32_t>({}, {3}), Tensor::of<int32_t>({8}, {7, 0, 3, 3, 9, -1, 2, 5})};
    expect_both_same(program(signature, head + update), arguments);
    expect_both_same(program(signature, head + rows), arguments);
    const std::string whole = "%w = stablehlo.dynamic_update_slice %a, %a, %i, %z : (" + t + ", " + t + ", tensor<i32>, tensor<i32>) -> " + t +
                              "\n%r = stablehlo.remainder %x, %w : " + t + "\nreturn %r : " + t;
    expect_both_same(program(signature, head + whole), arguments);
  }
}

// What is the same for all elements, and reached by many ways, is looked at once (random keys).
TEST(Segments, ScalarsOfManyWays) {
  const std::string t = type({1024}, "f32");
  std::string body = three(t) + "%s0 = stablehlo.sine %y : tensor<f32>\n";
  for (int k = 0; k < 60; ++k) {
    const std::string before = "%s" + std::to_string(k), next = "%s" + std::to_string(k + 1);
    body += next + "_h = stablehlo.multiply " + before + ", " + before + " : tensor<f32>\n" + next + " = stablehlo.subtract " + next + "_h, " + before + " : tensor<f32>\n";
  }
  body += rounds(t, 2, "a") + "%b = stablehlo.broadcast_in_dim %s60, dims = [] : (tensor<f32>) -> " + t + "\n%r = stablehlo.multiply %a, %b : " + t + "\nreturn %r : " + t;
  expect_both_same(program("(%x: " + t + ", %y: tensor<f32>) -> " + t, body), {random_tensor(8, {1024}), random_tensor(9, {})});
}

double seconds(const std::string& body, const std::string& t, const Tensors& arguments) {
  const ExecutableRef executable = compiled(program("(%x: " + t + ") -> " + t, body));
  BufferRefs buffers{client().copy_from_host(arguments[0].data(), arguments[0].nbytes(), 0)};
  double best = 1;
  for (int k = 0; k < 30; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    executable->execute(buffers, {})[0]->wait();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

// Without segments a round in a chain takes four times as long as one alone: its latency.
TEST(Segments, ALongChainKeepsThePaceOfAShortOne) {
  const std::string t = type({16384}, "f32");
  const Tensors arguments{random_tensor(6, {16384})};
  const auto body = [&](int count) { return three(t) + rounds(t, count, "a") + "return %a : " + t; };
  const double one = seconds(body(1), t, arguments), many = seconds(body(20), t, arguments);
  EXPECT_LT(many, 20 * 2.5 * one) << "20 rounds: " << many << " s, one: " << one << " s";
}

}  // namespace
}  // namespace tenon::cpu
