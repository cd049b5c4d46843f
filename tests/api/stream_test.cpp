// Products and kernels that hand on rows run on a block of them after the other: fewer bytes, and the same bits.
#include <gtest/gtest.h>

#include <cstring>

#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

std::vector<unsigned char> bytes_of(const Array& x) {
  const Array host = x.astype(x.dtype());
  std::vector<unsigned char> bytes(static_cast<size_t>(x.nbytes()));
  const auto values = lax::bitcast_convert_type(host, x.dtype().itemsize() == 2 ? jnp::uint16 : x.dtype().itemsize() == 4 ? jnp::uint32 : jnp::uint64);
  if (x.dtype().itemsize() == 2) std::memcpy(bytes.data(), values.to_vector<uint16_t>().data(), bytes.size());
  if (x.dtype().itemsize() == 4) std::memcpy(bytes.data(), values.to_vector<uint32_t>().data(), bytes.size());
  if (x.dtype().itemsize() == 8) std::memcpy(bytes.data(), values.to_vector<uint64_t>().data(), bytes.size());
  return bytes;
}

/// Compiles f with streams and without: one kernel instead of `kernels`, no array between, the bits of the other.
template <class F, class... A>
void expect_streamed(F f, int kernels, const A&... args) {
  const auto streamed = jit(f).lower(args...).compile();
  config::Scope scope({{"disable_passes", "stream-rows"}});
  const auto plain = jit(f).lower(args...).compile();
  EXPECT_EQ(testkit::fusions(streamed), 1) << streamed.as_text();
  EXPECT_EQ(testkit::fusions(plain), kernels);
  EXPECT_EQ(testkit::temp_bytes(streamed), 0);
  EXPECT_GT(streamed.memory_analysis().scratch_size_in_bytes, 0);
  EXPECT_LT(testkit::bytes_accessed(streamed), testkit::bytes_accessed(plain));
  const auto expected = bytes_of(plain(args...));
  for (int threads : {1, 2, 5}) {
    config::Scope pool({{"num_threads", threads}});
    EXPECT_TRUE(bytes_of(streamed(args...)) == expected) << threads << " threads";
  }
}

Array scores_of(const Array& q, const Array& k) { return lax::dot_general(q, k, {{2}, {2}, {0}, {0}}); }
Array weighted(const Array& weights, const Array& v) { return lax::dot_general(weights, v, {{2}, {1}, {0}, {0}}); }

Array attention(const Array& q, const Array& k, const Array& v) { return weighted(nn::softmax(scores_of(q, k) * 0.125), v); }

Array causal_attention(const Array& q, const Array& k, const Array& v) {
  const Array mask = jnp::tri(q.shape()[1], k.shape()[1], 0, jnp::bool_);
  return weighted(nn::softmax(jnp::where(mask, scores_of(q, k) * 0.125, -1e30)), v);
}

struct Heads {
  Array q, k, v;
};
Heads heads(int64_t batches, int64_t queries, int64_t keys, int64_t width, const DType& dtype = jnp::float32) {
  return {test::normal(1, {batches, queries, width}).astype(dtype), test::normal(2, {batches, keys, width}).astype(dtype),
          test::normal(3, {batches, keys, width}).astype(dtype)};
}

TEST(Streams, AttentionHasNoMatrixOfScores) {
  const Heads h = heads(6, 256, 256, 64);
  expect_streamed(attention, 1, h.q, h.k, h.v);
  const auto compiled = jit(attention).lower(h.q, h.k, h.v).compile();
  EXPECT_EQ(testkit::bytes_accessed(compiled), 4.0 * static_cast<double>(h.q.nbytes()));
  EXPECT_NE(compiled.as_text().find("kind=kCustom"), std::string::npos);
}

// [batch, place, head, width]: both products are batched by the axes 0 and 2, and the second has the weights on the right.
TEST(Streams, AttentionOfHeadsBehindPlaces) {
  const auto f = [](Array q, Array k, Array v) {
    return jnp::einsum("bhqk,bkhd->bqhd", nn::softmax(jnp::einsum("bqhd,bkhd->bhqk", q, k) * 0.125), v);
  };
  const Array q = test::normal(1, {2, 256, 4, 64}), k = test::normal(2, {2, 256, 4, 64}), v = test::normal(3, {2, 256, 4, 64});
  const auto streamed = jit(f).lower(q, k, v).compile();
  EXPECT_EQ(streamed.as_text().substr(streamed.as_text().find("ENTRY")).find("256,256]"), std::string::npos) << streamed.as_text();
  config::Scope scope({{"disable_passes", "stream-rows"}});
  EXPECT_TRUE(bytes_of(streamed(q, k, v)) == bytes_of(jit(f)(q, k, v)));
}

TEST(Streams, SizesThatAreNoMultiplesOfAnything) {
  for (auto [batches, queries, keys, width] : {std::array<int64_t, 4>{7, 197, 203, 33}, {40, 61, 129, 16}, {2, 1001, 301, 70}, {1, 640, 700, 40}}) {
    SCOPED_TRACE(testing::Message() << batches << " x " << queries << " x " << keys << " x " << width);
    const Heads h = heads(batches, queries, keys, width);
    expect_streamed(attention, 1, h.q, h.k, h.v);
    expect_streamed(causal_attention, 1, h.q, h.k, h.v);
  }
}

TEST(Streams, OtherDtypes) {
  config::Scope scope({{"enable_x64", true}});
  for (const DType& dtype : {jnp::float64, jnp::float16, jnp::bfloat16}) {
    SCOPED_TRACE(testing::Message() << dtype);
    const Heads h = heads(8, 300, 300, 32, dtype);
    expect_streamed(attention, 1, h.q, h.k, h.v);
  }
}

TEST(Streams, WhatAMaskHidesIsNotMultiplied) {
  const Heads h = heads(4, 400, 400, 32);
  expect_streamed(causal_attention, 1, h.q, h.k, h.v);
  // Masks of other forms: strictly below the diagonal or some columns beyond it, by `or`, `not` and sums of row numbers.
  const auto with = [](auto make_mask) {
    return [make_mask](const Array& q, const Array& k, const Array& v) {
      const Array row = lax::broadcasted_iota(jnp::int32, {400, 400}, 0), column = lax::broadcasted_iota(jnp::int32, {400, 400}, 1);
      return weighted(nn::softmax(make_mask(row, column, scores_of(q, k))), v);
    };
  };
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(r + 3 > c, s, -1e30); }), 1, h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(c > r, -1e30, s); }), 1, h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where((c > r) | (c + 20 < r), -1e30, s); }), 1, h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(~(c <= r), -1e30, s) - jnp::where(c <= r - 7, s, 1.0); }), 1,
                  h.q, h.k, h.v);
  // None hides anything: the mask looks the other way, or the scores count beside it.
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(c >= r, s, -1e30); }), 1, h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(c <= r, s, s * 0.5); }), 1, h.q, h.k, h.v);
}

TEST(Streams, ZeroTimesInfinityIsNanBehindAMaskToo) {
  Heads h = heads(4, 300, 300, 32);
  for (double number : {HUGE_VAL, static_cast<double>(NAN)}) {
    h.v = test::normal(3, {4, 300, 32}).at(2, 250, 5).set(number);
    expect_streamed(causal_attention, 1, h.q, h.k, h.v);
    EXPECT_TRUE(jnp::isnan(jit(causal_attention)(h.q, h.k, h.v)(2, 10, 5)).item<bool>());
  }
}

TEST(Streams, ANegativeZeroIsKept) {
  // Weights 0 and products that vanish: sums of zeros of both signs.
  const auto f = [](const Array& q, const Array& k, const Array& v) {
    return weighted(jnp::where(scores_of(q, k) > 0, 1e-30, 0.0).astype(jnp::float32), v);
  };
  const Heads h = heads(4, 300, 300, 32);
  for (double scale : {-1e-20, -0.0, 1e-20}) expect_streamed(f, 1, h.q, h.k.at(all, slice(100, 300)).set(0.0), h.v * scale);
}

TEST(Streams, AProductAndWhatIsDoneToIt) {
  const Array x = test::normal(1, {2048, 96}), w = test::normal(2, {96, 320}), bias = test::normal(3, {320}), r = test::normal(4, {2048, 320});
  expect_streamed([](Array x, Array w, Array bias, Array r) { return nn::gelu(jnp::matmul(x, w) + bias) + r; }, 1, x, w, bias, r);
  // Several products; the rows of the first are those of a transposed array.
  const Array v = test::normal(5, {320, 300});
  expect_streamed([](Array x, Array w, Array v) { return jnp::tanh(jnp::matmul(nn::relu(jnp::matmul(x.T(), w)), v)); }, 2, x.T(), w, v);
  // What comes before the product.
  const auto f = [](Array r, Array v) { return jnp::matmul(nn::softmax(r * 2.0), v); };
  expect_streamed(f, 1, r, v);
}

TEST(Streams, AKernelIsPartOfOneStream) {
  const Array x = test::normal(1, {2048, 96}), y = test::normal(2, {2048, 96}), w = test::normal(3, {96, 320}), v = test::normal(4, {96, 320});
  const auto f = [](Array x, Array w, Array y, Array v) { return nn::relu(jnp::matmul(x, w) + jnp::matmul(y, v)); };
  const auto streamed = jit(f).lower(x, w, y, v).compile();
  EXPECT_EQ(testkit::fusions(streamed), 1);
  config::Scope scope({{"disable_passes", "stream-rows"}});
  EXPECT_TRUE(bytes_of(streamed(x, w, y, v)) == bytes_of(jit(f)(x, w, y, v)));
}

// The mask counts rows through all batches, the second product within one.
TEST(Streams, AMaskOfOtherRowsThanTheProduct) {
  const Array x = test::normal(1, {1024, 64}), w = test::normal(2, {64, 1024}), v = test::normal(3, {4, 1024, 32});
  const auto f = [](Array x, Array w, Array v) {
    const Array row = lax::broadcasted_iota(jnp::int32, {1024, 1024}, 0), column = lax::broadcasted_iota(jnp::int32, {1024, 1024}, 1);
    const Array weights = jnp::where(column <= row, jnp::matmul(x, w), 0.0).reshape({4, 256, 1024});
    return weighted(weights, v);
  };
  expect_streamed(f, 1, x, w, v);
}

// Heads that a projection makes: the last axis is not the product's, though the one before is as long as its rows.
TEST(Streams, AMaskOfOtherColumnsThanTheProduct) {
  const Array x = test::normal(1, {512, 48}), w = test::normal(2, {48, 8192});
  const auto f = [](Array x, Array w) {
    const Array y = jnp::matmul(x, w).reshape({512, 512, 16});
    return jnp::where(lax::broadcasted_iota(jnp::int32, y.shape(), 1) >= lax::broadcasted_iota(jnp::int32, y.shape(), 2), y, -1.0);
  };
  const Array streamed = jit(f)(x, w);
  config::Scope scope({{"disable_passes", "stream-rows"}});
  EXPECT_TRUE(bytes_of(streamed) == bytes_of(jit(f)(x, w)));
}

// A negative difference is a large number without a sign: a window in one comparison.
TEST(Streams, MasksByNumbersWithoutASign) {
  const Heads h = heads(4, 400, 400, 32);
  const auto with = [](auto make_mask) {
    return [make_mask](const Array& q, const Array& k, const Array& v) {
      const Array row = lax::broadcasted_iota(jnp::int32, {400, 400}, 0), column = lax::broadcasted_iota(jnp::int32, {400, 400}, 1);
      return weighted(nn::softmax(make_mask(row, column, scores_of(q, k))), v);
    };
  };
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where((r - c).astype(jnp::uint32) < jnp::uint32(9), -1e30, s); }), 1,
                  h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) {
                    return jnp::where((r - 5).astype(jnp::uint32) >= c.astype(jnp::uint32), s, -1e30);
                  }),
                  1, h.q, h.k, h.v);
  expect_streamed(with([](const Array& r, const Array& c, const Array& s) { return jnp::where(r.astype(jnp::uint32) >= c.astype(jnp::uint32), s, -1e30); }),
                  1, h.q, h.k, h.v);
}

TEST(Streams, InsideOfALoop) {
  const Heads h = heads(4, 256, 256, 64);
  const auto f = [](Array q, Array k, Array v) {
    return lax::fori_loop(0, 3, [&](Array, Array x) { return attention(x, k, v); }, q);
  };
  const Array streamed = jit(f)(h.q, h.k, h.v);
  config::Scope scope({{"disable_passes", "stream-rows"}});
  EXPECT_TRUE(bytes_of(streamed) == bytes_of(jit(f)(h.q, h.k, h.v)));
}

TEST(Streams, WhatOthersReadStaysInMemory) {
  const Heads h = heads(6, 256, 256, 64);
  const auto both = [](Array q, Array k, Array v) {
    const Array weights = nn::softmax(scores_of(q, k));
    return std::tuple(weighted(weights, v), weights);
  };
  const auto compiled = jit(both).lower(h.q, h.k, h.v).compile();
  EXPECT_EQ(compiled.as_text().find("dot_divide_dot"), std::string::npos);
  const auto columns = [](Array q, Array k) { return nn::softmax(scores_of(q, k), {.axis = 1}); };
  EXPECT_GT(testkit::temp_bytes(jit(columns).lower(h.q, h.k).compile()), 0);
  const auto barrier = [](Array q, Array k) { return jnp::exp(lax::optimization_barrier(scores_of(q, k))); };
  const auto kept = jit(barrier).lower(h.q, h.k).compile();
  EXPECT_EQ(testkit::fusions(kept), 1);
  EXPECT_EQ(kept.as_text().find("kCustom"), std::string::npos);
}

// Chains by chance, of any size, in blocks of a few rows.
TEST(Streams, ChainsByChance) {
  int streams = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    std::mt19937 engine(seed);
    const auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine); };
    const bool batched = draw(0, 1) != 0;
    const int64_t batches = batched ? draw(1, 3) : 1, rows = draw(1, 40), columns = draw(1, 70);
    std::vector<int> kinds;
    std::vector<Array> with;
    const auto shape_of = [&](int64_t last) { return batched ? Shape{batches, rows, last} : Shape{rows, last}; };
    int64_t last = columns;
    for (int64_t k = draw(2, 6); k > 0; --k) {
      kinds.push_back(static_cast<int>(draw(0, 7)));
      switch (kinds.back()) {
        case 0: case 1: {
          const int64_t next = draw(1, 70);
          with.push_back(test::normal(seed + 100, batched ? Shape{batches, last, next} : Shape{last, next}, 0.3));
          last = next;
          break;
        }
        case 2: with.push_back(test::normal(seed + 200, {last})); break;
        case 3: with.push_back(test::normal(seed + 300, shape_of(last))); break;
        case 4: with.push_back(test::normal(seed + 400, batched ? Shape{batches, rows} : Shape{rows})); break;
        default: with.push_back(jnp::zeros({})); break;
      }
    }
    const auto f = [&](Arrays x) {
      Array y = x[0];
      for (size_t k = 0; k < kinds.size(); ++k) {
        const Array& z = x[k + 1];
        switch (kinds[k]) {
          case 0: case 1: y = batched ? lax::dot_general(y, z, {{2}, {1}, {0}, {0}}) : jnp::matmul(y, z); break;
          case 2: y = nn::relu(y + z); break;
          case 3: y = y * z; break;
          case 4: y = jnp::tanh(y + z(ellipsis, newaxis)); break;
          case 5: y = nn::softmax(y); break;
          case 6: y = (y - y.mean({.axis = -1, .keepdims = true})) * 0.5; break;
          default: {
            const int axis = y.ndim() - 2;
            y = jnp::where(lax::broadcasted_iota(jnp::int32, y.shape(), axis) >= lax::broadcasted_iota(jnp::int32, y.shape(), axis + 1), y, 0.0);
          }
        }
      }
      return Arrays{y};
    };
    Arrays arguments{test::normal(seed, shape_of(columns))};
    arguments.insert(arguments.end(), with.begin(), with.end());
    config::Scope everywhere({{"stream_min_bytes", 0}});
    const auto compiled = jit(f).lower(arguments).compile();
    streams += compiled.as_text().find("dot_") != std::string::npos;
    const auto got = bytes_of(compiled(arguments)[0]);
    config::Scope scope({{"disable_passes", "stream-rows"}});
    ASSERT_TRUE(got == bytes_of(jit(f)(arguments)[0])) << "seed " << seed << "\n" << compiled.as_text();
  }
  EXPECT_GT(streams, 20);
}

TEST(Streams, SmallOnesStayAsTheyAre) {
  const Heads h = heads(2, 64, 64, 16);
  EXPECT_EQ(jit(attention).lower(h.q, h.k, h.v).compile().as_text().find("dot_divide_dot"), std::string::npos);
}

}  // namespace
}  // namespace tenon
