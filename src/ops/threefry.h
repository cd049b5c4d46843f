// The counter-based generator behind random keys (threefry2x32, 20 rounds), for lowering rules.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include "ops/rules.h"

namespace tenon::lax {

/// Two words for each pair of words (counts) under a key: a call of the private function threefry2x32.
/// All uint32 and of one shape, where the key's words may be scalars.
Values threefry2x32(StablehloBuilder& b, const Value& key0, const Value& key1, const Value& count0, const Value& count1);

/// The first and the second words of keys: the last axis of `keys`, which goes. Kept as an axis of
/// size 1 where `keep_axis`.
Values key_words(StablehloBuilder& b, const Value& keys, bool keep_axis = false);

/// The row-major position of each element of `shape`, high and low 32 bits.
Values counts_of(StablehloBuilder& b, const Shape& shape);

/// The words of the key that an integer seed makes: its high and low 32 bits, along a new last axis.
Value seed_words(StablehloBuilder& b, const Value& seed);

/// `words` (two of one shape) for each element of `shape` under each of `keys`.
Values random_words(StablehloBuilder& b, const Value& keys, const Shape& shape);

/// Throws TypeError unless the operand is an array of keys.
void check_keys(const char* who, const Aval& operand);

/// The axes of `first`, then those of `shape`.
Shape appended(Shape first, const Shape& shape);
/// All axes but the last.
Shape without_last(const Shape& shape);

}  // namespace tenon::lax
