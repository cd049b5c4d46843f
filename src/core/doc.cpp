#include "core/doc.h"

#include <algorithm>

#include "base/fail.h"

namespace tenon::detail {

// chars_ grows by all that counts for the width of a flat form, so its size measures widths.
void Doc::text(std::string_view text) {
  if (text.empty()) return;
  chars_ += text;
  if (!tokens_.empty() && tokens_.back().kind == Token::Kind::text)
    tokens_.back().value += text.size();
  else
    tokens_.push_back({Token::Kind::text, text.size()});
}
void Doc::soft_break(std::string_view flat) {
  chars_ += flat;
  tokens_.push_back({Token::Kind::soft_break, flat.size()});
}
void Doc::annotate(std::string comment) {
  tokens_.push_back({Token::Kind::annotation, 0});
  comments_.push_back(std::move(comment));
}
void Doc::open(Token::Kind kind, uint64_t value) {
  open_.emplace_back(tokens_.size(), chars_.size());
  tokens_.push_back({kind, value});
}
void Doc::close() {
  auto [token, start] = open_.back();
  open_.pop_back();
  if (tokens_[token].kind == Token::Kind::open_group) tokens_[token].value = chars_.size() - start;
  tokens_.push_back({Token::Kind::close, 0});
}

namespace {

// Lines as they are made; comments wait until the longest line is known.
class Lines {
 public:
  void add(std::string_view text) {
    out_ += text;
    column_ += text.size();
  }
  void newline(uint64_t indent) {
    finish();
    out_ += '\n';
    out_.append(indent, ' ');
    column_ = indent;
  }
  void comment() { ++comments_here_; }
  uint64_t column() const { return column_; }

  std::string take(const std::vector<std::string>& comments) {
    finish();
    if (commented_.empty()) return std::move(out_);
    std::string aligned;
    size_t from = 0, next = 0;
    for (const Commented& line : commented_) {
      aligned.append(out_, from, line.end - from);
      from = line.end;
      uint64_t padding = longest_ - line.column;
      for (size_t i = 0; i < line.count; ++i, padding = longest_) {
        if (i > 0) aligned += '\n';
        aligned.append(padding, ' ');
        aligned += " # " + comments[next++];
      }
    }
    return aligned.append(out_, from);
  }

 private:
  struct Commented {
    size_t end;  // in out_
    uint64_t column;
    size_t count;
  };
  void finish() {
    longest_ = std::max(longest_, column_);
    if (comments_here_ > 0) commented_.push_back({out_.size(), column_, comments_here_});
    comments_here_ = 0;
  }
  std::string out_;
  uint64_t column_ = 0, longest_ = 0;
  size_t comments_here_ = 0;
  std::vector<Commented> commented_;
};

}  // namespace

std::string Doc::str(uint64_t width) const {
  TENON_CHECK(open_.empty());
  struct State {
    bool flat;
    uint64_t indent;
  };
  State now{false, 0};
  std::vector<State> outer;
  Lines lines;
  const char* chars = chars_.data();
  for (const Token& token : tokens_) {
    switch (token.kind) {
      case Token::Kind::text:
      case Token::Kind::soft_break:
        if (token.kind == Token::Kind::text || now.flat)
          lines.add({chars, token.value});
        else
          lines.newline(now.indent);
        chars += token.value;
        break;
      case Token::Kind::annotation: lines.comment(); break;
      case Token::Kind::open_group:
        outer.push_back(now);
        now.flat = lines.column() + token.value <= width;
        break;
      case Token::Kind::open_nest:
        outer.push_back(now);
        now.indent += token.value;
        break;
      case Token::Kind::close:
        now = outer.back();
        outer.pop_back();
        break;
    }
  }
  return lines.take(comments_);
}

}  // namespace tenon::detail
