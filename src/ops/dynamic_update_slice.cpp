// dynamic_update_slice: an array with a block replaced, at a traced position.
#include "ops/rules.h"
#include "ops/start_indices.h"

namespace tenon::lax {

static Avals dynamic_update_slice_abstract_eval(const Avals& in, const EqnParams&) {
  const char* who = "dynamic_update_slice";
  if (in.size() < 2) fail<TypeError>(who, "takes an operand, an update and indices; got ", in.size(), " operands");
  const Aval &x = in[0], &update = in[1];
  if (x.dtype != update.dtype)
    fail<TypeError>(who, "the update must have the dtype of the operand; got ", Avals{x, update}, "; convert it");
  if (x.ndim() != update.ndim())
    fail<ShapeError>(who, "the update must have as many axes as the operand; got ", Avals{x, update});
  if (in.size() != x.shape.size() + 2)
    fail<ShapeError>(who, "needs one index for each axis; got ", in.size() - 2, " for ", x);
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (update.shape[axis] > x.shape[axis])
      fail<ShapeError>(who, "the update is larger than the operand along axis ", axis, "; got ", Avals{x, update});
  check_start_indices(who, in, 2);
  return {x};
}

constinit const Primitive dynamic_update_slice_p{
    .name = "dynamic_update_slice",
    .abstract_eval = dynamic_update_slice_abstract_eval,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.dynamic_update_slice(x[0], x[1], Values(x.begin() + 2, x.end()))};
    },
};

Array dynamic_update_slice(const Operand& x, const Operand& update, const Arrays& start_indices) {
  detail::SiteScope site(x.loc);
  const Shape shape = x.value.shape();
  if (start_indices.size() != shape.size())
    fail<ValueError>("dynamic_update_slice", "needs one index for each axis; got ", start_indices.size(), " for ",
                     x.value.aval());
  Arrays operands = {x.value, update.value};
  for (size_t i = 0; i < start_indices.size(); ++i) operands.push_back(from_the_end(start_indices[i], shape[i]));
  return bind(dynamic_update_slice_p, operands);
}

}  // namespace tenon::lax
