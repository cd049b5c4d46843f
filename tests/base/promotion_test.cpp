// Promotion: every pair of JAX's tables, with 64-bit types off and on.
#include "base/promotion.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/expect_error.h"
#include "tenon/config.h"
#include "tenon/error.h"

namespace tenon {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::istringstream row(line);
  std::vector<std::string> out;
  for (std::string cell; std::getline(row, cell, '\t');) out.push_back(cell);
  return out;
}

// "int32", "py_float": a Python scalar is weak, but for bool.
PromotedType type_called(const std::string& name) {
  if (name == "py_bool") return {DType(DType::kBool), false};
  if (name == "py_int") return {default_int(), true};
  if (name == "py_float") return {default_float(), true};
  if (name == "py_complex") return {default_complex(), true};
  return {DType::parse(name), false};
}

std::string promoted(const std::string& lhs, const std::string& rhs) {
  try {
    PromotedType types[] = {type_called(lhs), type_called(rhs)};
    PromotedType result = promote_types(types, "add");
    return result.dtype.str() + (result.weak ? "*" : "");
  } catch (const TypeError&) {
    return "ERR:TypePromotionError";
  }
}

class Promotion : public testing::TestWithParam<bool> {};

TEST_P(Promotion, AgreesWithTheTable) {
  config::Scope scope({{"enable_x64", GetParam()}});
  std::ifstream file(std::string(TENON_TEST_DATA "/base/promotion_") + (GetParam() ? "x64.tsv" : "x32.tsv"));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  std::vector<std::string> columns = cells(line);
  int pairs = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> row = cells(line);
    for (size_t i = 1; i < row.size(); ++i, ++pairs)
      EXPECT_EQ(promoted(row[0], columns[i]), row[i]) << row[0] << " and " << columns[i];
  }
  EXPECT_EQ(pairs, 32 * 32);
}
INSTANTIATE_TEST_SUITE_P(, Promotion, testing::Bool());

TEST(PromoteTypes, WideTypesAreCanonicalEvenAlone) {
  PromotedType wide[] = {{DType(DType::kInt64), false}};
  EXPECT_EQ(promote_types(wide, "f"), (PromotedType{DType(DType::kInt32), false}));
}

TEST(PromoteTypes, TakesAllOperandsTogether) {
  Aval avals[] = {{{}, DType(DType::kInt32), true}, {{}, DType(DType::kUInt8), false}, {{}, DType(DType::kBFloat16), false}};
  EXPECT_EQ(promote(avals, "f"), (PromotedType{DType(DType::kBFloat16), false}));
  Aval weak[] = {{{}, DType(DType::kInt32), true}, {{}, DType(DType::kFloat32), true}};
  EXPECT_EQ(promote(weak, "f"), (PromotedType{DType(DType::kFloat32), true}));
}

TEST(PromoteTypes, NamesTheDtypes) {
  PromotedType types[] = {{DType(DType::kInt4), false}, {DType(DType::kFloat32), false}};
  EXPECT_ERROR(TypeError, promote_types(types, "add"),
               "add: these dtypes have no implicit promotion path; got int4 and float32; convert one with astype");
}

}  // namespace
}  // namespace tenon
