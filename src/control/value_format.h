// Text with places for values: "x = {}, again {0}".
#pragma once

#include <string>
#include <vector>

#include "tenon/array.h"

namespace tenon::detail {

class ValueFormat {
 public:
  /// Throws ValueError, in the name of `who`, for a format that does not fit so many operands.
  ValueFormat(const char* who, const std::string& format, size_t operands);
  bool has_placeholders() const { return has_placeholders_; }
  /// The text with these values, as NumPy prints them.
  std::string str(const Arrays& operands) const;

 private:
  struct Piece {
    std::string text;
    int operand;  // that follows the text; -1: none
  };
  std::vector<Piece> pieces_;
  bool has_placeholders_ = false;
};

}  // namespace tenon::detail
