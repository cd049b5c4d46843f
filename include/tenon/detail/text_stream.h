// Printing into a std::ostream without including it.
#pragma once

#pragma GCC visibility push(default)

namespace tenon::detail {

/// A std::ostream, or what is like one.
template <class S>
concept TextStream = requires(S& out) {
  out.put('x');
  out.flush();
};

}  // namespace tenon::detail

#pragma GCC visibility pop
