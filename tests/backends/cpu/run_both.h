// Runs a program by the evaluator as it stands, and optimized by the cpu backend; results must have
// the same bits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "backends/cpu/client.h"
#include "dialect/module.h"
#include "evaluator/prepare.h"
#include "passes/pipeline.h"
#include "runtime/thread_pool.h"
#include "tenon/config.h"

namespace tenon::cpu {

using evaluator::Tensor;
using Tensors = std::vector<Tensor>;

/// "(%a: tensor<4xf32>) -> tensor<4xf32>" and a body that ends with return.
inline Module program(const std::string& signature, const std::string& body) {
  return Module::parse("func.func @main" + signature + " {\n" + body + "\n}\n");
}

inline Tensors run_evaluator(const Module& module, const Tensors& arguments) {
  return evaluator::run(*evaluator::prepare(module), arguments);
}

inline ExecutableRef compiled(const Module& module, const passes::PipelineOptions& options = {}) {
  return client().compile(passes::optimize(module, options));
}

inline Tensors execute(Executable& executable, const Tensors& arguments,
                       const ExecuteOptions& options = {}) {
  BufferRefs buffers;
  for (const Tensor& t : arguments)
    buffers.push_back(client().copy_from_host(t.data(), t.nbytes(), 0));
  const BufferRefs results = executable.execute(buffers, options);
  Tensors tensors;
  for (size_t k = 0; k < results.size(); ++k) {
    tensors.emplace_back(executable.result_avals()[k]);
    results[k]->copy_to_host(tensors.back().mutable_data());
  }
  return tensors;
}

/// `dtype` says which patterns of two bytes are NaN.
template <class T>
bool is_nan(T value, DType dtype) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return dtype.is_floating() && (value & 0x7fff) > (dtype.code() == DType::kFloat16 ? 0x7c00 : 0x7f80);
  }
}

template <class T>
void expect_same_values(const Tensor& got, const Tensor& want) {
  const auto g = got.values<T>(), w = want.values<T>();
  int shown = 0;
  for (size_t i = 0; i < w.size() && shown < 5; ++i) {
    if (is_nan(g[i], got.dtype()) && is_nan(w[i], got.dtype())) continue;
    if (std::memcmp(&g[i], &w[i], sizeof(T)) == 0) continue;
    ADD_FAILURE() << "element " << i << " of " << want.aval().str_short() << ": got " << +g[i]
                  << ", the evaluator has " << +w[i];
    ++shown;
  }
}

inline void expect_same(const Tensors& got, const Tensors& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].aval().str_short(), want[k].aval().str_short());
    switch (got[k].dtype().itemsize()) {
      case 8:
        if (got[k].dtype().is_floating())
          expect_same_values<double>(got[k], want[k]);
        else
          expect_same_values<int64_t>(got[k], want[k]);
        break;
      case 4:
        if (got[k].dtype().is_floating())
          expect_same_values<float>(got[k], want[k]);
        else
          expect_same_values<int32_t>(got[k], want[k]);
        break;
      case 2:
        expect_same_values<uint16_t>(got[k], want[k]);
        break;
      default:
        expect_same_values<uint8_t>(got[k], want[k]);
    }
  }
}

/// Values that tests of numbers want: random, with zeros, infinities and NaN among them when
/// `special`.
inline Tensor random_tensor(unsigned seed, const Shape& shape, DType dtype = DType(DType::kFloat32),
                            double low = -2, double high = 2, bool special = false) {
  Tensor tensor(Aval{shape, dtype});
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> draw(low, high);
  static constexpr double kSpecial[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-40, 3e38, 1.0};
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double x = draw(engine);
    if (special && engine() % 4 == 0) x = kSpecial[engine() % 8];
    void* to = static_cast<char*>(tensor.mutable_data()) + i * dtype.itemsize();
    const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
    if (!dtype.is_floating() && !std::isfinite(x)) x = 7;
    switch (dtype.code()) {
      case DType::kFloat32:
        put(static_cast<float>(x));
        break;
      case DType::kFloat64:
        put(x);
        break;
      case DType::kBool:
        put(static_cast<uint8_t>(x > 0));
        break;
      case DType::kBFloat16: {
        const float f = static_cast<float>(x);
        uint32_t bits;
        std::memcpy(&bits, &f, 4);
        put(static_cast<uint16_t>(bits >> 16));
        break;
      }
      case DType::kFloat16:
        put(static_cast<_Float16>(x));
        break;
      default: {
        const int64_t n = static_cast<int64_t>(std::fabs(x) > 1e9 ? 5 : x);
        std::memcpy(to, &n, dtype.itemsize());
      }
    }
  }
  return tensor;
}

/// The program by both, on every target this machine has, with 1 and 2 threads, optimized and not.
inline void expect_both_same(const Module& module, const Tensors& arguments) {
  const Tensors want = run_evaluator(module, arguments);
  for (const char* target : {"baseline", "avx2", "avx512"}) {
    config::Scope scope({{"cpu_target", target}});
    const bool is_baseline = std::string(target) == "baseline";
    for (const char* disabled : {"", "fusion"}) {
      if (is_baseline && *disabled) continue;
      SCOPED_TRACE(std::string(target) + (*disabled ? " without fusion" : ""));
      passes::PipelineOptions options;
      options.disable_passes = disabled;
      const ExecutableRef executable = compiled(module, options);
      for (int threads : {1, 2}) {
        runtime::PoolSizeScope pool(threads);
        expect_same(execute(*executable, arguments), want);
      }
    }
  }
}

}  // namespace tenon::cpu
