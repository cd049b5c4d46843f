// reshape: the same elements in row-major order under another shape.
// The parameter dimensions (an order of reading) is JAX's; always None here.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive reshape_p{
    .name = "reshape",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("reshape", in, 1);
      const auto& sizes = params.get<Shape>("new_sizes");
      for (int64_t size : sizes)
        if (size < 0) fail<ShapeError>("reshape", "sizes must not be negative; got ", sizes);
      if (in[0].shape.num_elements() != sizes.num_elements())
        fail<ShapeError>("reshape", "the number of elements changes from ", in[0].shape.num_elements(), " to ",
                         sizes.num_elements(), "; got ", in[0], " and shape ", sizes);
      return {in[0].with_shape(sizes)};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.reshape(x[0], params.get<Shape>("new_sizes"))};
    },
};

Array reshape(const Operand& x, const Shape& new_sizes) {
  const Shape shape = x.value.shape();
  if (!shape.empty() && shape == new_sizes) return x.value;
  return apply(reshape_p, x, {{"dimensions", Param()}, {"new_sizes", new_sizes}, {"sharding", Param()}});
}

}  // namespace tenon::lax
