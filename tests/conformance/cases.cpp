#include "conformance/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/nodes.h"
#include "llvm/Support/JSON.h"
#include "tenon/backend.h"
#include "tenon/error.h"
#include "tenon/host.h"
#include "tenon/npy.h"

namespace tenon::conformance {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw RuntimeError("conformance: cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<CaseFile> case_files(const fs::path& corpus) {
  std::vector<CaseFile> files;
  if (!fs::exists(corpus)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() != ".mlir") continue;
    CaseFile file{fs::relative(entry.path(), corpus).string(), entry.path(), {}};
    if (file.name.starts_with("jax_programs")) file.arrays = entry.path().parent_path();
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &CaseFile::name);
  return files;
}

// ---- arrays

/// "f32", "complex<f32>", "ui8", "i1" as in MLIR.
static DType dtype_of_text(llvm::StringRef type) {
  if (type == "i1") return DType(DType::kBool);
  if (type == "complex<f32>") return DType(DType::kComplex64);
  if (type == "complex<f64>") return DType(DType::kComplex128);
  return DType::parse(type.starts_with("ui") ? "u" + type.drop_front(2).str() : type.str());
}

static const void* data_of(const Array& array) { return detail::buffer_of(array, "conformance")->host_data(); }

static Array load(const fs::path& path, llvm::StringRef type) {
  const Array stored = load_npy(path.string());
  const DType dtype = dtype_of_text(type);
  if (stored.dtype() == dtype || dtype.itemsize() != stored.dtype().itemsize()) return stored;
  return device_put(HostView(data_of(stored), Aval{stored.shape(), dtype}));  // bfloat16 is stored as uint16
}

Arguments load_arguments(const CaseFile& file) {
  static const llvm::json::Value index = [&] {
    auto parsed = llvm::json::parse(read_file(file.arrays.parent_path() / "index.json"));
    if (!parsed) throw ParseError("conformance: index.json: " + llvm::toString(parsed.takeError()));
    return std::move(*parsed);
  }();
  Arguments arguments;
  for (const llvm::json::Value& value : *index.getAsObject()->getArray("programs")) {
    const llvm::json::Object& program = *value.getAsObject();
    if (program.getString("name") != file.arrays.filename().string()) continue;
    for (const llvm::json::Value& input : *program.getArray("inputs")) {
      const llvm::json::Object& o = *input.getAsObject();
      arguments.inputs.push_back(load(file.arrays / o.getString("file")->str(), *o.getString("type")));
    }
    for (const llvm::json::Value& output : *program.getArray("outputs")) {
      const llvm::json::Object& o = *output.getAsObject();
      Expected expected{load(file.arrays / o.getString("file")->str(), *o.getString("type")), {}, 0, 0};
      if (const auto exact = o.getString("ref64")) expected.exact = load_npy((file.arrays / exact->str()).string());
      expected.rtol = o.getNumber("rtol").value_or(0);
      expected.atol = o.getNumber("atol").value_or(0);
      arguments.expected.push_back(std::move(expected));
    }
    return arguments;
  }
  throw ValueError("conformance: index.json has no program " + file.arrays.filename().string());
}

// ---- comparison

std::vector<double> parts_of(const Array& array) {
  std::vector<double> parts(2 * static_cast<std::size_t>(array.size()));
  detail::convert_elements(data_of(array), array.dtype(), parts.data(), DType(DType::kComplex128), array.size());
  return parts;
}

static bool same_bytes(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(data_of(a), data_of(b), static_cast<std::size_t>(a.nbytes())) == 0;
}

/// The elements of 64-bit integers do not fit in double: only their bytes are compared.
static bool fits_double(const Array& array) { return !array.dtype().is_integer() || array.dtype().itemsize() < 8; }

static std::string first_difference(const Array& got, const Array& wanted, double rtol, double atol) {
  if (got.shape() != wanted.shape()) return got.aval().str_short() + " instead of " + wanted.aval().str_short();
  if (same_bytes(got, wanted)) return "";
  if (!fits_double(got)) return "other bits of " + got.aval().str_short();
  const std::vector<double> x = parts_of(got), y = parts_of(wanted);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    if (std::fabs(x[i] - y[i]) <= atol + rtol * std::fabs(y[i])) continue;
    std::ostringstream text;
    text.precision(17);
    text << "element " << i / 2 << " of " << got.aval().str_short() << " is " << x[i] << " instead of " << y[i];
    return text.str();
  }
  return "";
}

std::string difference(const Array& got, const Expected& expected) {
  if (got.dtype() != expected.value.dtype()) return got.aval().str_short() + " instead of " + expected.value.aval().str_short();
  std::string first = first_difference(got, expected.value, expected.rtol, expected.atol);
  if (first.empty() || !expected.exact) return first;
  return first_difference(got, *expected.exact, expected.rtol, expected.atol).empty() ? "" : first;
}

std::string bit_difference(const Array& a, const Array& b, bool zeros_are_equal) {
  if (same_bytes(a, b)) return "";
  if (a.dtype() != b.dtype()) return a.aval().str_short() + " and " + b.aval().str_short();
  if (a.shape() == b.shape() && fits_double(a) && !zeros_are_equal) {
    const std::vector<double> x = parts_of(a), y = parts_of(b);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] == y[i] && std::signbit(x[i]) != std::signbit(y[i])) return "zeros of other signs in element " + std::to_string(i / 2);
  }
  return first_difference(a, b, 0, 0);
}

}  // namespace tenon::conformance
