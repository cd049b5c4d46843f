// Runs an operation of table_cases.h on one dtype and compares the three ways to evaluate it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "core/nodes.h"
#include "evaluator/prepare.h"
#include "lowering/lower.h"
#include "ops/table_cases.h"
#include "tenon/detail/host.h"
#include "trace/jaxpr_trace.h"

namespace tenon::test {

struct TableTotals {
  int pairs = 0, refused = 0;
  int64_t elements = 0;
};

/// The bytes, with one NaN for all NaNs.
inline std::string canonical_bytes(DType dtype, const void* data, int64_t count) {
  std::string bytes(static_cast<const char*>(data), static_cast<size_t>(count * dtype.itemsize()));
  DType part = dtype;
  if (dtype.is_complex()) part = dtype == jnp::complex64 ? jnp::float32 : jnp::float64;
  if (!part.is_floating()) return bytes;
  const auto size = static_cast<size_t>(part.itemsize());
  const int fraction = part == jnp::float16 ? 10 : part == jnp::bfloat16 ? 7 : part == jnp::float32 ? 23 : 52;
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    const uint64_t magnitude = bits & ((uint64_t{1} << (8 * size - 1)) - 1);
    const uint64_t infinity = ((uint64_t{1} << (8 * size - 1)) - 1) >> fraction << fraction;
    if (magnitude > infinity) bits = infinity | uint64_t{1} << (fraction - 1);
    std::memcpy(bytes.data() + at, &bits, size);
  }
  return bytes;
}

inline std::string canonical_bytes(const Array& array) {
  array.block_until_ready();
  return canonical_bytes(array.dtype(), detail::buffer_of(array, "bytes")->host_data(), array.size());
}

/// Where and how the bytes differ first.
inline std::string first_difference(const std::string& got, const std::string& want, int itemsize) {
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    if (got[i] == want[i]) continue;
    const size_t element = i / static_cast<size_t>(itemsize);
    std::string text = "element " + std::to_string(element) + ":";
    for (const std::string* side : {&got, &want}) {
      for (int b = itemsize - 1; b >= 0; --b) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>((*side)[element * static_cast<size_t>(itemsize) + static_cast<size_t>(b)]));
        text += (b == itemsize - 1 ? " " : "") + std::string(hex);
      }
    }
    return text;
  }
  return got.size() == want.size() ? "" : "sizes differ";
}

/// False when the operation does not take the dtype.
inline bool takes(const TableOp& op, DType dtype) {
  std::vector<ShapedArray> avals(static_cast<size_t>(op.operands), ShapedArray{table_shape(op, dtype, {8}), dtype, false});
  try {
    detail::trace_to_jaxpr([&](const Arrays& x) -> Arrays { return {op.function(x)}; }, avals, "jit", "op");
  } catch (const TypeError&) {
    return false;
  }
  return true;
}

inline void check_table(const TableOp& op, const std::vector<Shape>& shapes, TableTotals& totals) {
  config::Scope scope({{"enable_x64", true}});
  for (DType dtype : table_dtypes()) {
    SCOPED_TRACE(op.name + " on " + dtype.str());
    ++totals.pairs;
    if (!takes(op, dtype)) {
      ++totals.refused;
      continue;
    }
    // One program with a result for each shape.
    Arrays inputs, eager;
    Avals avals;
    const auto operands = static_cast<size_t>(op.operands);
    for (size_t s = 0; s < shapes.size(); ++s) {
      Arrays own;
      for (int k = 0; k < op.operands; ++k) own.push_back(table_input(dtype, table_shape(op, dtype, shapes[s]), k, s));
      eager.push_back(op.function(own));
      inputs.insert(inputs.end(), own.begin(), own.end());
    }
    for (const Array& input : inputs) avals.push_back(input.aval());
    auto all = [&](const Arrays& x) -> Arrays {
      Arrays out;
      for (size_t s = 0; s < shapes.size(); ++s) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(s * operands);
        out.push_back(op.function(Arrays(first, first + op.operands)));
      }
      return out;
    };
    const Arrays jitted = jit(all, {.name = "table"})(inputs);
    Module module = lower_jaxpr(detail::trace_to_jaxpr(all, avals, "jit", "table"), {.name = "table"});
    std::vector<evaluator::Tensor> tensors;
    for (const Array& input : inputs) {
      input.block_until_ready();
      tensors.emplace_back(input.aval(), detail::buffer_of(input, "input")->host_data());
    }
    const auto evaluated = evaluator::run(*evaluator::prepare(module), tensors);
    for (size_t s = 0; s < shapes.size(); ++s) {
      const DType result = eager[s].dtype();
      totals.elements += eager[s].size();
      const std::string want = canonical_bytes(result, evaluated[s].data(), eager[s].size());
      EXPECT_EQ(eager[s].aval().str(), jitted[s].aval().str());
      EXPECT_EQ(first_difference(canonical_bytes(eager[s]), want, result.itemsize()), "")
          << "eager against the evaluator, shape " << shapes[s].str();
      EXPECT_EQ(first_difference(canonical_bytes(jitted[s]), want, result.itemsize()), "")
          << "jit against the evaluator, shape " << shapes[s].str();
    }
  }
}

/// The test of one operation in these shapes.
inline void check_one(size_t op, const std::vector<Shape>& shapes) {
  TableTotals totals;
  check_table(table_ops()[op], shapes, totals);
  testing::Test::RecordProperty("pairs", totals.pairs);
  testing::Test::RecordProperty("refused", totals.refused);
  testing::Test::RecordProperty("elements", std::to_string(totals.elements));
}

inline std::string table_name(const testing::TestParamInfo<size_t>& info) {
  std::string name = table_ops()[info.param].name;
  for (char& c : name) c = c == '-' ? 'm' : c;
  return name;
}

}  // namespace tenon::test
