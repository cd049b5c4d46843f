// Element conversion between any two dtypes, as astype does it. One element at a time through a
// wide value; a plain copy when the dtypes agree.
#include <cmath>
#include <cstring>
#include <limits>

#include "base/fail.h"
#include "base/half.h"
#include "core/nodes.h"

namespace tenon::detail {
namespace {

// One number of any kind. Integers keep 64 bits, floats are exact in double.
struct Wide {
  DTypeKind kind;
  int64_t i = 0;
  uint64_t u = 0;
  double re = 0, im = 0;
};

template <class T>
T load_as(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void store_as(void* p, T v) { std::memcpy(p, &v, sizeof v); }

Wide load(const void* p, DType dtype) {
  using enum DTypeKind;
  switch (dtype.code()) {
    case DType::kFloat0: return {boolean};  // nothing but zeros
    case DType::kBool: return {boolean, 0, load_as<unsigned char>(p) != 0};
    case DType::kInt2:
    case DType::kInt4:
    case DType::kInt8: return {signed_integer, load_as<int8_t>(p)};
    case DType::kInt16: return {signed_integer, load_as<int16_t>(p)};
    case DType::kInt32: return {signed_integer, load_as<int32_t>(p)};
    case DType::kInt64: return {signed_integer, load_as<int64_t>(p)};
    case DType::kUInt2:
    case DType::kUInt4:
    case DType::kUInt8: return {unsigned_integer, 0, load_as<uint8_t>(p)};
    case DType::kUInt16: return {unsigned_integer, 0, load_as<uint16_t>(p)};
    case DType::kUInt32: return {unsigned_integer, 0, load_as<uint32_t>(p)};
    case DType::kUInt64: return {unsigned_integer, 0, load_as<uint64_t>(p)};
    case DType::kBFloat16: return {floating, 0, 0, bfloat16_to_float(load_as<uint16_t>(p))};
    case DType::kFloat16: return {floating, 0, 0, float16_to_float(load_as<uint16_t>(p))};
    case DType::kFloat32: return {floating, 0, 0, load_as<float>(p)};
    case DType::kFloat64: return {floating, 0, 0, load_as<double>(p)};
    case DType::kComplex64: return {complex, 0, 0, load_as<float>(p), load_as<float>(static_cast<const char*>(p) + 4)};
    case DType::kComplex128: return {complex, 0, 0, load_as<double>(p), load_as<double>(static_cast<const char*>(p) + 8)};
    default: fail<UnimplementedError>("convert", "elements of ", dtype, " cannot be converted on the host");
  }
}

// Float to integer saturates; NaN becomes 0.
template <class T>
T saturate(double v) {
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (v >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(v);
}
template <class T>
T to_integer(const Wide& w) {
  switch (w.kind) {
    case DTypeKind::signed_integer: return static_cast<T>(w.i);
    case DTypeKind::floating:
    case DTypeKind::complex: return saturate<T>(w.re);
    default: return static_cast<T>(w.u);
  }
}
double to_double(const Wide& w) {
  switch (w.kind) {
    case DTypeKind::signed_integer: return static_cast<double>(w.i);
    case DTypeKind::floating:
    case DTypeKind::complex: return w.re;
    default: return static_cast<double>(w.u);
  }
}
float to_float(const Wide& w) {  // integers round once
  switch (w.kind) {
    case DTypeKind::signed_integer: return static_cast<float>(w.i);
    case DTypeKind::floating:
    case DTypeKind::complex: return static_cast<float>(w.re);
    default: return static_cast<float>(w.u);
  }
}
// A double to 16 bits goes through a float rounded to odd, so that it is rounded once.
float to_float_for_half(const Wide& w) {
  double v = to_double(w);
  float f = static_cast<float>(v);
  if (std::isfinite(f) && static_cast<double>(f) != v) {
    uint32_t bits = std::bit_cast<uint32_t>(f);
    if (std::abs(static_cast<double>(f)) > std::abs(v)) --bits;  // towards zero
    f = std::bit_cast<float>(bits | 1);
  }
  return f;
}

void store(void* p, DType dtype, const Wide& w) {
  switch (dtype.code()) {
    case DType::kBool:
      return store_as<unsigned char>(p, w.i != 0 || w.u != 0 || w.re != 0 || std::isnan(w.re) || w.im != 0 || std::isnan(w.im));
    case DType::kInt8: return store_as(p, to_integer<int8_t>(w));
    case DType::kInt16: return store_as(p, to_integer<int16_t>(w));
    case DType::kInt32: return store_as(p, to_integer<int32_t>(w));
    case DType::kInt64: return store_as(p, to_integer<int64_t>(w));
    case DType::kUInt8: return store_as(p, to_integer<uint8_t>(w));
    case DType::kUInt16: return store_as(p, to_integer<uint16_t>(w));
    case DType::kUInt32: return store_as(p, to_integer<uint32_t>(w));
    case DType::kUInt64: return store_as(p, to_integer<uint64_t>(w));
    case DType::kBFloat16: return store_as(p, float_to_bfloat16(to_float_for_half(w)));
    case DType::kFloat16: return store_as(p, float_to_float16(to_float_for_half(w)));
    case DType::kFloat32: return store_as(p, to_float(w));
    case DType::kFloat64: return store_as(p, to_double(w));
    case DType::kComplex64:
      store_as(p, to_float(w));
      return store_as(static_cast<char*>(p) + 4, static_cast<float>(w.im));
    case DType::kComplex128:
      store_as(p, to_double(w));
      return store_as(static_cast<char*>(p) + 8, w.im);
    default: fail<UnimplementedError>("convert", "elements cannot be converted to ", dtype, " on the host");
  }
}

}  // namespace

void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, int64_t count) {
  size_t step = static_cast<size_t>(from_dtype.itemsize()), out_step = static_cast<size_t>(to_dtype.itemsize());
  if (count == 0) return;
  if (from_dtype == to_dtype) {
    std::memcpy(to, from, step * static_cast<size_t>(count));
    return;
  }
  auto* in = static_cast<const char*>(from);
  auto* out = static_cast<char*>(to);
  for (int64_t k = 0; k < count; ++k, in += step, out += out_step) store(out, to_dtype, load(in, from_dtype));
}

}  // namespace tenon::detail
