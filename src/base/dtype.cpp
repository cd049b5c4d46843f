// The table of element types. Every fact about a dtype stands in its row.
#include "tenon/dtype.h"

#include "base/fail.h"

namespace tenon {
namespace {

struct Row {
  DType::Code code;
  const char* name;
  const char* short_name;
  DTypeKind kind;
  int itemsize;
  int bits;
};

using enum DTypeKind;
constexpr Row kDTypes[] = {
    {DType::kBool, "bool", "bool", boolean, 1, 1},
    {DType::kInt8, "int8", "i8", signed_integer, 1, 8},
    {DType::kInt16, "int16", "i16", signed_integer, 2, 16},
    {DType::kInt32, "int32", "i32", signed_integer, 4, 32},
    {DType::kInt64, "int64", "i64", signed_integer, 8, 64},
    {DType::kUInt8, "uint8", "u8", unsigned_integer, 1, 8},
    {DType::kUInt16, "uint16", "u16", unsigned_integer, 2, 16},
    {DType::kUInt32, "uint32", "u32", unsigned_integer, 4, 32},
    {DType::kUInt64, "uint64", "u64", unsigned_integer, 8, 64},
    {DType::kBFloat16, "bfloat16", "bf16", floating, 2, 16},
    {DType::kFloat16, "float16", "f16", floating, 2, 16},
    {DType::kFloat32, "float32", "f32", floating, 4, 32},
    {DType::kFloat64, "float64", "f64", floating, 8, 64},
    {DType::kComplex64, "complex64", "c64", complex, 8, 64},
    {DType::kComplex128, "complex128", "c128", complex, 16, 128},
    {DType::kInt2, "int2", "i2", signed_integer, 1, 2},
    {DType::kInt4, "int4", "i4", signed_integer, 1, 4},
    {DType::kUInt2, "uint2", "u2", unsigned_integer, 1, 2},
    {DType::kUInt4, "uint4", "u4", unsigned_integer, 1, 4},
    {DType::kFloat4E2M1FN, "float4_e2m1fn", "f4_e2m1fn", floating, 1, 4},
    {DType::kFloat8E3M4, "float8_e3m4", "f8_e3m4", floating, 1, 8},
    {DType::kFloat8E4M3, "float8_e4m3", "f8_e4m3", floating, 1, 8},
    {DType::kFloat8E4M3FN, "float8_e4m3fn", "f8_e4m3fn", floating, 1, 8},
    {DType::kFloat8E4M3B11FNUZ, "float8_e4m3b11fnuz", "f8_e4m3b11fnuz", floating, 1, 8},
    {DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", "f8_e4m3fnuz", floating, 1, 8},
    {DType::kFloat8E5M2, "float8_e5m2", "f8_e5m2", floating, 1, 8},
    {DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", "f8_e5m2fnuz", floating, 1, 8},
    {DType::kFloat8E8M0FNU, "float8_e8m0fnu", "f8_e8m0fnu", floating, 1, 8},
    {DType::kKeyFry, "key<fry>", "key<fry>", key, 8, 64},
    {DType::kFloat0, "float0", "float0", float0, 0, 0},
};

constexpr bool rows_follow_codes() {
  for (int i = 0; i < DType::kCount; ++i)
    if (kDTypes[i].code != i) return false;
  return std::size(kDTypes) == DType::kCount;
}
static_assert(rows_follow_codes());

const Row& row(DType::Code code) {
  TENON_CHECK(code < DType::kCount, "dtype code ", static_cast<int>(code));
  return kDTypes[code];
}

}  // namespace

std::string DType::str() const { return row(code_).name; }
std::string DType::short_str() const { return row(code_).short_name; }
DTypeKind DType::kind() const { return row(code_).kind; }
int DType::itemsize() const { return row(code_).itemsize; }
int DType::bits() const { return row(code_).bits; }

DType DType::parse(std::string_view name) {
  for (const Row& r : kDTypes)
    if (name == r.name || name == r.short_name) return DType(r.code);
  fail<TypeError>("dtype", "there is no element type called '", name, "'");
}

}  // namespace tenon
