// Shapes and lists of axes. Two types, so that they cannot be swapped by accident; both print as
// Python tuples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tenon/detail/text_stream.h"

#pragma GCC visibility push(default)

namespace tenon {

namespace detail {
/// "(2, 3)", "(2,)", "()".
std::string tuple_str(const std::vector<int64_t>& values);
}  // namespace detail

/// Sizes of the axes of an array, major first. `Shape{}` is a scalar's.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  size_t size() const { return dims_.size(); }
  int ndim() const { return static_cast<int>(dims_.size()); }
  bool empty() const { return dims_.empty(); }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  int64_t back() const { return dims_.back(); }
  void push_back(int64_t dim);
  const std::vector<int64_t>& dims() const { return dims_; }
  bool operator==(const Shape&) const;

  /// Product of the sizes; 1 for a scalar. Throws ShapeError when it does not fit in 63 bits.
  int64_t num_elements() const;
  /// "(2, 3)".
  std::string str() const { return detail::tuple_str(dims_); }
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Shape& x) {
    out << x.str();
    return out;
  }

 private:
  std::vector<int64_t> dims_;
};

/// A list of axes. Negative axes count from the end until `canonical_axes` has seen them.
class Axes {
 public:
  Axes() = default;
  Axes(int axis);
  Axes(std::initializer_list<int> axes);
  explicit Axes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

  int64_t operator[](size_t i) const { return axes_[i]; }
  int64_t& operator[](size_t i) { return axes_[i]; }
  size_t size() const { return axes_.size(); }
  bool empty() const { return axes_.empty(); }
  auto begin() const { return axes_.begin(); }
  auto end() const { return axes_.end(); }
  void push_back(int64_t axis);
  const std::vector<int64_t>& values() const { return axes_; }
  bool contains(int64_t axis) const;
  bool operator==(const Axes&) const;
  std::string str() const { return detail::tuple_str(axes_); }
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Axes& x) {
    out << x.str();
    return out;
  }

 private:
  std::vector<int64_t> axes_;
};

/// Order of the axes in memory; none: row-major.
struct Layout {
  std::vector<int> major_to_minor;
  bool is_auto = false;
  /// The one that suits the program best: compiling chooses it.
  static const Layout AUTO;
  bool operator==(const Layout&) const;
  std::string str() const;
};
inline const Layout Layout::AUTO{{}, true};
/// Layout of an array on its device.
struct Format {
  Layout layout;
  bool operator==(const Format&) const = default;
};

}  // namespace tenon

#pragma GCC visibility pop
