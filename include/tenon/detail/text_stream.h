// Printing into a std::ostream without including it.
#pragma once

namespace tenon::detail {

/// A std::ostream, or what is like one.
template <class S>
concept TextStream = requires(S& out) {
  out.put('x');
  out.flush();
};

}  // namespace tenon::detail
