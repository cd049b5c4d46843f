// Text with breaks that know how to become spaces: a document goes in front to back, lines of at
// most `width` columns come out. After Wadler, "A prettier printer", and Lindig, "Strictly pretty".
// A document is a flat list of tokens, so that writing and laying out are loops and take linear time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::detail {

class Doc {
 public:
  /// Text without a choice. Its width is its size in bytes.
  void text(std::string_view text);
  /// A newline, or `flat` when the innermost group around it fits on the rest of the line.
  void soft_break(std::string_view flat = " ");
  /// A comment at the end of the line where the text before this stands; several stand below
  /// each other. All comments of a document begin in the same column.
  void annotate(std::string comment);

  /// What is written while it lives is flat when it fits: its own text up to its own end.
  class Group {
   public:
    explicit Group(Doc& doc) : doc_(doc) { doc_.open(Token::Kind::open_group, 0); }
    ~Group() { doc_.close(); }
    Group(const Group&) = delete;

   private:
    Doc& doc_;
  };
  /// Newlines that are written while it lives are indented by `columns` more.
  class Nest {
   public:
    Nest(Doc& doc, int columns) : doc_(doc) { doc_.open(Token::Kind::open_nest, static_cast<uint64_t>(columns)); }
    ~Nest() { doc_.close(); }
    Nest(const Nest&) = delete;

   private:
    Doc& doc_;
  };

  std::string str(uint64_t width = 80) const;

 private:
  struct Token {
    enum class Kind : uint8_t { text, soft_break, annotation, open_group, open_nest, close };
    Kind kind : 8;
    // Bytes of chars_ (text, soft_break), width of the flat form (open_group), columns (open_nest).
    uint64_t value : 56;
  };
  void open(Token::Kind kind, uint64_t value);
  void close();

  std::vector<Token> tokens_;
  std::string chars_;                   // of texts and breaks, in order
  std::vector<std::string> comments_;   // in order
  std::vector<std::pair<size_t, uint64_t>> open_;  // token and width at its start
};

}  // namespace tenon::detail
