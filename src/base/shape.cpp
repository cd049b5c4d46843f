// Shapes, axes, layouts and abstract values: printing and sizes.
#include "tenon/shape.h"

#include <algorithm>

#include "base/fail.h"
#include "tenon/aval.h"

namespace tenon {

std::string detail::tuple_str(const std::vector<int64_t>& values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(values[i]);
  }
  return out + (values.size() == 1 ? ",)" : ")");
}

Shape::Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
void Shape::push_back(int64_t dim) { dims_.push_back(dim); }

bool Shape::operator==(const Shape&) const = default;

Axes::Axes(int axis) : axes_{axis} {}
Axes::Axes(std::initializer_list<int> axes) : axes_(axes.begin(), axes.end()) {}
void Axes::push_back(int64_t axis) { axes_.push_back(axis); }
bool Axes::operator==(const Axes&) const = default;

bool Layout::operator==(const Layout&) const = default;

static int64_t checked_product(int64_t a, int64_t b, const Shape& shape) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    fail<ShapeError>("shape", "the number of elements does not fit in 63 bits; got shape ", shape);
  return product;
}

int64_t Shape::num_elements() const {
  if (std::ranges::find(dims_, 0) != dims_.end()) return 0;
  int64_t count = 1;
  for (int64_t dim : dims_) count = checked_product(count, dim, *this);
  return count;
}

bool Axes::contains(int64_t axis) const { return std::ranges::find(axes_, axis) != axes_.end(); }

std::string Layout::str() const {
  if (is_auto) return "Layout.AUTO";
  return detail::text("Layout(major_to_minor=",
                      detail::tuple_str(std::vector<int64_t>(major_to_minor.begin(), major_to_minor.end())), ")");
}

int64_t ShapedArray::nbytes() const { return checked_product(shape.num_elements(), dtype.itemsize(), shape); }

static std::string bracketed(const std::string& dtype, const Shape& shape) {
  std::string out = dtype + "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return out + "]";
}

std::string ShapedArray::str() const {
  return "ShapedArray(" + bracketed(dtype.str(), shape) + (weak_type ? ", weak_type=True)" : ")");
}
std::string ShapedArray::str_short() const { return bracketed(dtype.short_str(), shape); }

std::string ShapeDtype::str() const {
  return "ShapeDtypeStruct(shape=" + shape().str() + ", dtype=" + dtype().str() + ")";
}

}  // namespace tenon
