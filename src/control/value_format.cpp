#include "control/value_format.h"

#include <utility>

#include "base/fail.h"

namespace tenon::detail {

ValueFormat::ValueFormat(const char* who, const std::string& format, size_t operands) {
  Piece piece{"", -1};
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      piece.text += c;
      ++i;
      continue;
    }
    if (c == '}') fail<ValueError>(who, "a single '}' in the format; got '", format, "'; }} prints one");
    if (c != '{') {
      piece.text += c;
      continue;
    }
    const size_t end = format.find('}', i);
    const std::string inside = end == format.npos ? "?" : format.substr(i + 1, end - i - 1);
    if (inside.find_first_not_of("0123456789") != inside.npos || inside.size() > 6)
      fail<ValueError>(who, "braces hold nothing, or the number of an operand; got '", format, "'; {{ prints one");
    const size_t operand = inside.empty() ? next++ : static_cast<size_t>(std::stoul(inside));
    if (operand >= operands) fail<ValueError>(who, "the format wants operand ", operand, " of ", operands, "; got '", format, "'");
    piece.operand = static_cast<int>(operand);
    has_placeholders_ = true;
    pieces_.push_back(std::exchange(piece, Piece{"", -1}));
    i = end;
  }
  if (!piece.text.empty()) pieces_.push_back(piece);
}

// "[1. 2.]" of "Array([1., 2.], dtype=float32)": str() as NumPy's str, without the commas.
static std::string value_str(const Array& x) {
  if (x.ndim() == 0) {
    const std::string repr = x.str();
    const size_t open = repr.find('('), comma = repr.find(", dtype", open);
    const std::string number = open == repr.npos ? repr : repr.substr(open + 1, (comma == repr.npos ? repr.rfind(')') : comma) - open - 1);
    return number.ends_with('.') ? number + '0' : number;  // 1.0, as Python prints a number
  }
  const std::string repr = x.str();
  const size_t open = repr.find('['), close = repr.rfind(']');
  if (open == repr.npos || close == repr.npos) return repr;
  std::string out;
  for (size_t i = open; i <= close; ++i)
    if (repr[i] != ',') out += repr[i];
  return out;
}

std::string ValueFormat::str(const Arrays& operands) const {
  std::string line;
  for (const Piece& piece : pieces_) {
    line += piece.text;
    if (piece.operand >= 0) line += value_str(operands[static_cast<size_t>(piece.operand)]);
  }
  return line;
}

}  // namespace tenon::detail
