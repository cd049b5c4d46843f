#include "dialect/bool_literals.h"

#include <cstdint>

namespace tenon::detail {
namespace {

constexpr std::string_view kBegin = "dense<\"0x";
constexpr std::string_view kMiddle = "\"> : tensor<";

// The literal at `begin` (behind 0x): its digits, and how many bools its type has; 0 for any other type.
struct Literal {
  std::string_view digits;
  uint64_t count = 0;
};
Literal literal_at(std::string_view text, size_t begin) {
  const size_t end = text.find('"', begin);
  if (end == text.npos || text.substr(end, kMiddle.size()) != kMiddle) return {};
  Literal literal{text.substr(begin, end - begin), 1};
  size_t at = end + kMiddle.size();
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    uint64_t size = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      size = size * 10 + static_cast<uint64_t>(text[at] - '0');
      if (size > text.size()) return {};  // more bools than the text has digits
    }
    if (at >= text.size() || text[at] != 'x') return {};
    ++at;
    literal.count *= size;
    if (literal.count > text.size() * 8) return {};
  }
  if (text.substr(at, 2) != "i1" || at + 2 >= text.size() || (text[at + 2] != '>' && text[at + 2] != ',')) return {};
  return literal;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}
int byte_at(std::string_view digits, size_t i) { return digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]); }
void put_byte(std::string& out, unsigned byte) {
  out += "0123456789ABCDEF"[byte >> 4 & 15];
  out += "0123456789ABCDEF"[byte & 15];
}

// Copies `text` with the digits of bool literals of `from` digits rewritten.
template <class Digits, class Rewrite>
std::string rewrite_literals(std::string_view text, Digits from, Rewrite rewrite) {
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; (at = text.find(kBegin, at)) != text.npos;) {
    at += kBegin.size();
    const Literal literal = literal_at(text, at);
    if (literal.count <= 1 || literal.digits.size() != from(literal.count)) continue;
    bool good = true;
    for (const char c : literal.digits) good &= digit(c) >= 0;
    if (!good) continue;
    out.append(text, copied, at - copied);
    rewrite(out, literal);
    at += literal.digits.size();
    copied = at;
  }
  out.append(text, copied);
  return out;
}

uint64_t digits_of_bytes(uint64_t count) { return 2 * count; }
uint64_t digits_of_bits(uint64_t count) { return 2 * ((count + 7) / 8); }

}  // namespace

std::string pack_bool_literals(std::string_view text) {
  return rewrite_literals(text, digits_of_bytes, [](std::string& out, const Literal& literal) {
    for (uint64_t i = 0; i < literal.count; i += 8) {
      unsigned byte = 0;
      for (uint64_t bit = 0; bit < 8 && i + bit < literal.count; ++bit) {
        byte |= (byte_at(literal.digits, i + bit) != 0 ? 1u : 0u) << bit;
      }
      put_byte(out, byte);
    }
  });
}

std::string unpack_bool_literals(std::string text) {
  if (text.find(kBegin) == text.npos) return text;
  return rewrite_literals(text, digits_of_bits, [](std::string& out, const Literal& literal) {
    for (uint64_t i = 0; i < literal.count; ++i) {
      put_byte(out, static_cast<unsigned>(byte_at(literal.digits, i / 8)) >> i % 8 & 1u);
    }
  });
}

}  // namespace tenon::detail
