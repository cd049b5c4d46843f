// Derivatives and batched forms of programs of one or two primitives print as JAX's. derivatives.txt holds what JAX
// prints and which forms there are; derivatives.py writes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ops/primitives.h"
#include "support/mapped.h"
#include "tenon/tenon.h"
#include "trace/jaxpr_trace.h"

#include "support/program_list.h"  // last: it defines P and A

namespace tenon::test {
namespace {

using lax::GatherScatterMode;
const lax::ScatterDimensionNumbers points{{}, {0}, {0}}, rows{{1}, {0}, {0}};

Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
Aval BF(std::initializer_list<int64_t> shape) { return of(DType::kBFloat16, shape); }
Aval I(std::initializer_list<int64_t> shape = {}) { return of(DType::kInt32, shape); }
Aval B(std::initializer_list<int64_t> shape) { return of(DType::kBool, shape); }
Aval U32(std::initializer_list<int64_t> shape = {}) { return of(DType::kUInt32, shape); }

const std::vector<Program>& derived_programs() {
  static const std::vector<Program> all = {
      P("broadcast_in_dim", A(lax::broadcast_in_dim(x, {4, 3, 2}, {1})), F({3})),
      P("broadcast_in_dim_ones", A(lax::broadcast_in_dim(x, {4, 3}, {0, 1})), F({1, 3})),
      P("broadcast_in_dim_scalar", A(lax::broadcast_in_dim(x, {4, 3}, {})), F()),
      P("reshape", A(lax::reshape(x, {3, 2})), F({2, 3})),
      P("transpose", A(lax::transpose(x, {2, 0, 1})), F({2, 3, 4})),
      P("squeeze", A(lax::squeeze(x, {0, 2})), F({1, 3, 1})),
      P("slice", A(lax::slice(x, {1, 0}, {4, 3})), F({5, 3})),
      P("slice_strided", A(lax::slice(x, {1, 0}, {5, 3}, Shape{2, 1})), F({7, 3})),
      P("slice_empty", A(lax::slice(x, {1}, {1}, Shape{2})), F({7})),
      P("dynamic_slice", A(bind(lax::dynamic_slice_p, in, {{"slice_sizes", Shape{2, 3}}})), F({4, 5}), I(), I()),
      P("dynamic_update_slice", A(bind(lax::dynamic_update_slice_p, in)), F({4, 5}), F({2, 3}), I(), I()),
      P("pad", A(lax::pad(x, y, {{1, 2, 1}, {-1, 0, 0}})), F({3, 4}), F()),
      P("rev", A(lax::rev(x, {0, 1})), F({3, 4})),
      P("concatenate", A(lax::concatenate({x, y, x}, 1)), F({3, 4}), F({3, 2})),
      P("stack", A(lax::stack({x, y}, 1)), F({3, 4}), F({3, 4})),
      P("split", lax::split(x, {1, 3}, 1), F({3, 4})),
      P("split_one", A(lax::split(x, {1, 3}, 1)[0]), F({3, 4})),
      P("unstack", lax::unstack(x, 1), F({3, 2})),
      P("tile", A(lax::tile(x, {2, 3})), F({3, 4})),
      P("gather", A(lax::gather(x, y, {{1}, {0}, {0}}, {1, 4}, {.mode = GatherScatterMode::clip})), F({5, 4}), I({3, 1})),
      P("gather_fill", A(lax::gather(x, y, {{1}, {0}, {0}}, {1, 2}, {.mode = GatherScatterMode::fill_or_drop, .unique_indices = true})), F({5, 4}), I({3, 1})),
      P("gather_batch", A(lax::gather(x, y, {{}, {1}, {1}, {0}, {0}}, {1, 1})), F({3, 4}), I({3, 1})),
      P("scatter", A(lax::scatter(x, y, z, rows)), F({5, 4}), I({3, 1}), F({3, 4})),
      P("scatter_unique", A(lax::scatter(x, y, z, rows, {.unique_indices = true})), F({5, 4}), I({3, 1}), F({3, 4})),
      P("scatter_add", A(lax::scatter_add(x, y, z, rows)), F({5, 4}), I({3, 1}), F({3, 4})),
      P("scatter_sub", A(lax::scatter_sub(x, y, z, points)), F({5}), I({3, 1}), F({3})),
      P("scatter_mul", A(lax::scatter_mul(x, y, z, points, {.unique_indices = true})), F({5}), I({3, 1}), F({3})),
      P("scatter_max", A(lax::scatter_max(x, y, z, rows)), F({5, 4}), I({3, 1}), F({3, 4})),
      P("scatter_min", A(lax::scatter_min(x, y, z, points, {.mode = GatherScatterMode::clip})), F({5}), I({3, 1}), F({3})),
      P("reduce_sum", A(lax::reduce_sum(x, {0, 2})), F({2, 3, 4})),
      P("reduce_prod", A(lax::reduce_prod(x, {1})), F({2, 5})),
      P("reduce_prod_all", A(lax::reduce_prod(x, {0, 1})), F({2, 3})),
      P("reduce_prod_none", A(lax::reduce_prod(x, {0})), F({0, 3})),
      P("reduce_max", A(lax::reduce_max(x, {1})), F({2, 3})),
      P("reduce_min", A(lax::reduce_min(x, {0, 1})), F({2, 3})),
      P("reduce_and", A(lax::reduce_and(x, {0})), B({2, 3})),
      P("argmax", A(lax::argmax(x, 1)), F({2, 3})),
      P("cumsum", A(lax::cumsum(x, 1)), F({2, 5})),
      P("cumprod", A(lax::cumprod(x, 1)), F({2, 5})),
      P("cumprod_reverse", A(lax::cumprod(x, 0, true)), F({4})),
      P("cummax", A(lax::cummax(x, 0)), F({3})),
      P("cummin", A(lax::cummin(x, 0)), F({1})),
      P("cumlogsumexp", A(lax::cumlogsumexp(x, 0)), F({3})),
      P("sort", A(lax::sort(x, {.dimension = 1})), F({2, 5})),
      P("sort_keys", lax::sort(in, {.dimension = 0, .num_keys = 2}), F({5}), I({5}), F({5})),
      P("top_k", lax::top_k(x, 2), F({3, 5})),
      P("fft", A(lax::real(lax::fft(lax::complex(x, y), lax::FftType::FFT, {4}))), F({3, 4}), F({3, 4})),
      P("fft_inverse", A(lax::imag(lax::fft(lax::complex(x, y), lax::FftType::IFFT, {3, 4}))), F({3, 4}), F({3, 4})),
      P("rfft", A(lax::real(lax::fft(x, lax::FftType::RFFT, {4}))), F({3, 4})),
      P("rfft_odd", A(lax::imag(lax::fft(x, lax::FftType::RFFT, {3, 5}))), F({3, 5})),
      P("irfft", A(lax::fft(lax::complex(x, y), lax::FftType::IRFFT, {6})), F({4}), F({4})),
      P("irfft_odd", A(lax::fft(lax::complex(x, y), lax::FftType::IRFFT, {2, 5})), F({2, 3}), F({2, 3})),
      P("dot_general", A(lax::dot_general(x, y, {{1}, {0}})), F({2, 3}), F({3, 4})),
      P("dot_general_batch", A(lax::dot_general(x, y, {{3, 1}, {0, 2}, {2}, {3}})), F({2, 3, 4, 5}), F({5, 6, 3, 4})),
      P("dot_general_vector", A(lax::dot_general(x, y, {{0}, {0}})), F({3}), F({3})),
      P("dot_general_wide", A(lax::dot_general(x, y, {{1}, {1}}, {.preferred_element_type = jnp::float32})), BF({2, 3}), BF({4, 3})),
      P("digamma", A(lax::digamma(x)), F({3})),
      P("polygamma", A(lax::polygamma(jnp::float32(2), x)), F({3})),
      P("reduce_precision", A(lax::reduce_precision(x, 5, 10)), F({3})),
      P("bitcast", A(lax::bitcast_convert_type(x, jnp::uint8)), F({3})),
      P("optimization_barrier", lax::optimization_barrier(A(x, y)), F({3}), F({2})),
      P("stop_gradient", A(lax::mul(lax::stop_gradient(x), x)), F({3})),
      P("reduce", A(lax::reduce(x, jnp::float32(1), [](const Array& a, const Array& b) { return lax::mul(lax::mul(a, b), jnp::float32(2)); }, {1})), F({2, 3})),
      P("key", A(random::key_data(random::fold_in(random::wrap_key_data(x), y))), U32({2}), U32()),
      P("bits", A(random::bits(random::wrap_key_data(x), {3}, jnp::uint8)), U32({2})),
      P("keys", A(random::key_data(random::split(random::wrap_key_data(x), 3))), U32({2})),
  };
  return all;
}

struct Block {
  std::string name, what, text;
};
const std::vector<Block>& blocks() {
  static const std::vector<Block> all = [] {
    std::vector<Block> list;
    std::ifstream file(TENON_TEST_DATA "/ops/derivatives.txt");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("### ")) {
        const size_t space = line.find(' ', 4);
        list.push_back({line.substr(4, space - 4), line.substr(space + 1), ""});
      } else {
        list.back().text += (list.back().text.empty() ? "" : "\n") + line;
      }
    }
    return list;
  }();
  return all;
}

// Arguments that are differentiated, and the others.
struct Parts {
  Arrays by, rest;
  Arrays together(const Avals& avals) const {
    Arrays all;
    size_t i = 0, j = 0;
    for (const Aval& aval : avals) all.push_back(aval.dtype.is_inexact() ? by.at(i++) : rest.at(j++));
    return all;
  }
};

Jaxpr derivative(const Program& program, bool forward) {
  Avals by, rest, inputs;
  for (const Aval& aval : program.avals) (aval.dtype.is_inexact() ? by : rest).push_back(aval);
  inputs = by;
  if (forward) inputs.insert(inputs.end(), by.begin(), by.end());
  inputs.insert(inputs.end(), rest.begin(), rest.end());
  const auto body = [&](const Arrays& in) -> Arrays {
    const auto count = static_cast<std::ptrdiff_t>(by.size());
    const Arrays rest_values(in.begin() + (forward ? 2 : 1) * count, in.end());
    const Arrays primals(in.begin(), in.begin() + count);
    if (!forward) {
      const auto total = [&](const Arrays& x) {
        const Arrays results = program.function(Parts{x, rest_values}.together(program.avals));
        const Array first = *std::ranges::find_if(results, [](const Array& r) { return r.dtype().is_inexact(); });
        Axes all;
        for (int axis = 0; axis < first.ndim(); ++axis) all.push_back(axis);
        return lax::reduce_sum(first, all);
      };
      return grad(total)(primals);
    }
    const auto function = [&](const Arrays& x) { return program.function(Parts{x, rest_values}.together(program.avals)); };
    auto [results, tangents] = jvp(function, std::tuple(primals), std::tuple(Arrays(in.begin() + count, in.begin() + 2 * count)));
    for (const Array& tangent : tangents)
      if (tangent.dtype().code() != DType::kFloat0) results.push_back(tangent);
    return results;
  };
  return detail::trace_to_jaxpr(body, inputs, "make_jaxpr", program.name);
}

Jaxpr batched(const Program& program, const std::string& what) {
  std::istringstream words(what);
  std::vector<std::optional<int>> axes;
  std::string word;
  for (words >> word; words >> word;) axes.push_back(word == "None" ? std::nullopt : std::optional(std::stoi(word)));
  Avals avals = program.avals;
  for (size_t i = 0; i < avals.size(); ++i) {
    if (!axes[i]) continue;
    std::vector<int64_t> shape = avals[i].shape.dims();
    shape.insert(shape.begin() + *axes[i], 6);
    avals[i].shape = Shape(shape);
  }
  const auto body = [&](const Arrays& in) { return mapped(program.function, in, axes); };
  return detail::trace_to_jaxpr(body, avals, "make_jaxpr", program.name);
}

class Derivative : public testing::TestWithParam<size_t> {};

TEST_P(Derivative, PrintsAsJaxs) {
  const Block& block = blocks()[GetParam()];
  const auto program = std::ranges::find_if(derived_programs(), [&](const Program& p) { return p.name == block.name; });
  ASSERT_NE(program, derived_programs().end());
  const bool is_batched = block.what.starts_with("vmap");
  const Jaxpr jaxpr = is_batched ? batched(*program, block.what) : derivative(*program, block.what == "jvp");
  EXPECT_EQ(jaxpr.str(), block.text);
}

INSTANTIATE_TEST_SUITE_P(Ops, Derivative, testing::Range<size_t>(0, blocks().size()), [](const auto& info) {
  std::string name = blocks()[info.param].name + "_" + blocks()[info.param].what;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

TEST(Derivatives, HaveAllPrograms) {
  for (const Program& program : derived_programs())
    EXPECT_TRUE(std::ranges::any_of(blocks(), [&](const Block& block) { return block.name == program.name; })) << program.name;
}

}  // namespace
}  // namespace tenon::test
