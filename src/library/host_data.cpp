// Arrays out of C++ numbers: scalars, lists, vectors, and lists of arrays.
#include <cstring>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "library/promote.h"
#include "tenon/detail/host.h"
#include "tenon/host.h"

namespace tenon {
namespace detail {

Array array_of_elements(const void* data, DType::Code from, const Shape& shape, std::optional<DType> dtype) {
  const DType source(from);
  const DType target = dtype ? canonical_dtype(*dtype) : canonical_dtype(source);
  const int64_t count = shape.num_elements();
  check_integers_fit("array", data, source, count, target);
  if (source == target) return array_from_host(data, {shape, target, false});
  std::vector<unsigned char> converted(static_cast<size_t>(count) * static_cast<size_t>(target.itemsize()) + 1);
  convert_elements(data, source, converted.data(), target, count);
  return array_from_host(converted.data(), {shape, target, false});
}

void throw_ragged_list(const Shape& shape) {
  fail<ValueError>("array", "the lists are not rectangular; the first ones suggest shape ", shape);
}

// A scalar with a buffer, when operations are evaluated; under a trace it stays a literal.
static Array materialized(const Array& scalar) {
  if (!is_scalar_node(scalar)) return scalar;
  check_default_int(*scalar.node_ref());
  if (!is_evaluating()) return scalar;
  return array_from_host(static_cast<const ScalarNode&>(*scalar.node_ref()).bytes, scalar.aval());
}

}  // namespace detail

namespace jnp {

Array asarray(const Operand& x, std::optional<DType> dtype) {
  detail::FunctionScope site(x.loc);
  if (dtype) detail::check_scalar_fits("array", x.value, canonical_dtype(*dtype));
  return detail::materialized(dtype ? lax::convert_element_type(x, *dtype) : x.value);
}

Array array(const Operand& x, std::optional<DType> dtype) {
  detail::FunctionScope site(x.loc);
  if (detail::is_scalar_node(x.value)) return asarray(x, dtype);
  const Array copied = lax::copy(x);
  return dtype ? lax::convert_element_type(copied, *dtype) : copied;
}
Array copy(const Operand& x) { return array(x); }

// C++ scalars become host data; with arrays among them the parts are concatenated.
Array array(const HostView& view, std::optional<DType> dtype, Loc loc) {
  detail::FunctionScope site(loc);
  const Array copied = device_put(view);
  return dtype ? detail::materialized(lax::convert_element_type(copied, *dtype)) : copied;
}
Array asarray(const HostView& view, std::optional<DType> dtype, Loc loc) { return array(view, dtype, loc); }

Array array(const Arrays& list, std::optional<DType> dtype, Loc loc) {
  detail::FunctionScope site(loc);
  if (list.empty()) return detail::array_of_elements(nullptr, DType::kFloat32, {0}, dtype);
  Avals avals;
  bool all_scalars = true;
  for (const Array& x : list) {
    avals.push_back(x.aval());
    all_scalars &= detail::is_scalar_node(x);
  }
  const DType target = dtype ? canonical_dtype(*dtype) : promote(avals, "array").dtype;
  if (all_scalars) {
    const size_t itemsize = static_cast<size_t>(target.itemsize());
    std::vector<unsigned char> bytes(itemsize * list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      const auto& node = static_cast<const detail::ScalarNode&>(*list[i].node_ref());
      detail::check_scalar_fits("array", list[i], target);
      detail::convert_elements(node.bytes, node.aval().dtype, bytes.data() + i * itemsize, target, 1);
    }
    return detail::array_from_host(bytes.data(), {{static_cast<int64_t>(list.size())}, target, false});
  }
  Arrays rows;
  for (const Array& x : list) {
    if (x.shape() != list[0].shape()) fail<ValueError>("array", "the parts must have the same shape; got ", avals);
    rows.push_back(lax::expand_dims(lax::convert_type(x, target, false), 0));
  }
  return lax::concatenate(rows, 0);
}
Array array(std::initializer_list<Array> list, std::optional<DType> dtype, Loc loc) { return array(Arrays(list), dtype, loc); }

Array ScalarType::operator()(const Operand& x) const { return asarray(x, *this); }

}  // namespace jnp
}  // namespace tenon
