#include "ops/start_indices.h"

#include "ops/convert.h"
#include "ops/rules.h"

namespace tenon::lax {

Array from_the_end(const Array& index, int64_t size) {
  const DType dtype = index.dtype();
  if (dtype.is_unsigned()) return index;
  if (index.node("dynamic_slice").kind() == detail::ArrayNode::Kind::scalar) {
    int64_t i = index.item<int64_t>();
    return convert_type(Array(i < 0 ? i + size : i), dtype, false);
  }
  const Array is_negative = lt(index, convert_type(Array(0), dtype, false));
  const Array strong = convert_type(index, dtype, false);
  return select(is_negative, add(strong, convert_type(Array(size), dtype, false)), index);
}

void check_start_indices(const char* who, const Avals& operands, size_t first) {
  for (size_t i = first; i < operands.size(); ++i)
    if (!operands[i].shape.empty() || !operands[i].dtype.is_integer() || operands[i].dtype != operands[first].dtype)
      fail<TypeError>(who, "indices must be integer scalars of one dtype; got ",
                      Avals(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end()));
}

}  // namespace tenon::lax
