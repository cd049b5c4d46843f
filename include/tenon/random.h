// Random numbers in the spelling of jax.random: a function of a key and a shape, the same bits as JAX gives.
//
// A key is made once by `key` and never used twice: `split` makes new ones. It is an array of dtype key<fry>;
// keys of the old form (`PRNGKey`, uint32[2]) are taken everywhere too. Each sampling function takes a single key.
// They throw TypeError for what is no key, ValueError for an array of keys or a dtype that they cannot give.
#pragma once

#include <optional>

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon::random {

/// The key of a seed: an integer scalar. Of a C++ integer the low 32 bits count (all 64 with enable_x64).
Array key(const Operand& seed);
/// The same as uint32[2].
Array PRNGKey(const Operand& seed);
template <Scalar T>
  requires std::is_integral_v<T>
Array key(T seed, Loc loc = Loc::current());
template <Scalar T>
  requires std::is_integral_v<T>
Array PRNGKey(T seed, Loc loc = Loc::current());

/// `num` new keys.
Array split(const Operand& key, int64_t num = 2);
/// An array of new keys.
Array split(const Operand& key, const Shape& shape);
/// The key of a key and a number in [0, 2^32).
Array fold_in(const Operand& key, const Operand& data);
/// The words of keys: uint32, with a last axis of size 2.
Array key_data(const Operand& keys);
/// Keys of such words.
Array wrap_key_data(const Operand& words);
/// The same key.
Array clone(const Operand& key);

/// Random bits, as an unsigned dtype (uint32 unless given; uint64 with enable_x64).
Array bits(const Operand& key, const Shape& shape = {}, std::optional<DType> dtype = {});

struct UniformOptions {
  TENON_NAMED;
  std::optional<DType> dtype = {};
  Array minval = 0.0, maxval = 1.0;
};
/// Uniform in [minval, maxval): [0, 1) unless given. The bounds broadcast to `shape`.
Array uniform(const Operand& key, const Shape& shape = {}, std::optional<DType> dtype = {});
Array uniform(const Operand& key, const Shape& shape, const UniformOptions& options);
/// Uniform integers in [minval, maxval), int32 (int64 with enable_x64) unless given; minval where there is none.
/// The bounds broadcast to `shape`.
Array randint(const Operand& key, const Shape& shape, const Operand& minval, const Operand& maxval,
              std::optional<DType> dtype = {});
/// Of mean 0 and variance 1. Floating or complex.
Array normal(const Operand& key, const Shape& shape = {}, std::optional<DType> dtype = {});
/// Of the standard Gumbel distribution.
Array gumbel(const Operand& key, const Shape& shape = {}, std::optional<DType> dtype = {});

/// True with probability p: bool, of p's shape unless one is given.
Array bernoulli(const Operand& key, const Operand& p = 0.5, const std::optional<Shape>& shape = {});

struct CategoricalOptions {
  TENON_NAMED;
  int axis = -1;
  std::optional<Shape> shape = {};
};
/// Indices along an axis, with probabilities proportional to e^logits.
///
///   shape    (default: the shape of logits without the axis) ends in that shape
Array categorical(const Operand& key, const Operand& logits, const CategoricalOptions& options = {});

struct PermutationOptions {
  TENON_NAMED;
  int axis = 0;
  bool independent = false;
};
/// The elements of x along an axis in random order; of an integer scalar n (known while tracing), 0 ... n - 1.
/// With `independent` each row has its own order.
Array permutation(const Operand& key, const Operand& x, const PermutationOptions& options = {});

struct ChoiceOptions {
  TENON_NAMED;
  bool replace = true;
  Array p = {};  // when empty, all alike
  int axis = 0;
};
/// Elements of `a` along an axis (of an integer scalar n: of 0 ... n - 1) at random, equally likely or with
/// probabilities p. Throws ValueError when there are too few.
Array choice(const Operand& key, const Operand& a, const Shape& shape = {}, const ChoiceOptions& options = {});

namespace detail_ {
Array integer_seed(int64_t seed);
}
template <Scalar T>
  requires std::is_integral_v<T>
Array key(T seed, Loc loc) {
  return key(Operand(detail_::integer_seed(static_cast<int64_t>(seed)), loc));
}
template <Scalar T>
  requires std::is_integral_v<T>
Array PRNGKey(T seed, Loc loc) {
  return PRNGKey(Operand(detail_::integer_seed(static_cast<int64_t>(seed)), loc));
}

}  // namespace tenon::random

#pragma GCC visibility pop
