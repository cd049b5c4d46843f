#include "ops/differentiate.h"

#include "base/fail.h"
#include "core/nodes.h"
#include "ops/convert.h"
#include "tenon/detail/host.h"

namespace tenon::detail {

ShapedArray tangent_aval(const ShapedArray& aval) {
  return aval.dtype.is_inexact() ? aval : ShapedArray{aval.shape, DType(DType::kFloat0), false};
}

Array instantiate(const Tangent& tangent) {
  if (!tangent.is_zero()) return tangent.value();
  if (tangent.aval().dtype.code() == DType::kFloat0) {  // has no elements that could be computed
    const std::vector<unsigned char> nothing(static_cast<size_t>(tangent.aval().nbytes()));
    return array_from_host(nothing.data(), tangent.aval());
  }
  const Ref<ArrayNode> node = make_scalar(int64_t{0}, tangent.aval().dtype, tangent.aval().weak_type);
  static_cast<ScalarNode&>(*node).is_residual = true;
  const Array zero(node);
  return tangent.aval().shape.empty() ? zero : lax::broadcast_in_dim(zero, tangent.aval().shape, {});
}

Tangent add_tangents(const Tangent& x, const Tangent& y) {
  if (x.is_zero()) return y;
  if (y.is_zero()) return x;
  return lax::add_any(x.value(), y.value());
}

}  // namespace tenon::detail

namespace tenon::lax {

Array broadcast_like(const Array& x, const Array& y) {
  const Shape shape = y.shape(), from = x.shape();
  if (from == shape) return x;
  Axes kept;
  std::vector<int64_t> sizes;
  for (int i = 0; i < x.ndim(); ++i) {
    if (from[i] != shape[i]) continue;
    kept.push_back(i);
    sizes.push_back(from[i]);
  }
  return broadcast_in_dim(reshape(x, Shape(sizes)), shape, kept);
}

Array unbroadcast(const ShapedArray& aval, const Array& cotangent) {
  const Shape& from = aval.shape;
  const Shape to = cotangent.shape();
  if (from == to) return cotangent;
  Axes summed, repeated;
  for (int i = 0; i < to.ndim(); ++i) {
    if (from.ndim() == 0) summed.push_back(i);
    else if (from[i] != to[i]) repeated.push_back(i);
  }
  if (from.ndim() == 0) return reduce_sum(cotangent, summed);
  return reshape(reduce_sum(cotangent, repeated), from);
}

JvpResult jvp_sum(std::span<const OperandJvp> rules, const Primitive& self, const Arrays& primals, const Tangents& tangents,
                  const EqnParams& params) {
  TENON_CHECK(rules.size() == primals.size(), self.name());
  const Array result = bind(self, primals, params);
  Tangent sum = zero_like(result);
  for (size_t i = 0; i < rules.size(); ++i)
    if (rules[i] && !tangents[i].is_zero()) sum = add_tangents(sum, rules[i](tangents[i].value(), result, primals, params));
  return {{result}, {sum}};
}

JvpResult jvp_zero(const Primitive& self, const Arrays& primals, const Tangents&, const EqnParams& params) {
  JvpResult out{bind_all(self, primals, params), {}};
  for (const Array& result : out.primals) out.tangents.push_back(zero_like(result));
  return out;
}

JvpResult jvp_linear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  JvpResult out{bind_all(self, primals, params), {}};
  Arrays operands;
  for (const Tangent& tangent : tangents) operands.push_back(instantiate(tangent));
  for (Array& result : bind_all(self, operands, params)) out.tangents.emplace_back(std::move(result));
  return out;
}

JvpResult jvp_bilinear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array result = bind(self, primals, params);
  Tangent sum = zero_like(result);
  if (!tangents[0].is_zero()) sum = add_tangents(sum, bind(self, {tangents[0].value(), primals[1]}, params));
  if (!tangents[1].is_zero()) sum = add_tangents(sum, bind(self, {primals[0], tangents[1].value()}, params));
  return {{result}, {sum}};
}

}  // namespace tenon::lax
