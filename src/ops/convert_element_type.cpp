// convert_element_type: the elements in another dtype, or the same with another weak type.
#include "base/promotion.h"
#include "core/nodes.h"
#include "ops/convert.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static JvpResult convert_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array y = bind(self, primals, params);
  if (!y.dtype().is_inexact()) return {{y}, {zero_like(y)}};
  return {{y}, {bind(self, {tangents[0].value()}, params)}};
}
static Array convert_transpose(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  if (ct.aval() == x.aval) return ct;
  return bind(convert_element_type_p, {ct}, params.with("new_dtype", x.aval.dtype).with("weak_type", x.aval.weak_type));
}
constinit const Primitive convert_element_type_p{
    .name = "convert_element_type",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("convert_element_type", in, 1);
      check_kind("convert_element_type", in[0], kAny);
      check_kind("convert_element_type", in[0].with_dtype(params.get<DType>("new_dtype")), kAny);
      return {{in[0].shape, params.get<DType>("new_dtype"), params.get<bool>("weak_type")}};
    },
    .jvp = convert_jvp,
    .transpose = transpose_unary<convert_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      const DType dtype = params.get<DType>("new_dtype");
      Value x = operands[0];
      if (x.aval().dtype.is_complex() && !dtype.is_complex()) x = b.real(x);
      // anything -> bool is x != 0
      if (dtype.is_bool() && !x.aval().dtype.is_bool())
        x = b.compare(x, full_value(b, 0, x.aval()), ComparisonDirection::NE);
      return {b.convert(x, dtype)};
    },
    .prints_param = [](std::string_view name, const Param&, const EqnParams&) { return name != "sharding"; },
};

Array convert_type(const Array& x, DType dtype, bool weak_type) {
  const tenon::detail::ArrayNode& node = x.node("convert_element_type");
  const Aval& aval = node.aval();
  if (aval.dtype == dtype && aval.weak_type == weak_type) return x;
  if (node.kind() == tenon::detail::ArrayNode::Kind::scalar) {
    tenon::detail::check_default_int(node, dtype);
    auto& from = static_cast<const tenon::detail::ScalarNode&>(node);
    auto to = tenon::detail::make_ref<tenon::detail::ScalarNode>(Aval{{}, dtype, weak_type});
    tenon::detail::convert_elements(from.bytes, aval.dtype, to->bytes, dtype, 1);
    return Array(to);
  }
  return bind(convert_element_type_p, {x}, {{"new_dtype", dtype}, {"sharding", Param()}, {"weak_type", weak_type}});
}

Array convert_element_type(const Operand& x, DType dtype) {
  tenon::detail::SiteScope site(x.loc);
  return convert_type(x.value, canonical_dtype(dtype), false);
}

}  // namespace tenon::lax
