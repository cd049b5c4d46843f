// iota: the index along one axis.
#include "base/promotion.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive iota_p{
    .name = "iota",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("iota", in, 0);
      const auto& shape = params.get<Shape>("shape");
      const int64_t dimension = params.get<int64_t>("dimension");
      Aval out{shape, params.get<DType>("dtype"), false};
      check_kind("iota", out, kNumber);
      for (int64_t size : shape)
        if (size < 0) fail<ShapeError>("iota", "sizes must not be negative; got shape ", shape);
      if (dimension < 0 || dimension >= shape.ndim())
        fail<ValueError>("iota", "dimension ", dimension, " is out of range for shape ", shape);
      return {out};
    },
    .lowering = [](StablehloBuilder& b, const Values&, const EqnParams& params) -> Values {
      return {b.iota({params.get<Shape>("shape"), params.get<DType>("dtype")}, params.get<int64_t>("dimension"))};
    },
};

Array broadcasted_iota(DType dtype, const Shape& shape, int dimension, Loc loc) {
  detail::SiteScope site(loc);
  return bind(iota_p, {},
              {{"dimension", dimension}, {"dtype", canonical_dtype(dtype)}, {"shape", shape}, {"sharding", Param()}});
}
Array iota(DType dtype, int64_t size, Loc loc) { return broadcasted_iota(dtype, {size}, 0, loc); }

}  // namespace tenon::lax
