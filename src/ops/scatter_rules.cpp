#include "ops/scatter_rules.h"

#include "base/fail.h"
#include "ops/convert.h"

namespace tenon::lax {
namespace {

// A scatter, and the gather from where it writes.
struct Places {
  const Array& indices;
  ScatterDimensionNumbers dims;
  ScatterOptions options;
  Shape sizes, updates_shape;
  bool fits = true;  // else nothing is written

  Places(const Array& at, const Shape& operand, const Shape& updates, const EqnParams& params)
      : indices(at), dims(params.get<ScatterDimensionNumbers>("dimension_numbers")), updates_shape(updates) {
    options.indices_are_sorted = params.get<bool>("indices_are_sorted");
    options.unique_indices = params.get<bool>("unique_indices");
    options.mode = params.get<GatherScatterMode>("mode");
    size_t next = 0;
    for (int axis = 0; axis < operand.ndim(); ++axis) {
      const bool lacks = dims.inserted_window_dims.contains(axis) || dims.operand_batching_dims.contains(axis);
      sizes.push_back(lacks ? 1 : updates[dims.update_window_dims[next++]]);
      fits &= sizes[axis] <= operand[axis];
    }
  }
  // 0 where nothing is written.
  Array read_cotangent(const Array& ct) const {
    if (!fits) return full(updates_shape, 0, ct.dtype());
    return bind(gather_p, {ct, indices}, gather_params(inverse(dims), sizes, options.mode, 0));
  }
  // The gather with all that the scatter promises.
  Array read(const Array& x) const {
    GatherOptions same;
    same.indices_are_sorted = options.indices_are_sorted;
    same.unique_indices = options.unique_indices;
    same.mode = options.mode;
    return gather(x, indices, inverse(dims), sizes, same);
  }
  Array add(const Array& x, const Array& updates) const { return scatter_add(x, indices, updates, dims, options); }
};

Places places_of(const LinearOperands& operands, const EqnParams& params) {
  return Places(operands[1].value, operands[0].aval.shape, operands[2].aval.shape, params);
}

Array zeros_like(const Array& x) { return full_like(x, 0); }

}  // namespace

JvpResult jvp_scatter_linear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array result = bind(self, primals, params);
  const Array x = instantiate(tangents[0]), updates = instantiate(tangents[2]);
  return {{result}, {bind(self, {x, primals[1], updates}, params)}};
}

template <bool negates>
Cotangents transpose_scatter_linear(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands,
                                    const EqnParams& params) {
  Cotangents out(3, Cotangent::zero(operands[0].aval));
  out[0] = cotangents[0];
  if (!operands[2].linear) return out;
  const Array updates = places_of(operands, params).read_cotangent(cotangents[0].value());
  out[2] = negates ? neg(updates) : updates;
  return out;
}
template Cotangents transpose_scatter_linear<false>(const Primitive&, const Cotangents&, const LinearOperands&, const EqnParams&);
template Cotangents transpose_scatter_linear<true>(const Primitive&, const Cotangents&, const LinearOperands&, const EqnParams&);

static void check_unique(const EqnParams& params) {
  if (!params.get<bool>("unique_indices"))
    fail<UnimplementedError>("scatter_mul", "a derivative by updates needs unique indices; set unique_indices");
}

JvpResult jvp_scatter_mul(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array result = bind(self, primals, params);
  Tangent sum = zero_like(result);
  if (!tangents[0].is_zero()) sum = bind(self, {tangents[0].value(), primals[1], primals[2]}, params);
  if (!tangents[2].is_zero()) {
    check_unique(params);
    const Array zeros = zeros_like(primals[0]);
    const Array factors = Places(primals[1], primals[0].shape(), primals[2].shape(), params).add(zeros, tangents[2].value());
    sum = add_tangents(sum, mul(primals[0], factors));
  }
  return {{result}, {sum}};
}

Cotangents transpose_scatter_mul(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                                 const EqnParams& params) {
  const Array& ct = cotangents[0].value();
  Cotangents out(3, Cotangent::zero(operands[0].aval));
  if (operands[0].linear) out[0] = bind(self, {ct, operands[1].value, operands[2].value}, params);
  if (!operands[2].linear) return out;
  check_unique(params);
  const Array product = mul(ct, operands[0].value);
  out[2] = places_of(operands, params).read_cotangent(product);
  return out;
}

// Of updates that fall on one place the last wins, so we ask who did: each gets a number from 1 on, which is
// scattered and gathered again. What is left then does not overlap, and a sum serves for both results; its
// transpose needs no unique indices.
static JvpResult jvp_scatter_winners(const Arrays& primals, const Array& x_tangent, const Array& updates_tangent, const EqnParams& params) {
  const Array &x = primals[0], &indices = primals[1], &updates = primals[2];
  const Places places(indices, x.shape(), updates.shape(), params);
  if (!places.fits) return {{x}, {x_tangent}};
  Shape numbers_shape = updates.shape();
  for (int64_t axis : places.dims.update_window_dims) numbers_shape[axis] = 1;
  const DType dtype = jnp::uint32;
  const Array from_zero = reshape(iota(dtype, numbers_shape.num_elements()), numbers_shape);
  const Array numbers = add(from_zero, full_like(updates, 1, dtype));
  const Array scattered = scatter(full(x.shape(), 0, dtype), indices, numbers, places.dims, places.options);
  const Array gathered = gather(scattered, indices, inverse(places.dims), places.sizes);

  auto untouched = [&](const Array& value) {
    const Array nobody = eq(scattered, zeros_like(scattered));
    return select(nobody, value, zeros_like(value));
  };
  auto winning = [&](const Array& value) {
    const Array wins = eq(numbers, gathered);
    return select(wins, value, zeros_like(value));
  };
  const Array x_left = untouched(x), updates_left = winning(updates);
  const Array x_tangent_left = untouched(x_tangent), updates_tangent_left = winning(updates_tangent);
  const Array result = places.add(x_left, updates_left);
  return {{result}, {places.add(x_tangent_left, updates_tangent_left)}};
}

JvpResult jvp_scatter(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  if (!params.at("update_jaxpr").is_none()) fail<UnimplementedError>("scatter_apply", "no rule of differentiation");
  const Array x = instantiate(tangents[0]), updates = instantiate(tangents[2]);
  if (!params.get<bool>("unique_indices")) return jvp_scatter_winners(primals, x, updates, params);
  const Array result = bind(self, primals, params);
  return {{result}, {bind(self, {x, primals[1], updates}, params)}};
}

Cotangents transpose_scatter(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                             const EqnParams& params) {
  if (!params.get<bool>("unique_indices"))
    fail<UnimplementedError>("scatter", "the transpose needs unique indices; set unique_indices");
  const Array& ct = cotangents[0].value();
  Cotangents out(3, Cotangent::zero(operands[0].aval));
  if (operands[0].linear) {
    const Array zeros = full(operands[2].aval.shape, 0, ct.dtype());
    out[0] = bind(self, {ct, operands[1].value, zeros}, params);
  }
  if (operands[2].linear) out[2] = places_of(operands, params).read_cotangent(ct);
  return out;
}

JvpResult jvp_scatter_extreme(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array &x = primals[0], &indices = primals[1], &updates = primals[2];
  const Array result = bind(self, primals, params);
  const Array x_tangent = instantiate(tangents[0]), updates_tangent = instantiate(tangents[2]);
  const Places places(indices, x.shape(), updates.shape(), params);
  if (!places.fits) return {{result}, {x_tangent}};
  const Array one = constant_like(x, 1);
  const Array before = places.read(x);
  const Array after = places.read(result);
  const Array wins = eq(updates, after);
  const Array stays = eq(before, after);
  // How many updates of each place win, and how many there are.
  auto count = [&](auto counted) {
    const Array zeros = zeros_like(x);
    return places.read(places.add(zeros, counted()));
  };
  const Array winners = count([&] {
    const Array ones = full_like(updates, 1);
    return select(wins, ones, zeros_like(updates));
  });
  const Array all = count([&] { return full_like(updates, 1); });
  const Array share_with_x = div(one, add(winners, one));
  const Array share = select(stays, share_with_x, div(one, winners));
  const Array updates_share = select(wins, share, zeros_like(updates));
  const Array own_share = div(one, add(winners, one));
  const Array x_share = select(stays, own_share, zeros_like(winners));
  const Array change = div(add(constant_like(x, -1), x_share), all);
  const Array there = places.read(x_tangent);
  const Array kept = mul(there, change);
  return {{result}, {places.add(x_tangent, add(kept, mul(updates_tangent, updates_share)))}};
}

BatchResult batch_scatter(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params) {
  Arrays values = operands;
  values[0] = batch_at_front(operands[0], axes[0], axis.size);
  values[2] = batch_at_front(operands[2], axes[2], axis.size);
  ScatterDimensionNumbers dims = params.get<ScatterDimensionNumbers>("dimension_numbers");
  for (Axes* each : {&dims.update_window_dims, &dims.inserted_window_dims, &dims.scatter_dims_to_operand_dims, &dims.operand_batching_dims})
    *each = batched_axes(*each, 0);
  if (axes[1] == kNotMapped) {  // each window is one of all elements
    dims.update_window_dims = with_first(0, dims.update_window_dims);
  } else {  // paired
    values[1] = move_axis(operands[1], axes[1], 0);
    dims.operand_batching_dims = with_first(0, dims.operand_batching_dims);
    dims.scatter_indices_batching_dims = with_first(0, batched_axes(dims.scatter_indices_batching_dims, 0));
  }
  return {{bind(self, values, params.with("dimension_numbers", dims))}, {0}};
}

}  // namespace tenon::lax
