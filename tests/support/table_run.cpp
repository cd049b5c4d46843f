// Runs cases of the table: jitted, eager, and by the evaluator on the lowered module.
#include <algorithm>
#include <cstring>

#include "core/nodes.h"
#include "evaluator/prepare.h"
#include "lowering/lower.h"
#include "support/table.h"
#include "tenon/detail/host.h"
#include "trace/jaxpr_trace.h"

namespace tenon::test {

static std::string canonical_bytes(DType dtype, const void* data, int64_t count) {
  std::string bytes(static_cast<const char*>(data), static_cast<size_t>(count * dtype.itemsize()));
  DType part = dtype;
  if (dtype.is_complex()) part = dtype == jnp::complex64 ? jnp::float32 : jnp::float64;
  if (!part.is_floating()) return bytes;
  const auto size = static_cast<size_t>(part.itemsize());
  const int fraction = part == jnp::float16 ? 10 : part == jnp::bfloat16 ? 7 : part == jnp::float32 ? 23 : 52;
  const uint64_t magnitudes = ~uint64_t{0} >> (65 - 8 * size), infinity = magnitudes >> fraction << fraction;
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    if ((bits & magnitudes) > infinity) bits = infinity | uint64_t{1} << (fraction - 1);
    std::memcpy(bytes.data() + at, &bits, size);
  }
  return bytes;
}

std::string canonical_bytes(const Array& array) {
  array.block_until_ready();
  return canonical_bytes(array.dtype(), detail::buffer_of(array, "bytes")->host_data(), array.size());
}

// Where and how the bytes differ first.
static std::string first_difference(const std::string& got, const std::string& want, int itemsize) {
  if (got.size() != want.size()) return "sizes differ";
  const auto size = static_cast<size_t>(itemsize);
  const auto at = std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin();
  if (at == static_cast<std::ptrdiff_t>(got.size())) return "";
  const size_t element = static_cast<size_t>(at) / size;
  std::string text = "element " + std::to_string(element) + ":";
  for (const std::string* side : {&got, &want}) {
    text += ' ';
    for (size_t b = size; b-- > 0;) {
      const auto byte = static_cast<unsigned char>((*side)[element * size + b]);
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
  }
  return text;
}

// Of keys, the array of their words.
static Aval words_aval(Aval aval) {
  if (!aval.dtype.is_prng_key()) return aval;
  aval.shape.push_back(2);
  return {aval.shape, DType(DType::kUInt32)};
}

static std::vector<std::string> evaluate(const TableRow& row, const Arrays& inputs) {
  Avals avals;
  for (const Array& input : inputs) avals.push_back(input.aval());
  const Jaxpr jaxpr = detail::trace_to_jaxpr(row.function, avals, "jit", "table");
  Module module = lower_jaxpr(jaxpr, {.name = "table"});
  std::vector<evaluator::Tensor> tensors;
  for (const Array& input : inputs) {
    input.block_until_ready();
    tensors.emplace_back(words_aval(input.aval()), detail::buffer_of(input, "input")->host_data());
  }
  const Avals out = jaxpr.out_avals();
  std::vector<std::string> results;
  for (const evaluator::Tensor& t : evaluator::run(*evaluator::prepare(module), tensors)) {
    const Aval& aval = out[results.size()];
    results.push_back(canonical_bytes(aval.dtype, t.data(), aval.shape.num_elements()));
  }
  return results;
}

// Fills in what the ways gave, and where they differ.
static void compare(TableResult& result, const std::vector<std::string>& evaluated, const Arrays& eager) {
  const Arrays& jitted = result.outputs;
  if (evaluated.size() != jitted.size() || eager.size() != jitted.size()) result.difference = "numbers of results differ";
  for (size_t i = 0; i < jitted.size() && result.difference.empty(); ++i) {
    const int itemsize = jitted[i].dtype().itemsize();
    const std::string bytes = canonical_bytes(jitted[i]), where = " and evaluated differ, result " + std::to_string(i) + ", ";
    std::string difference = first_difference(bytes, evaluated[i], itemsize);
    if (!difference.empty()) result.difference = "jitted" + where + difference;
    difference = eager[i].aval() == jitted[i].aval() ? first_difference(canonical_bytes(eager[i]), evaluated[i], itemsize) : eager[i].aval().str();
    if (!difference.empty()) result.difference = "eager" + where + difference;
  }
}

std::vector<TableResult> run_table(const TableRow& row, const std::vector<TableCase>& cases) {
  config::Scope scope({{"enable_x64", true}});
  std::vector<TableResult> results;
  std::vector<std::vector<std::string>> evaluated;
  Arrays all;  // the operands of all cases that can be written
  for (const TableCase& c : cases) {
    results.push_back({c, row.operands(c), {}, "", ""});
    evaluated.emplace_back();
    TableResult& result = results.back();
    try {
      evaluated.back() = evaluate(row, result.inputs);
      all.insert(all.end(), result.inputs.begin(), result.inputs.end());
    } catch (const UnimplementedError& e) {
      result.difference = std::string("UnimplementedError: ") + e.what();
    } catch (const TypeError& e) {
      result.refused = std::string("TypeError: ") + e.what();
    } catch (const ValueError& e) {
      result.refused = std::string("ValueError: ") + e.what();
    } catch (const Error& e) {
      result.difference = std::string("evaluator: ") + e.what();
    }
  }
  const auto runs = [](const TableResult& result) { return result.refused.empty() && result.difference.empty(); };
  std::vector<size_t> counts;
  const auto program = [&](const Arrays& x) -> Arrays {
    Arrays out;
    auto first = x.begin();
    counts.clear();
    for (const TableResult& result : results) {
      if (!runs(result)) continue;
      const auto last = first + static_cast<std::ptrdiff_t>(result.inputs.size());
      const Arrays own = row.function(Arrays(first, last));
      counts.push_back(own.size());
      out.insert(out.end(), own.begin(), own.end());
      first = last;
    }
    return out;
  };
  Arrays jitted;
  std::string failure;
  try {
    if (!all.empty()) jitted = jit(program, {.name = "table"})(all);
    for (const Array& x : jitted) x.block_until_ready();
  } catch (const Error& e) {
    failure = std::string("jit: ") + e.what();
  }
  size_t next = 0, first = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!runs(results[i])) continue;
    if (!failure.empty()) {
      results[i].difference = failure;
      continue;
    }
    const auto begin = jitted.begin() + static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(counts[next]);
    results[i].outputs.assign(begin, end);
    first += counts[next++];
    try {
      compare(results[i], evaluated[i], row.function(results[i].inputs));
    } catch (const Error& e) {
      results[i].difference = std::string("eager: ") + e.what();
    }
  }
  return results;
}

}  // namespace tenon::test
