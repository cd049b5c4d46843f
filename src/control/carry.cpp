#include "control/carry.h"

#include <algorithm>

#include "base/fail.h"
#include "base/promotion.h"
#include "ops/convert.h"

namespace tenon::detail {
namespace {

std::string difference(const Aval& a, const Aval& b) {
  if (a.shape == b.shape) return "the dtypes differ";
  return a.dtype == b.dtype ? "the shapes differ" : "the dtypes and the shapes differ";
}

}  // namespace

void add_path(std::vector<std::string>& paths, const std::string& path) { paths.push_back(path); }

bool same_type(const Aval& a, const Aval& b) { return a.shape == b.shape && a.dtype == b.dtype; }

void check_carry(const char* who, const ErasedTree& in, const Avals& in_avals, const ErasedTree& out, const Avals& out_avals) {
  if (in.structure != out.structure || in_avals.size() != out_avals.size())
    fail<TypeError>(who, "the body must give a carry of the structure that it takes; got ", in_avals.size(), " arrays ", in.paths, " in and ",
                    out_avals.size(), " arrays ", out.paths, " out, where a size, a key or a member that is not an Array differs");
  std::string differences;
  for (size_t i = 0; i < in_avals.size(); ++i)
    if (!same_type(in_avals[i], out_avals[i]))
      differences += text(differences.empty() ? "" : "; ", "carry", in.paths[i], " comes in as ", in_avals[i], " and goes out as ", out_avals[i], " (",
                          difference(in_avals[i], out_avals[i]), ")");
  if (!differences.empty())
    fail<TypeError>(who, "the body must give a carry of the types that it takes: ", differences,
                    "; revise the body, or the initial value, so that all output types match the input types");
}

void check_branches(const char* who, const std::string& first, const std::string& second, const ErasedTree& a, const Avals& a_avals, const ErasedTree& b,
                    const Avals& b_avals) {
  if (a.structure != b.structure || a_avals.size() != b_avals.size())
    fail<TypeError>(who, "the branches must give trees of one structure; got ", a_avals.size(), " arrays ", a.paths, " from ", first, " and ",
                    b_avals.size(), " arrays ", b.paths, " from ", second, ", where a size, a key or a member that is not an Array differs");
  std::string differences;
  for (size_t i = 0; i < a_avals.size(); ++i)
    if (!same_type(a_avals[i], b_avals[i]))
      differences += text(differences.empty() ? "" : "; ", "result", a.paths[i], " is ", a_avals[i], " from ", first, " and ", b_avals[i], " from ", second,
                          " (", difference(a_avals[i], b_avals[i]), ")");
  if (!differences.empty())
    fail<TypeError>(who, "the branches must give results of the same types: ", differences, "; revise ", first, " or ", second,
                    " so that all output types match");
}

void check_like(const char* who, const std::string& what, const std::string& of, const ErasedTree& wanted, const Avals& wanted_avals, const ErasedTree& got,
                const Avals& got_avals) {
  if (wanted.structure != got.structure || wanted_avals.size() != got_avals.size())
    fail<TypeError>(who, what, " must give a tree of the structure of ", of, "; got ", got_avals.size(), " arrays ", got.paths, " where ", of, " has ",
                    wanted_avals.size(), " ", wanted.paths, ", and a size, a key or a member that is not an Array differs");
  std::string differences;
  for (size_t i = 0; i < wanted_avals.size(); ++i)
    if (!same_type(wanted_avals[i], got_avals[i]))
      differences += text(differences.empty() ? "" : "; ", of, wanted.paths[i], " is ", wanted_avals[i], " and its result", got.paths[i], " is ", got_avals[i],
                          " (", difference(wanted_avals[i], got_avals[i]), ")");
  if (!differences.empty()) fail<TypeError>(who, what, " must give the types of ", of, ": ", differences);
}

bool promote_weak(Arrays& values, const Avals& results) {
  bool changed = false;
  for (size_t i = 0; i < values.size() && i < results.size(); ++i) {
    const Aval aval = values[i].aval();
    if (!aval.weak_type || same_type(aval, results[i])) continue;
    const Aval met[] = {aval, results[i]};
    values[i] = lax::convert_type(values[i], promote(met, "carry").dtype, false);
    changed = true;
  }
  return changed;
}

}  // namespace tenon::detail
