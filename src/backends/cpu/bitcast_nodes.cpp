// The bits of a line (one larger element, or the smaller ones that make it) are words of either side, low ones first; a
// complex number is two words. Word t of the result is a part of a word of the operand, or several of them.
#include "backends/cpu/bitcast_nodes.h"

#include <bit>

namespace tenon::cpu {
namespace {

DType unsigned_type(int bits) {
  return DType(bits <= 8 ? DType::kUInt8 : bits == 16 ? DType::kUInt16 : bits == 32 ? DType::kUInt32 : DType::kUInt64);
}

class Bitcast {
 public:
  Bitcast(Graph& graph, Parts operand, DType result, const Dims& shape)
      : graph_(graph), from_(graph.nodes[operand.re].dtype), to_(part_type(result)), shape_(shape),
        from_parts_(operand.is_complex() ? 2 : 1), to_parts_(result.is_complex() ? 2 : 1) {
    const size_t from_rank = graph.nodes[operand.re].shape.size();
    is_split_ = from_rank < shape.size();
    is_joined_ = from_rank > shape.size();
    for (const int part : {operand.re, operand.im}) words_.push_back(part < 0 ? -1 : word_of(part));
  }

  Parts run() {
    const int re = part(0);
    return to_parts_ == 2 ? Parts{re, part(1)} : Parts{re};
  }

 private:
  DType from_word() const { return unsigned_type(from_.bits()); }
  DType to_word() const { return unsigned_type(to_.bits()); }

  int word_of(int node) {  // bools are shifted when they are numbers of the result's size
    if (from_.is_bool()) return node;
    return add_scalar_node(graph_, ScalarOp::kBitcastConvert, {node}, from_word(), Dims(graph_.nodes[node].shape));
  }
  int scalar(ScalarOp op, int x, int y, DType dtype) { return add_scalar_node(graph_, op, {x, y}, dtype, shape_); }
  int number(int64_t value, DType dtype) { return add_constant(graph_, static_cast<uint64_t>(value), dtype, shape_); }

  /// The operand's word at the result's index, without the last dimension of a split, with `last` of a join.
  int at_index(int word, int64_t last) {
    if (!is_split_ && !is_joined_) return word;
    Node n = make_node(NodeKind::index_map, graph_.nodes[word].dtype, shape_, {word});
    for (size_t d = 0; d + (is_split_ ? 1 : 0) < shape_.size(); ++d) n.map.push_back({{IndexStep::dimension, static_cast<int64_t>(d)}});
    if (is_joined_) n.map.push_back({{IndexStep::constant, last}});
    return add_node(graph_, std::move(n));
  }
  /// Word s of the operand's line.
  int word_at(int64_t s) { return at_index(words_[static_cast<size_t>(s % from_parts_)], s / from_parts_); }

  /// Part q of the result.
  int part(int64_t q) {
    if (from_.bits() >= to_.bits()) return from_bits(is_split_ ? part_of_split(q) : part_of_word(q));
    const int64_t ratio = to_.bits() / from_.bits();
    int all = -1;
    for (int64_t j = 0; j < ratio; ++j) {
      const int wide = add_scalar_node(graph_, ScalarOp::kConvert, {word_at(q * ratio + j)}, to_word(), shape_);
      const int placed = j == 0 ? wide : scalar(ScalarOp::kShiftLeft, wide, number(j * from_.bits(), to_word()), to_word());
      all = j == 0 ? placed : scalar(ScalarOp::kOr, all, placed, to_word());
    }
    return add_scalar_node(graph_, ScalarOp::kBitcastConvert, {all}, to_, shape_);
  }
  int part_of_word(int64_t t) {
    const int64_t ratio = from_.bits() / to_.bits();
    const int word = word_at(t / ratio);
    if (t % ratio == 0) return word;
    return scalar(ScalarOp::kShiftRightLogical, word, number(t % ratio * to_.bits(), from_word()), from_word());
  }
  // Which word, and which part of it, depends on the last index.
  int part_of_split(int64_t q) {
    const DType word = from_word();
    const int64_t ratio = from_.bits() / to_.bits();
    Node indices = make_node(NodeKind::iota, word, shape_, {});
    indices.axis = static_cast<int64_t>(shape_.size()) - 1;
    int t = add_node(graph_, std::move(indices));
    if (to_parts_ == 2) t = scalar(ScalarOp::kAdd, scalar(ScalarOp::kShiftLeft, t, number(1, word), word), number(q, word), word);
    int value = word_at(0);
    if (from_parts_ == 2) {
      const int is_real = add_scalar_node(graph_, ScalarOp::kCompare, {t, number(ratio, word)}, DType(DType::kBool), shape_, {.comparison = kLt});
      value = add_scalar_node(graph_, ScalarOp::kSelect, {is_real, value, word_at(1)}, word, shape_);
    }
    if (ratio == 1) return value;
    const int place = scalar(ScalarOp::kAnd, t, number(ratio - 1, word), word);
    const int shift = scalar(ScalarOp::kShiftLeft, place, number(std::countr_zero(static_cast<unsigned>(to_.bits())), word), word);
    return scalar(ScalarOp::kShiftRightLogical, value, shift, word);
  }

  /// The low bits of a word of the operand as an element.
  int from_bits(int word) {
    if (to_.is_bool()) {
      if (from_.is_bool()) return word;
      const int bit = scalar(ScalarOp::kAnd, word, number(1, from_word()), from_word());
      return add_scalar_node(graph_, ScalarOp::kCompare, {bit, number(0, from_word())}, to_, shape_, {.comparison = kNe});
    }
    const int low = from_.bits() == to_.bits() ? word : add_scalar_node(graph_, ScalarOp::kConvert, {word}, to_word(), shape_);
    return add_scalar_node(graph_, ScalarOp::kBitcastConvert, {low}, to_, shape_);
  }

  Graph& graph_;
  const DType from_, to_;
  const Dims& shape_;
  const int64_t from_parts_, to_parts_;
  std::vector<int> words_;  // of the operand's parts
  bool is_split_ = false, is_joined_ = false;  // the result has one dimension more, or less
};

}  // namespace

Parts add_bitcast_nodes(Graph& graph, Parts operand, DType result, const Dims& shape) {
  return Bitcast(graph, operand, result, shape).run();
}

}  // namespace tenon::cpu
