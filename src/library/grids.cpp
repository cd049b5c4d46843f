// meshgrid: coordinates of the points of a grid.
#include <utility>

#include "base/fail.h"
#include "library/promote.h"

namespace tenon::jnp {

Arrays meshgrid(const Arrays& xs, const MeshgridOptions& options, Loc loc) {
  detail::FunctionScope site(loc);
  Arrays in = xs;
  for (const Array& x : in)
    if (x.ndim() != 1) fail<ValueError>("meshgrid", "takes vectors; got ", x.aval());
  const bool swaps = options.indexing == Indexing::xy && in.size() > 1;
  if (swaps) std::swap(in[0], in[1]);
  Shape all;
  for (const Array& x : in) all.push_back(options.sparse ? 1 : x.size());
  Arrays out;
  for (size_t i = 0; i < in.size(); ++i) {
    Shape shape = all;
    shape[static_cast<int64_t>(i)] = in[i].size();
    out.push_back(lax::broadcast_in_dim(in[i], shape, Axes(static_cast<int>(i))));
  }
  if (swaps) std::swap(out[0], out[1]);
  return out;
}

}  // namespace tenon::jnp
