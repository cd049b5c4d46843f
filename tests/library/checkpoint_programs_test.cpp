// The programs of checkpoint_programs.py: what a derivative keeps, and what it computes again.
#include "derivatives.h"

namespace tenon::test {
namespace {

using Policy = CheckpointPolicy;
const Policy kEverything = Policy::everything_saveable, kDots = Policy::dots_saveable, kUnbatched = Policy::dots_with_no_batch_dims_saveable;

template <class F>
auto again(F f) { return checkpoint(f); }
template <class F>
auto again(F f, const Policy& policy) { return checkpoint(f, {.policy = policy}); }
template <class F>
auto unnamed(F f) { return jit(f, {.name = "<lambda>"}); }

Array ones(Shape shape) { return jnp::ones(shape); }
Array twice(Array x) { return jnp::sin(jnp::sin(x)); }
Array layers(Array w, Array x) {
  for (int i = 0; i < 2; ++i) x = jnp::tanh(jnp::dot(w, x));
  return x.sum();
}
Array named(Array x) {
  const Array y = checkpoint_name(jnp::sin(x), "y");
  return jnp::sin(checkpoint_name(jnp::sin(y), "z"));
}
Array batched(Array a, Array b) {
  const Array s = jnp::sin(b);
  return jnp::sin(jnp::einsum("bij,bjk->bik", a, s)).sum();
}
auto dense_step(Array w) {
  return [w](Array c, Empty) { return std::pair{jnp::tanh(jnp::dot(w, c)), Empty{}}; };
}
Array loop(Array x) {
  return jnp::sin(lax::scan([](Array c, Empty) { return std::pair{jnp::sin(c), Empty{}}; }, x, Empty{}, {.length = 3}).first);
}
Array product(Array x, Array y) {
  const Array s = jnp::sin(x);
  return s * jnp::sin(y);
}

Array block(Array w, Array x) {
  Array h = nn::silu(jnp::matmul(x, w));
  h = h - h.mean({.axis = -1, .keepdims = true});
  return x + nn::gelu(jnp::matmul(h, w)) * 0.5;
}
auto blocks(const CheckpointOptions& options) {
  return [options](Array w, Array x) {
    for (int i = 0; i < 2; ++i) x = checkpoint(block, options)(w, x);
    return nn::logsumexp(x);
  };
}
Array attention(Array q, Array k, Array v) {
  const Array s = jnp::einsum("bij,bkj->bik", q, k);
  return jnp::einsum("bik,bkj->bij", nn::softmax(s, -1), v).sum();
}
Array model(Array w, Array x) { return jnp::power(block(w, block(w, x)), 2).sum(); }
Array masked(Array x) {
  const Array l = x * jnp::arange(3), positive = x > 0;
  return (l * jnp::where(positive, x, 2.0)).sum();
}

}  // namespace

const std::vector<Golden>& checkpoint_programs() {
  static const std::vector<Golden> all = {
      {"checkpoint_everything", [] { return show(grad(again(twice, kEverything)), 1.0); }},
      {"checkpoint_nothing", [] { return show(grad(again(twice, Policy::nothing_saveable)), 1.0); }},
      {"checkpoint_layers", [] { return show(grad<0, 1>(again(layers)), ones({3, 3}), v()); }},
      {"checkpoint_layers_dots", [] { return show(grad<0, 1>(again(layers, kDots)), ones({3, 3}), v()); }},
      {"checkpoint_layers_first", [] { return show(grad(again(layers, kDots)), ones({3, 3}), v()); }},
      {"checkpoint_layers_unbatched", [] { return show(grad<0, 1>(again(layers, kUnbatched)), ones({3, 3}), v()); }},
      {"checkpoint_layers_everything", [] { return show(grad<0, 1>(again(layers, kEverything)), ones({3, 3}), v()); }},
      {"checkpoint_batched_dots", [] { return show(grad<0, 1>(again(batched, kDots)), ones({2, 3, 3}), ones({2, 3, 3})); }},
      {"checkpoint_batched_unbatched", [] { return show(grad<0, 1>(again(batched, kUnbatched)), ones({2, 3, 3}), ones({2, 3, 3})); }},
      {"checkpoint_names", [] { return show(grad(again(named, Policy::save_only_these_names({"y"}))), 1.0); }},
      {"checkpoint_names_without_policy", [] { return show(grad(again(named)), 1.0); }},
      {"checkpoint_names_elsewhere", [] { return show(grad(named), 1.0); }},
      {"checkpoint_names_forward", [] { return show(again(named, Policy::save_only_these_names({"y", "z"})), 1.0); }},
      {"checkpoint_names_batched", [] { return show(vmap(grad(again(named, Policy::save_only_these_names({"z"})))), v()); }},
      {"checkpoint_other_names", [] { return show(grad(again(named, Policy::save_any_names_but_these({"y"}))), 1.0); }},
      {"checkpoint_all_but_names", [] { return show(grad(again(named, Policy::save_anything_except_these_names({"y"}))), 1.0); }},
      {"checkpoint_both_policies", [] {
         const auto f = [](Array w, Array x) { return named(jnp::dot(w, x)).sum(); };
         return show(grad(again(f, Policy::save_from_both_policies(kDots, Policy::save_only_these_names({"z"})))), ones({3, 3}), v());
       }},
      {"checkpoint_nested", [] { return show(grad(again([](Array x) { return again(twice)(jnp::cos(x)); })), 1.0); }},
      {"checkpoint_in_scan", [] {
         const auto f = [](Array w, Array x) { return lax::scan(again(dense_step(w)), x, Empty{}, {.length = 4}).first.sum(); };
         return show(grad(f), ones({3, 3}), v());
       }},
      {"checkpoint_in_scan_dots", [] {
         const auto f = [](Array w, Array x) { return lax::scan(again(dense_step(w), kDots), x, Empty{}, {.length = 4}).first.sum(); };
         return show(grad(f), ones({3, 3}), v());
       }},
      {"checkpoint_in_jit", [] { return show(grad(unnamed(again(layers, kDots))), ones({3, 3}), v()); }},
      {"checkpoint_of_jit", [] { return show(grad(again([](Array x) { return jnp::sin(unnamed(&twice)(x)); })), 1.0); }},
      {"checkpoint_of_scan", [] { return show(grad(again(loop)), 1.0); }},
      {"checkpoint_of_scan_everything", [] { return show(grad(again(loop, kEverything)), 1.0); }},
      {"checkpoint_of_while", [] {
         return show([](Array y) {
           const auto f = [y](Array x) {
             const Array last = lax::while_loop([](Array c) { return c < 10; }, [](Array c) { return c * 2; }, y);
             return x * jnp::sin(last);
           };
           return grad(again(f, kEverything))(1.0);
         }, 1.0);
       }},
      {"checkpoint_vmap_of_grad", [] { return show(vmap(grad(again(twice, kEverything))), v()); }},
      {"checkpoint_grad_of_vmap", [] { return show(grad([](Array x) { return vmap(again(twice, kEverything))(x).sum(); }), v()); }},
      {"checkpoint_second", [] { return show(grad(grad(again(twice))), 1.0); }},
      {"checkpoint_hessian", [] { return show(hessian(again([](Array x) { return jnp::sin(x).sum(); })), v()); }},
      {"checkpoint_jvp", [] { return show([](Array x) { return jvp(again(twice, kEverything), std::tuple{x}, std::tuple{x}); }, 1.0); }},
      {"checkpoint_relu", [] { return show(grad(again([](Array x) { return nn::relu(jnp::sin(x)) * 2; }, kEverything)), 1.0); }},
      {"checkpoint_softmax", [] { return show(grad(again([](Array x) { return nn::softmax(x)(0); }, kEverything)), v()); }},
      {"checkpoint_two_results", [] {
         return show([](Array x) {
           const auto both = [](Array x) {
             const Array s = jnp::sin(x);
             return std::pair{s, jnp::cos(x) * 2};
           };
           return vjp(again(both, kEverything), x).second(std::pair{x, x});
         }, 1.0);
       }},
      {"checkpoint_closure", [] {
         return show([](Array y) { return grad(again([y](Array x) { return jnp::sin(x * y) * y; }, kEverything))(1.0); }, 1.0);
       }},
      {"checkpoint_captures_constant", [] {
         return show(grad(again([](Array x) { return (jnp::sin(x) * v()).sum(); })), v());
       }},
      {"checkpoint_one_argument", [] { return show(grad(again(product, kEverything)), 1.0, 2.0); }},
      {"checkpoint_one_argument_again", [] { return show(grad(again(product)), 1.0, 2.0); }},
      {"checkpoint_half", [] {
         const auto f = [](Array x) {
           const Array s = jnp::sin(x);
           return jnp::sin(s * jnp::sin(x)).sum();
         };
         return show(grad(again(f, kEverything)), v().astype(jnp::bfloat16));
       }},
      {"checkpoint_silu", [] { return show(grad(again([](Array x) { return nn::silu(jnp::sin(x)) * 2; })), 1.0); }},
      {"checkpoint_of_jit_everything", [] {
         return show(grad(again([](Array x) { return jnp::sin(unnamed(&twice)(x)); }, kEverything)), 1.0);
       }},
      {"checkpoint_masked", [] { return show(grad(again(masked, kEverything)), v()); }},
      {"checkpoint_model", [] { return show(grad(again(model)), ones({3, 3}), ones({3, 3})); }},
      {"checkpoint_model_dots", [] { return show(grad<0, 1>(again(model, kDots)), ones({3, 3}), ones({3, 3})); }},
      {"checkpoint_model_everything", [] { return show(grad(again(model, kEverything)), ones({3, 3}), ones({3, 3})); }},
      {"checkpoint_blocks", [] { return show(grad(blocks({})), ones({3, 3}), ones({3, 3})); }},
      {"checkpoint_blocks_unbatched", [] { return show(grad(blocks({.policy = kUnbatched})), ones({3, 3}), ones({3, 3})); }},
      {"checkpoint_blocks_in_scan", [] {
         const auto f = [](Array w, Array x) {
           const auto step = [w](Array c, Empty) { return std::pair{again(block, kDots)(w, c), Empty{}}; };
           return lax::scan(step, x, Empty{}, {.length = 3}).first.sum();
         };
         return show(grad(f), ones({3, 3}), ones({3, 3}));
       }},
      {"checkpoint_blocks_batched", [] {
         const auto f = [](Array w, Array x) { return again(block, kDots)(w, x).sum(); };
         return show(vmap(grad(f), {.in_axes = {none, 0}}), ones({3, 3}), ones({2, 3, 3}));
       }},
      {"checkpoint_attention", [] { return show(grad<0, 1, 2>(again(attention)), ones({2, 3, 3}), ones({2, 3, 3}), ones({2, 3, 3})); }},
      {"checkpoint_attention_dots", [] {
         return show(grad<0, 1, 2>(again(attention, kDots)), ones({2, 3, 3}), ones({2, 3, 3}), ones({2, 3, 3}));
       }},
      {"checkpoint_clip", [] {
         const auto f = [](Array x) {
           const Array c = jnp::clip(x, 0, 2);
           return (c * x).sum();
         };
         return show(grad(again(f, kEverything)), v());
       }},
      {"checkpoint_variance", [] {
         const auto f = [](Array x) {
           const Array variance = jnp::var(x);
           return variance + jnp::std(x);
         };
         return show(grad(again(f)), v());
       }},
      {"checkpoint_silu_second", [] {
         const auto f = [](Array x) {
           const Array s = nn::silu(x);
           return (s * x).sum();
         };
         return show(grad([f](Array x) { return grad(again(f))(x).sum(); }), v());
       }},
      {"checkpoint_without_barrier", [] { return show(grad(checkpoint(twice, {.prevent_cse = false})), 1.0); }},
  };
  return all;
}

}  // namespace tenon::test
