#include "core/npy_header.h"

#include <charconv>

#include "base/fail.h"

namespace tenon::detail {
namespace {

constexpr int kMaxRank = 64;  // NumPy's

struct DescrRow {
  std::string_view descr;  // without the byte order
  DType::Code code;
};
// bfloat16 is a record of two bytes to NumPy: what it writes for JAX's type.
constexpr DescrRow kDescrs[] = {
    {"b1", DType::kBool},      {"i1", DType::kInt8},      {"i2", DType::kInt16},       {"i4", DType::kInt32},
    {"i8", DType::kInt64},     {"u1", DType::kUInt8},     {"u2", DType::kUInt16},      {"u4", DType::kUInt32},
    {"u8", DType::kUInt64},    {"f2", DType::kFloat16},   {"f4", DType::kFloat32},     {"f8", DType::kFloat64},
    {"c8", DType::kComplex64}, {"c16", DType::kComplex128}, {"V2", DType::kBFloat16},
};

// Reads Python literals of the few kinds that a header holds. The first mistake is kept.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  const std::string& error() const { return error_; }
  bool ok() const { return error_.empty(); }

  void bad(std::string what) {
    if (ok()) error_ = std::move(what);
  }
  bool take(char c) {
    skip_space();
    if (!ok() || at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) bad(std::string("the header is no Python dictionary: there is no '") + c + "' at byte " + std::to_string(at_));
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  std::string_view string() {
    skip_space();
    char quote = at_ < text_.size() ? text_[at_] : '\0';
    size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      bad("the header is no Python dictionary: there is no string at byte " + std::to_string(at_));
      return {};
    }
    std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (bool value : {false, true}) {
      std::string_view name = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(name)) continue;
      at_ += name.size();
      return value;
    }
    bad("fortran_order is not True or False");
    return false;
  }
  Shape tuple() {
    std::vector<int64_t> sizes;
    expect('(');
    while (ok() && !take(')')) {
      skip_space();
      int64_t size = 0;
      auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) {
        bad("shape is not a tuple of sizes that fit in 63 bits");
        break;
      }
      at_ = static_cast<size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
      sizes.push_back(size);
      if (static_cast<int>(sizes.size()) > kMaxRank) bad("shape has more than " + std::to_string(kMaxRank) + " axes");
      if (!take(',')) {
        if (sizes.size() == 1) bad("shape is not a tuple");  // (3) is an int
        expect(')');
        break;
      }
    }
    return Shape(std::move(sizes));
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

// Text of a file in a message: short, and without what a terminal would act upon.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > 40 ? "...'" : "'");
}

void read_descr(std::string_view descr, NpyHeader& header, Reader& reader) {
  std::string_view name = descr;
  char order = '<';
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    order = name[0];
    name.remove_prefix(1);
  }
  for (const DescrRow& row : kDescrs) {
    if (row.descr != name) continue;
    header.aval.dtype = DType(row.code);
    header.big_endian = order == '>' && row.code != DType::kBFloat16;  // bytes of a record keep their order
    return;
  }
  std::string why = name.starts_with('O')                              ? "Python objects are not read"
                    : name.starts_with('U') || name.starts_with('S') ? "text is not read"
                    : name.starts_with('V')                            ? "records are not read"
                    : name.starts_with('M') || name.starts_with('m') ? "dates are not read"
                                                                       : "there is no such element type";
  reader.bad("dtype " + quoted(descr) + ": " + why);
}

}  // namespace

std::optional<NpyHeader> parse_npy_header(std::string_view text, std::string* error) {
  Reader reader(text);
  NpyHeader header;
  int descrs = 0, orders = 0, shapes = 0;
  reader.expect('{');
  while (reader.ok() && !reader.take('}')) {
    std::string_view key = reader.string();
    reader.expect(':');
    if (!reader.ok()) break;
    if (key == "descr") {
      ++descrs;
      if (reader.take('[')) reader.bad("records are not read");
      std::string_view descr = reader.string();
      if (reader.ok()) read_descr(descr, header, reader);
    } else if (key == "fortran_order") {
      ++orders;
      header.fortran_order = reader.boolean();
    } else if (key == "shape") {
      ++shapes;
      header.aval.shape = reader.tuple();
    } else {
      reader.bad("the header has a key " + quoted(key));
    }
    if (!reader.take(',')) {
      reader.expect('}');
      break;
    }
  }
  if (reader.ok() && !reader.at_end()) reader.bad("something stands behind the dictionary of the header");
  if (reader.ok() && (descrs != 1 || orders != 1 || shapes != 1))
    reader.bad("the header does not have descr, fortran_order and shape once each");
  if (reader.ok()) return header;
  *error = reader.error();
  return std::nullopt;
}

std::string npy_prefix(const Aval& aval) {
  std::string_view descr;
  for (const DescrRow& row : kDescrs)
    if (row.code == aval.dtype.code()) descr = row.descr;
  if (descr.empty())
    fail<TypeError>("save_npy", ".npy files have no name for elements of ", aval.dtype, "; got ", aval, "; convert with astype");
  std::string order = aval.dtype.itemsize() == 1 ? "|" : "<";
  std::string dict = text("{'descr': '", order, descr, "', 'fortran_order': False, 'shape': ", aval.shape, ", }");
  // NumPy leaves room for the first size to grow to 21 digits, then fills up to 64 bytes.
  if (!aval.shape.empty()) dict.append(21 - std::to_string(aval.shape[0]).size(), ' ');
  size_t unpadded = 10 + dict.size() + 1;
  dict.append((64 - unpadded % 64), ' ');
  dict += '\n';
  TENON_CHECK(dict.size() < 65536);  // 64 axes of 20 digits are far less
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(dict.size() & 0xff);
  prefix += static_cast<char>(dict.size() >> 8);
  return prefix + dict;
}

}  // namespace tenon::detail
