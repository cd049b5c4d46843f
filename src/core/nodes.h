// What an Array can point to, besides a tracer: a scalar, a buffer, an abstract argument.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "tenon/array.h"
#include "tenon/backend.h"

namespace tenon::detail {

/// A value known on the host, of rank 0. Becomes a literal in a jaxpr, and a buffer when a
/// program needs one.
class ScalarNode final : public ArrayNode {
 public:
  ScalarNode(const ShapedArray& aval) : ArrayNode(Kind::scalar, aval) {}
  /// Representation in the dtype; the first itemsize() bytes count.
  alignas(16) unsigned char bytes[16] = {};
  /// The C++ number as it was written: a weak 0.1 prints as 0.1, and not as the nearest float32.
  std::optional<double> written;
  /// A zero in the place of a tangent that is none, or a number of a transposed program (see JaxprTrace::capture_residuals).
  bool is_residual = false;
  /// Its buffer on the default device, made at the first call.
  BufferRef buffer() const;
  ~ScalarNode() override;

 private:
  mutable std::atomic<Buffer*> buffer_{nullptr};
};

class ConcreteNode final : public ArrayNode {
 public:
  /// `layout`: in which `buffer` is; empty: row-major.
  ConcreteNode(ShapedArray aval, BufferRef buffer, bool committed = false, const Layout& layout = {});
  /// Empty: row-major.
  Layout layout() const { return other_layout_ ? other_layout_->layout : Layout(); }
  /// `buffer`, or a copy of it, made when it is first asked for.
  BufferRef row_major() const;
  /// The copy too.
  void mark_deleted() const;

  const BufferRef buffer;
  const bool committed;  // put on its device by the user

 private:
  struct OtherLayout {
    Layout layout;
    std::mutex mutex;  // of `row_major`
    BufferRef row_major;
  };
  const std::unique_ptr<OtherLayout> other_layout_;  // null: row-major
};

class AbstractNode final : public ArrayNode {
 public:
  explicit AbstractNode(ShapedArray aval) : ArrayNode(Kind::abstract, std::move(aval)) {}
};

/// The row-major buffer of a concrete array or scalar. Throws for tracers and abstract arrays.
BufferRef buffer_of(const Array& array, const char* who);
Array array_of(BufferRef buffer, ShapedArray aval);
/// What is known of each.
Avals avals_of(const Arrays& xs);

/// Converts one element between representations as astype does (saturating float -> int,
/// wrapping int -> int, NaN -> 0).
void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, int64_t count);

/// Throws ValueError when one of the integers at `data` is outside the range of the integer dtype `to`. For numbers of
/// a program's text; those of arrays wrap.
void check_integers_fit(const char* who, const void* data, DType from, int64_t count, DType to);
/// The same for a C++ integer on its way to an integer dtype; nothing for any other array or dtype.
void check_scalar_fits(const char* who, const Array& x, DType to);
/// Throws ValueError for a C++ integer that the default int cannot hold, unless it is on its way to an integer dtype
/// which can.
void check_default_int(const ArrayNode& node);
void check_default_int(const ArrayNode& node, DType to);

}  // namespace tenon::detail
