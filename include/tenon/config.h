// Options of the library. Every option K can also be set by the environment variable TENON_K
// (upper case) when the process starts. docs/options.md lists them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tenon/dtype.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace config {

/// A bool, integer, number or string.
class Value {
 public:
  enum class Kind : uint8_t { boolean, integer, number, string };
  Value(bool v) : kind_(Kind::boolean), integer_(v) {}
  Value(const char* v) : kind_(Kind::string), string_(v) {}
  Value(std::string v) : kind_(Kind::string), string_(std::move(v)) {}
  template <Scalar T>
    requires(!std::is_same_v<T, bool> && !std::is_floating_point_v<T>)
  Value(T v) : kind_(Kind::integer), integer_(static_cast<int64_t>(v)) {}
  template <Scalar T>
    requires std::is_floating_point_v<T>
  Value(T v) : kind_(Kind::number), number_(static_cast<double>(v)) {}

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  double number() const { return kind_ == Kind::number ? number_ : static_cast<double>(integer_); }
  const std::string& string() const { return string_; }
  std::string str() const;

 private:
  Kind kind_;
  int64_t integer_ = 0;
  double number_ = 0;
  std::string string_;
};

struct Setting {
  std::string name;
  Value value;
};

/// Sets an option for the process. Throws ValueError for an unknown name (listing those that
/// exist), TypeError for a value of another kind.
void update(std::string_view name, Value value);

/// Sets options for the calling thread while it lives. Scopes nest. Errors as update.
class Scope {
 public:
  [[nodiscard]] Scope(std::initializer_list<Setting> settings);
  [[nodiscard]] explicit Scope(const std::vector<Setting>& settings);
  ~Scope();
  Scope(const Scope&) = delete;

 private:
  void* values_;
};

}  // namespace config
}  // namespace tenon

#pragma GCC visibility pop
