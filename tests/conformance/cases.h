// The programs of ../shared/conformance: what each takes and what must come out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tenon/array.h"

namespace tenon::conformance {

/// What a result must be: |got - value| <= atol + rtol |value| everywhere for one of the arrays, NaN equal to NaN.
struct Expected {
  Array value;
  std::optional<Array> exact;  ///< the same in float64
  double rtol = 0, atol = 0;
};

/// A text file with one or several modules, separated by lines `// -----`.
struct CaseFile {
  std::string name;  ///< below the corpus: "stablehlo/testdata/abs_float32_20_20.mlir"
  std::filesystem::path path;
  std::filesystem::path arrays;  ///< the folder of its arrays, for programs of JAX; others check themselves
};

/// All files of a corpus, in order of their names.
std::vector<CaseFile> case_files(const std::filesystem::path& corpus);

/// Inputs and expected results of a program of JAX, as jax_programs/index.json has them.
struct Arguments {
  Arrays inputs;
  std::vector<Expected> expected;
};
Arguments load_arguments(const CaseFile& file);

/// "" when `got` is as expected, else how it differs.
std::string difference(const Array& got, const Expected& expected);
/// "" when both have the same bits; NaNs are equal. `zeros_are_equal`: so are 0.0 and -0.0.
std::string bit_difference(const Array& a, const Array& b, bool zeros_are_equal);

/// Real and imaginary parts, so that one comparison serves all dtypes.
std::vector<double> parts_of(const Array& array);

std::string read_file(const std::filesystem::path& path);

}  // namespace tenon::conformance
