// dynamic_slice: a block of known sizes at a traced position.
#include "ops/rules.h"
#include "ops/start_indices.h"

namespace tenon::lax {

static Avals dynamic_slice_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "dynamic_slice";
  if (in.empty()) fail<TypeError>(who, "takes an operand and its indices; got nothing");
  const auto& sizes = params.get<Shape>("slice_sizes");
  if (in.size() != in[0].shape.size() + 1 || sizes.size() != in[0].shape.size())
    fail<ShapeError>(who, "needs one index and one size for each axis; got ", in.size() - 1, " indices and slice_sizes ",
                     sizes, " for ", in[0]);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0 || sizes[i] > in[0].shape[i])
      fail<ShapeError>(who, "0 <= slice size <= size must hold along axis ", i, "; got slice_sizes ", sizes, " for ", in[0]);
  check_start_indices(who, in, 1);
  return {in[0].with_shape(sizes)};
}

constinit const Primitive dynamic_slice_p{
    .name = "dynamic_slice",
    .abstract_eval = dynamic_slice_abstract_eval,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.dynamic_slice(x[0], Values(x.begin() + 1, x.end()), params.get<Shape>("slice_sizes"))};
    },
};

Array dynamic_slice(const Operand& x, const Arrays& start_indices, const Shape& slice_sizes) {
  detail::SiteScope site(x.loc);
  Arrays operands = {x.value};
  const Shape shape = x.value.shape();
  if (start_indices.size() != shape.size())
    fail<ValueError>("dynamic_slice", "needs one index for each axis; got ", start_indices.size(), " for ", x.value.aval());
  for (size_t i = 0; i < start_indices.size(); ++i) operands.push_back(from_the_end(start_indices[i], shape[i]));
  return bind(dynamic_slice_p, operands, {{"slice_sizes", slice_sizes}});
}

}  // namespace tenon::lax
