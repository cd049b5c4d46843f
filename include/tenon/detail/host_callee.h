// What a program calls on the host while it runs.
#pragma once

#include "tenon/detail/ref.h"

#pragma GCC visibility push(default)

namespace tenon::detail {

/// A function of the host with the shapes and dtypes of one call of it. Any thread, many at once.
class HostCallee : public RefCounted {
 public:
  virtual ~HostCallee() = default;
  /// Pointers to dense row-major elements: those of the operands, and where those of the results go.
  /// Throws RuntimeError for what the function throws, and TypeError or ShapeError for results of another type.
  virtual void call(const void* const* operands, void* const* results) const = 0;
};
using HostCalleeRef = Ref<const HostCallee>;

}  // namespace tenon::detail

#pragma GCC visibility pop
