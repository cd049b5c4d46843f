// The rules of NumPy 2: eight digits after the point at most, the shortest text that reads back as
// the same number when that is shorter; exponents when magnitudes differ much. What NumPy has no
// type for (bfloat16, float8, int4) prints as by C's %g, unaligned.
#include "core/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/fail.h"
#include "base/half.h"
#include "core/nodes.h"

namespace tenon::detail {
namespace {

constexpr int kPrecision = 8;

struct Half {
  uint16_t bits;
};
double wide(Half h) { return float16_to_float(h.bits); }
double wide(float f) { return f; }
double wide(double d) { return d; }
Half narrow(double v, Half) { return {float_to_float16(static_cast<float>(v))}; }
float narrow(double v, float) { return static_cast<float>(v); }
double narrow(double v, double) { return v; }
// Decimal digits that every number of the type keeps.
constexpr int digits_of(Half) { return 3; }
constexpr int digits_of(float) { return 6; }
constexpr int digits_of(double) { return 15; }

// "d.ddde+xx" with `digits` digits behind the point, correctly rounded; all it takes when negative.
std::string scientific(double v, int digits) {
  char buffer[1100];
  auto end = digits < 0 ? std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific).ptr
                        : std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific, digits).ptr;
  return std::string(buffer, end);
}
std::string shortest(double v) { return scientific(v, -1); }
std::string shortest(float v) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific).ptr);
}
std::string shortest(Half h) {
  // The fewest digits that round to h; below a power of two the nearest decimal may lie outside
  // of what rounds to h while the next one up lies inside.
  for (int digits = 0; digits < 5; ++digits) {
    std::string text = scientific(wide(h), digits);
    auto reads_back = [&](const std::string& t) { return narrow(std::strtod(t.c_str(), nullptr), h).bits == h.bits; };
    if (reads_back(text)) return text;
    for (size_t at = text.find('e'); at-- > 0;) {  // one up in the last digit
      if (text[at] == '.' || text[at] == '-') continue;
      if (text[at] != '9') {
        ++text[at];
        if (reads_back(text)) return text;
        break;
      }
      break;
    }
  }
  return scientific(wide(h), 5);
}

// A finite number taken apart: sign, digits before and behind the point, exponent.
struct Parts {
  std::string integer, fraction, exponent;  // "-12", "5", "+05"
};

void trim_zeros(std::string& fraction) { fraction.erase(fraction.find_last_not_of('0') + 1); }

Parts taken_apart(const std::string& text) {
  size_t e = text.find('e'), point = text.find('.');
  Parts parts{text.substr(0, std::min(e, point)), point == std::string::npos ? "" : text.substr(point + 1, e - point - 1), text.substr(e + 1)};
  trim_zeros(parts.fraction);
  return parts;
}

template <class T>
Parts scientific_parts(T value, int precision) {
  Parts parts = taken_apart(shortest(value));
  return static_cast<int>(parts.fraction.size()) <= precision ? parts : taken_apart(scientific(wide(value), precision));
}

template <class T>
Parts positional_parts(T value, int precision) {
  // The shortest digits, moved to their places.
  Parts s = scientific_parts(value, 1000);
  bool negative = s.integer[0] == '-';
  std::string digits = s.integer.substr(negative) + s.fraction;
  int point = std::atoi(s.exponent.c_str()) + 1;  // digits before the point
  if (point <= 0) {
    digits.insert(0, static_cast<size_t>(1 - point), '0');
    point = 1;
  }
  if (static_cast<int>(digits.size()) < point) digits.append(static_cast<size_t>(point) - digits.size(), '0');
  Parts parts{(negative ? "-" : "") + digits.substr(0, static_cast<size_t>(point)), digits.substr(static_cast<size_t>(point)), ""};
  trim_zeros(parts.fraction);
  if (static_cast<int>(parts.fraction.size()) <= precision) return parts;
  char buffer[1100];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, wide(value), std::chars_format::fixed, precision).ptr);
  size_t at = text.find('.');
  parts = {text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1), ""};
  trim_zeros(parts.fraction);
  return parts;
}

// The format of a list of floats.
template <class T>
class FloatFormat {
 public:
  FloatFormat(const std::vector<T>& values, bool show_plus) : show_plus_(show_plus) {
    std::vector<T> finite;
    bool negative_infinity = show_plus;
    double largest = 0, smallest = 0;
    for (T v : values) {
      double w = wide(v);
      if (std::isfinite(w)) {
        finite.push_back(v);
        double magnitude = std::abs(w);
        largest = std::max(largest, magnitude);
        if (magnitude > 0) smallest = smallest == 0 ? magnitude : std::min(smallest, magnitude);
      } else if (!std::isnan(w) && w < 0) {
        negative_infinity = true;
      }
    }
    // Comparisons in the arithmetic of the type, as NumPy's are.
    exponents_ = largest > 0 && (largest >= std::pow(10., std::min(8, digits_of(T()))) || smallest < wide(narrow(0.0001, T())) ||
                                 wide(narrow(largest / smallest, T())) > 1000.);
    if (exponents_) {
      size_t digits = 0, exponent = 0;
      for (T v : finite) {
        Parts parts = signed_parts(scientific_parts(v, kPrecision));
        left_ = std::max(left_, parts.integer.size());
        digits = std::max(digits, parts.fraction.size());
        exponent = std::max(exponent, parts.exponent.size());
      }
      fraction_ = digits;
      right_ = exponent + 1 + digits;
    } else {
      for (T v : finite) {
        Parts parts = signed_parts(positional_parts(v, kPrecision));
        left_ = std::max(left_, parts.integer.size());
        right_ = std::max(right_, parts.fraction.size());
      }
    }
    if (finite.size() != values.size()) {
      size_t behind = right_ + 1, widest = negative_infinity ? 4 : 3;
      if (widest > behind) left_ = std::max(left_, widest - behind);
    }
  }

  std::string text(T value) const {
    double w = wide(value);
    if (!std::isfinite(w)) {
      std::string name = std::isnan(w) ? "nan" : "inf";
      if (!std::isnan(w) && w < 0) name = "-" + name;
      else if (show_plus_) name = "+" + name;
      return pad(left_ + right_ + 1, name.size()) + name;
    }
    if (exponents_) {
      Parts parts = signed_parts(scientific_parts(value, static_cast<int>(fraction_)));
      if (parts.fraction.size() < fraction_) {  // more digits than the shortest text: those of the exact value
        parts = signed_parts(taken_apart(scientific(w, static_cast<int>(fraction_))));
        parts.fraction.append(fraction_ - parts.fraction.size(), '0');
      }
      size_t exponent = right_ - 1 - fraction_ - 1;  // digits; the sign stands apart
      std::string zeros = pad(exponent + 1, parts.exponent.size());
      std::ranges::fill(zeros, '0');
      parts.exponent.insert(1, zeros);
      return pad(left_, parts.integer.size()) + parts.integer + "." + parts.fraction + "e" + parts.exponent;
    }
    Parts parts = signed_parts(positional_parts(value, kPrecision));
    return pad(left_, parts.integer.size()) + parts.integer + "." + parts.fraction + pad(right_, parts.fraction.size());
  }

 private:
  static std::string pad(size_t width, size_t size) { return std::string(width > size ? width - size : 0, ' '); }
  Parts signed_parts(Parts parts) const {
    if (show_plus_ && parts.integer[0] != '-') parts.integer.insert(0, "+");
    return parts;
  }
  bool show_plus_, exponents_ = false;
  size_t left_ = 0, right_ = 0, fraction_ = 0;
};

using Elements = std::vector<const void*>;
using Texts = std::vector<std::string>;

template <class T>
std::vector<T> values_of(const Elements& elements, size_t offset = 0) {
  std::vector<T> values(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) std::memcpy(&values[i], static_cast<const char*>(elements[i]) + offset, sizeof(T));
  return values;
}

template <class T>
Texts float_texts(const Elements& elements) {
  std::vector<T> values = values_of<T>(elements);
  FloatFormat<T> format(values, false);
  Texts texts;
  for (T v : values) texts.push_back(format.text(v));
  return texts;
}

template <class T>
Texts complex_texts(const Elements& elements) {
  std::vector<T> re = values_of<T>(elements), im = values_of<T>(elements, sizeof(T));
  FloatFormat<T> real(re, false), imaginary(im, true);
  Texts texts;
  for (size_t i = 0; i < re.size(); ++i) {
    std::string part = imaginary.text(im[i]);
    part.insert(part.find_last_not_of(' ') + 1, "j");
    texts.push_back(real.text(re[i]) + part);
  }
  return texts;
}

// Aligned to the right.
Texts integer_texts(const Elements& elements, DType dtype) {
  Texts texts;
  size_t widest = 0;
  for (const void* element : elements) {
    if (dtype.is_signed()) {
      int64_t value;
      convert_elements(element, dtype, &value, DType(DType::kInt64), 1);
      texts.push_back(std::to_string(value));
    } else {
      uint64_t value;
      convert_elements(element, dtype, &value, DType(DType::kUInt64), 1);
      texts.push_back(std::to_string(value));
    }
    widest = std::max(widest, texts.back().size());
  }
  if (dtype.bits() >= 8)
    for (std::string& text : texts) text.insert(0, widest - text.size(), ' ');
  return texts;
}

Texts general_texts(const Elements& elements, DType dtype) {
  Texts texts;
  for (const void* element : elements) {
    double value;
    convert_elements(element, dtype, &value, DType(DType::kFloat64), 1);
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, std::isnan(value) ? NAN : value, std::chars_format::general, 6).ptr;
    texts.emplace_back(buffer, end);
  }
  return texts;
}

}  // namespace

Texts number_texts(const Elements& elements, DType dtype, bool scalar) {
  switch (dtype.kind()) {
    case DTypeKind::boolean: {
      Texts texts;
      for (const void* element : elements)
        texts.push_back(!*static_cast<const unsigned char*>(element) ? "False" : scalar ? "True" : " True");
      return texts;
    }
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: return integer_texts(elements, dtype);
    case DTypeKind::complex:
      return dtype.code() == DType::kComplex64 ? complex_texts<float>(elements) : complex_texts<double>(elements);
    case DTypeKind::floating: break;
    default: fail<InternalError>("str", "elements of ", dtype, " have no text");
  }
  switch (dtype.code()) {
    case DType::kFloat16: return float_texts<Half>(elements);
    case DType::kFloat32: return float_texts<float>(elements);
    case DType::kFloat64: return float_texts<double>(elements);
    default: return general_texts(elements, dtype);
  }
}

}  // namespace tenon::detail
