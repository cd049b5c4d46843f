// one_hot.
#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"
#include "tenon/nn.h"

namespace tenon::nn {

Array one_hot(const Operand& x, int64_t num_classes, const OneHotOptions& options) {
  detail::FunctionScope site(x.loc);
  if (num_classes < 0) fail<ValueError>("one_hot", "num_classes must not be negative; got ", num_classes);
  if (!x.value.dtype().is_integer()) fail<TypeError>("one_hot", "takes integers; got ", x.value.aval());
  const int ndim = x.value.ndim();
  const int64_t axis = detail::canonical_axis("one_hot", options.axis, ndim + 1);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array indices = lax::expand_dims(in[0], Axes(static_cast<int>(axis)));
    Shape shape(std::vector<int64_t>(static_cast<size_t>(ndim) + 1, 1));
    shape[axis] = num_classes;
    const Array classes = lax::broadcasted_iota(in[0].dtype(), shape, static_cast<int>(axis));
    return {jnp::astype(jnp::equal(indices, classes), options.dtype.value_or(default_float()))};
  };
  return detail::call_jitted("_one_hot", body, {x.value})[0];
}

}  // namespace tenon::nn
