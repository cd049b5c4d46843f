// Trees: paths of leaves, structures as text, and where two of them differ.
#include "tenon/tree.h"

#include "base/fail.h"

namespace tenon {
namespace detail {

std::string path_of_item(const std::string& path, int64_t index) { return path + "[" + std::to_string(index) + "]"; }
std::string path_of_item(const std::string& path, std::string_view key) { return path + "['" + std::string(key) + "']"; }
void append(Arrays& list, const Array& array) { list.push_back(array); }
void reserve(Arrays& list, size_t count) { list.reserve(count); }

void check_leaf_count(size_t expected, size_t got) {
  if (expected != got) fail<ValueError>("tree::unflatten", "the tree has ", expected, " leaves; got ", got);
}
void check_same_structure(const std::vector<tree::Structure>& structures) {
  for (size_t i = 1; i < structures.size(); ++i)
    if (const std::string where = structures[0].difference(structures[i]); !where.empty())
      fail<ValueError>("tree::map", "the trees must have one structure; tree 0 and tree ", i, " differ: ", where);
}

}  // namespace detail

namespace tree {

void Structure::add(Kind kind, const std::string& path, size_t children, std::string label, std::string key) {
  nodes_.push_back({kind, children, path, std::move(label), std::move(key)});
  num_leaves_ += kind == Kind::leaf;
}
void Structure::add_key(std::string key) { nodes_.back().keys.push_back(std::move(key)); }

std::vector<std::string> Structure::leaf_paths() const {
  std::vector<std::string> paths;
  for (const Node& node : nodes_)
    if (node.kind == Kind::leaf) paths.push_back(node.path);
  return paths;
}

void Structure::print(std::string& out, size_t& at) const {
  const Node& node = nodes_[at++];
  const auto items = [&](const char* open, const char* close) {
    out += open;
    for (size_t i = 0; i < node.children; ++i) {
      if (i > 0) out += ", ";
      if (node.kind == Kind::dictionary) out += node.keys[i] + ": ";
      print(out, at);
    }
    if (node.kind == Kind::tuple && node.children == 1) out += ",";
    out += close;
  };
  switch (node.kind) {
    case Kind::leaf: out += "*"; return;
    case Kind::none: out += "None"; return;
    case Kind::value: out += node.label; return;
    case Kind::tuple: return items("(", ")");
    case Kind::list: return items("[", "]");
    case Kind::dictionary: return items("{", "}");
    case Kind::record: return items(("CustomNode(" + node.label + ", [").c_str(), "])");
  }
  TENON_CHECK(false);
}
std::string Structure::str() const {
  std::string out = "PyTreeDef(";
  size_t at = 0;
  print(out, at);
  return out + ")";
}

std::string Structure::Node::what() const {
  switch (kind) {
    case Kind::leaf: return "an Array";
    case Kind::none: return "an empty optional";
    case Kind::value: return "the value " + label;
    case Kind::tuple: return "a tuple of " + std::to_string(children);
    case Kind::list: return "a list of " + std::to_string(children);
    case Kind::record: return label + " with " + std::to_string(children) + " members";
    case Kind::dictionary: {
      std::string text = "a map with the keys";
      for (const std::string& k : keys) text += " " + k;
      return keys.empty() ? "an empty map" : text;
    }
  }
  TENON_CHECK(false);
}
std::string Structure::difference(const Structure& other) const {
  for (size_t i = 0; i < nodes_.size() && i < other.nodes_.size(); ++i) {
    const Node &a = nodes_[i], &b = other.nodes_[i];
    if (a.kind == b.kind && a.children == b.children && a.label == b.label && a.key == b.key && a.keys == b.keys) continue;
    return detail::text(a.path.empty() ? "at the root, one" : a.path, " is ", a.what(), " and ", b.what());
  }
  return {};  // equal as far as one of them goes, and then the other ends as well
}

}  // namespace tree
}  // namespace tenon
