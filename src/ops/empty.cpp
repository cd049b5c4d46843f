// empty2: a scalar that nobody reads, as branches of a cond give it that owe a value which only others have.
#include "base/promotion.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive empty_p{
    .name = "empty2",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("empty2", in, 0);
      const Aval out{{}, params.get<DType>("dtype"), false};
      check_kind("empty2", out, kAny);
      return {out};
    },
    .lowering = [](StablehloBuilder& b, const Values&, const EqnParams& params) -> Values {
      return {full_value(b, 0, {{}, params.get<DType>("dtype"), false})};
    },
};

Array empty(const Shape& shape, DType dtype, Loc loc) {
  detail::SiteScope site(loc);
  const Array scalar = bind(empty_p, {}, {{"dtype", canonical_dtype(dtype)}, {"memory_space", std::string("MemorySpace.Device")}});
  return shape.empty() ? scalar : broadcast_in_dim(scalar, shape, {});
}

}  // namespace tenon::lax
