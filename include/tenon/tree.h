// Trees: nested containers and structs with Arrays at the leaves. No registration is needed for
// tuples, pairs, arrays, vectors, maps, optionals and aggregates; a class specializes node<T>.
// What is not an Array belongs to the structure of the tree.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/array.h"

#pragma GCC visibility push(default)

namespace tenon {

/// A tree without leaves.
struct Empty {
  bool operator==(const Empty&) const = default;
};

namespace tree {

/// For a class of your own: specialize with
///     template <> struct tenon::tree::node<Mine> {
///       static auto members(auto& mine) { return std::tie(mine.a, mine.b); }
///     };
/// The members are visited in this order.
template <class T>
struct node;

}  // namespace tree

namespace detail {

// Convertible to any member, but not to the aggregate itself (else T{any} would be a copy).
template <class Whole>
struct AnyMember {
  template <class M>
    requires(!std::is_same_v<std::remove_cvref_t<M>, Whole>)
  operator M() const { __builtin_unreachable(); }  // never called; a constructor template of a member may name it
};
constexpr int kMaxMembers = 16;
template <class T, class... Any>
consteval int arity(Any... any) {
  if constexpr (sizeof...(Any) > kMaxMembers) return -1;
  else if constexpr (requires { T{any..., AnyMember<T>{}}; }) return arity<T>(any..., AnyMember<T>{});
  else return sizeof...(Any);
}

template <class T>
concept Registered = requires(T& t) { tree::node<T>::members(t); };
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
template <class T>
concept Optional = requires(T t) { t.has_value(); t.reset(); *t; };
template <class T>
concept Sequence = requires(T t) { t.begin(); t.end(); t.size(); typename T::value_type; } && !std::is_same_v<T, std::string> &&
                   !std::is_same_v<T, std::string_view>;
template <class T>
concept Mapping = Sequence<T> && requires { typename T::mapped_type; };
template <class T>
concept Aggregate = std::is_aggregate_v<T> && std::is_class_v<T> && !TupleLike<T> && !Sequence<T>;

/// The members of an aggregate as a tuple of references.
template <class T>
constexpr auto tie_members(T& t) {
  constexpr int n = arity<std::remove_const_t<T>>();
  static_assert(n >= 0, "tenon: this struct has too many members to be taken apart; specialize tenon::tree::node for it");
  if constexpr (n == 0) return std::tuple<>();
#define TENON_MEMBERS(count, ...) \
  else if constexpr (n == count) { auto& [__VA_ARGS__] = t; return std::tie(__VA_ARGS__); }
  TENON_MEMBERS(1, a)
  TENON_MEMBERS(2, a, b)
  TENON_MEMBERS(3, a, b, c)
  TENON_MEMBERS(4, a, b, c, d)
  TENON_MEMBERS(5, a, b, c, d, e)
  TENON_MEMBERS(6, a, b, c, d, e, f)
  TENON_MEMBERS(7, a, b, c, d, e, f, g)
  TENON_MEMBERS(8, a, b, c, d, e, f, g, h)
  TENON_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  TENON_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  TENON_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  TENON_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  TENON_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  TENON_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  TENON_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  TENON_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
#undef TENON_MEMBERS
}

/// Members of a tuple-like, registered or aggregate type as a tuple of references.
template <class T>
constexpr auto children(T& t) {
  using U = std::remove_const_t<T>;
  if constexpr (Registered<U>) return tree::node<U>::members(t);
  else if constexpr (TupleLike<U>) return std::apply([](auto&... m) { return std::tie(m...); }, t);
  else return tie_members(t);
}
template <class T>
concept Composite = Registered<T> || TupleLike<T> || Aggregate<T>;

/// Does the type hold an Array anywhere? Decides whether a parameter is traced or static.
template <class T>
consteval bool holds_array() {
  if constexpr (std::is_same_v<T, Array>) return true;
  else if constexpr (Optional<T>) return holds_array<std::remove_cvref_t<decltype(*std::declval<T&>())>>();
  else if constexpr (Registered<T> || (!Sequence<T> && Composite<T>) || TupleLike<T>)
    return []<class... M>(std::type_identity<std::tuple<M&...>>) {
      return (false || ... || holds_array<std::remove_cvref_t<M>>());
    }(std::type_identity<decltype(children(std::declval<T&>()))>{});
  else if constexpr (Mapping<T>) return holds_array<typename T::mapped_type>();
  else if constexpr (Sequence<T>) return holds_array<typename T::value_type>();
  else return false;
}

/// Calls on_array for each Array, in order.
template <class T, class OnArray>
void visit_leaves(T& t, OnArray&& on_array) {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, Array>) on_array(t);
  else if constexpr (!holds_array<U>()) return;
  else if constexpr (Optional<U>) { if (t.has_value()) visit_leaves(*t, on_array); }
  else if constexpr (Composite<U>) std::apply([&](auto&... m) { (visit_leaves(m, on_array), ...); }, children(t));
  else if constexpr (Mapping<U>) { for (auto& entry : t) visit_leaves(entry.second, on_array); }
  else if constexpr (Sequence<U>) { for (auto& m : t) visit_leaves(m, on_array); }
}

// Out of line, so that the header parses fast: `path` with "[2]" or "['w']" behind it, an Array
// more in a list.
std::string path_of_item(const std::string& path, int64_t index);
std::string path_of_item(const std::string& path, std::string_view key);
void append(Arrays& list, const Array& array);
void reserve(Arrays& list, size_t count);

/// Calls `on_leaf` with "[1]['w']" and the like for each Array, in order.
template <class T>
void leaf_paths(const T& t, const std::string& path, FunctionRef<void(const std::string&)> on_leaf) {
  if constexpr (std::is_same_v<T, Array>) on_leaf(path);
  else if constexpr (!holds_array<T>()) return;
  else if constexpr (Optional<T>) { if (t.has_value()) leaf_paths(*t, path, on_leaf); }
  else if constexpr (Composite<T>) {
    int i = 0;
    std::apply([&](auto&... m) { (leaf_paths(m, path_of_item(path, i++), on_leaf), ...); }, children(t));
  } else if constexpr (Mapping<T>) {
    for (auto& entry : t) {
      if constexpr (std::is_convertible_v<decltype(entry.first), std::string_view>)
        leaf_paths(entry.second, path_of_item(path, std::string_view(entry.first)), on_leaf);
      else leaf_paths(entry.second, path_of_item(path, static_cast<int64_t>(entry.first)), on_leaf);
    }
  } else if constexpr (Sequence<T>) {
    int i = 0;
    for (auto& m : t) leaf_paths(m, path_of_item(path, i++), on_leaf);
  }
}

/// Appends what distinguishes the structure of `t` from others of its type: sizes, keys, and
/// every value that is not an Array. Floats count by their bits.
template <class T>
void append_structure(std::string& key, const T& t) {
  auto raw = [&](const auto& v) { key.append(reinterpret_cast<const char*>(&v), sizeof v); };
  if constexpr (std::is_same_v<T, Array>) return;
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) raw(t);
  else if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_same_v<T, const char*>) append_structure(key, std::string(t));
    else raw(t);  // functions and objects by address
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
    raw(t.size());
    key.append(t);
  } else if constexpr (Optional<T>) {
    raw(t.has_value());
    if (t.has_value()) append_structure(key, *t);
  } else if constexpr (std::is_same_v<T, DType>) raw(t.code());
  else if constexpr (Registered<T> || TupleLike<T>) std::apply([&](auto&... m) { (append_structure(key, m), ...); }, children(t));
  else if constexpr (Sequence<T>) {
    raw(t.size());
    for (const auto& m : t) append_structure<std::remove_cvref_t<decltype(m)>>(key, m);
  } else if constexpr (Aggregate<T>) std::apply([&](auto&... m) { (append_structure(key, m), ...); }, children(t));
  else if constexpr (std::is_empty_v<T>) return;
  else static_assert(sizeof(T) == 0, "tenon: a static argument must be a scalar, string, enum, container or struct of such; "
                                     "specialize tenon::tree::node for a class");
}

/// The keys of a mapping as they stand in paths: "'w'" or "2".
template <class T>
void leaf_paths_of_keys(const T& t, std::vector<std::string>& keys) {
  for (const auto& entry : t) {
    if constexpr (std::is_convertible_v<decltype(entry.first), std::string_view>) keys.push_back("'" + std::string(entry.first) + "'");
    else keys.push_back(std::to_string(static_cast<long long>(entry.first)));
  }
}

/// The text of a static value, for explanations.
template <class T>
std::string static_text(const T& t) {
  if constexpr (std::is_same_v<T, bool>) return t ? "True" : "False";
  else if constexpr (std::is_same_v<T, char>) return std::string("'") + t + "'";
  else if constexpr (std::is_integral_v<T>) return std::to_string(t);
  else if constexpr (std::is_floating_point_v<T>) return Array(t).str();
  else if constexpr (std::is_same_v<T, std::string>) return "'" + t + "'";
  else if constexpr (requires { { t.str() } -> std::convertible_to<std::string>; }) return t.str();
  else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<long long>(t));
  else return "a value of its type";
}

/// What distinguishes the structure of a tree from others, to be compared fast; nothing of its type.
template <class T>
std::string structure_key(const T& t) {
  std::string key;
  append_structure(key, t);
  return key;
}

/// "Model" for ns::Model.
template <class T>
constexpr std::string_view type_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s.remove_prefix(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));  // gcc appends "; std::string_view = ..."
  s = s.substr(0, s.find('<'));
  if (auto at = s.rfind("::"); at != s.npos) s.remove_prefix(at + 2);
  return s;
}

/// Throws ValueError.
void check_leaf_count(size_t expected, size_t got);

}  // namespace detail

namespace tree {

/// The structure of a tree: everything but its leaves. Trees of different types may have one structure.
class Structure {
 public:
  size_t num_leaves() const { return num_leaves_; }
  /// Where the leaves are, in order: "[0]['w']".
  std::vector<std::string> leaf_paths() const;
  /// As JAX prints it: "PyTreeDef((*, {'w': *, 'b': None}))"; a struct as "CustomNode(Model, [*, 2])".
  std::string str() const;
  /// Equal up to the paths of leaves.
  bool operator==(const Structure& other) const { return difference(other).empty(); }
  /// Where they differ first, "[0]['w'] is a list of 2 and a list of 3"; empty where they do not.
  std::string difference(const Structure& other) const;

  // For making one, front to back.
  enum class Kind : unsigned char { leaf, none, value, tuple, list, dictionary, record };
  /// `label`: the text of a value, the name of a record. A node's `children` follow it.
  void add(Kind kind, const std::string& path, size_t children = 0, std::string label = {}, std::string key = {});
  /// Of the dictionary added last.
  void add_key(std::string key);

 private:
  struct Node {
    Kind kind;
    size_t children;
    std::string path, label, key;
    std::vector<std::string> keys = {};
    std::string what() const;
  };
  void print(std::string& out, size_t& at) const;
  std::vector<Node> nodes_;
  size_t num_leaves_ = 0;
};

}  // namespace tree

namespace detail {

template <class T>
void add_structure(tree::Structure& s, const T& t, const std::string& path) {
  using Kind = tree::Structure::Kind;
  if constexpr (std::is_same_v<T, Array>) s.add(Kind::leaf, path);
  else if constexpr (Optional<T>) {
    if (t.has_value()) add_structure(s, *t, path);
    else s.add(Kind::none, path);
  } else if constexpr (!holds_array<T>() && !TupleLike<T>) {
    if constexpr (std::is_same_v<T, Empty>) s.add(Kind::tuple, path);
    else s.add(Kind::value, path, 0, static_text(t), structure_key(t));
  } else if constexpr (Mapping<T>) {
    std::vector<std::string> keys;
    leaf_paths_of_keys(t, keys);
    s.add(Kind::dictionary, path, keys.size());
    for (const std::string& key : keys) s.add_key(key);
    size_t i = 0;
    for (const auto& entry : t) add_structure(s, entry.second, path + "[" + keys[i++] + "]");
  } else if constexpr (Sequence<T>) {
    s.add(Kind::list, path, t.size());
    int i = 0;
    for (const auto& m : t) add_structure(s, m, path_of_item(path, i++));
  } else {
    constexpr bool is_tuple = TupleLike<T>;
    const auto members = children(t);
    s.add(is_tuple ? Kind::tuple : Kind::record, path, std::tuple_size_v<std::remove_cvref_t<decltype(members)>>,
          is_tuple ? std::string() : std::string(type_name<T>()));
    int i = 0;
    std::apply([&](const auto&... m) { (add_structure(s, m, path_of_item(path, i++)), ...); }, members);
  }
}

/// Throws ValueError.
void check_same_structure(const std::vector<tree::Structure>& structures);

}  // namespace detail

namespace tree {

/// The Arrays of `t`, in order.
template <class T>
Arrays leaves(const T& t) {
  Arrays out;
  detail::visit_leaves(t, [&](const Array& a) { detail::append(out, a); });
  return out;
}

/// The structure of a tree, which can make trees of other leaves.
template <class T>
class StructureOf : public Structure {
 public:
  explicit StructureOf(const T& t) : prototype_(t) {
    detail::add_structure(*this, t, {});
    detail::visit_leaves(prototype_, [](Array& a) { a = Array(); });
  }
  const T& prototype() const { return prototype_; }

 private:
  T prototype_;
};
template <class T>
StructureOf<T> structure(const T& t) { return StructureOf<T>(t); }

/// A tree like `prototype` with these leaves. Throws ValueError when their number differs.
template <class T>
T unflatten(const T& prototype, const Arrays& leaves) {
  T out = prototype;
  size_t next = 0, count = 0;
  detail::visit_leaves(out, [&](Array& a) {
    if (next < leaves.size()) a = leaves[next++];
    ++count;
  });
  detail::check_leaf_count(count, leaves.size());
  return out;
}
template <class T>
T unflatten(const StructureOf<T>& structure, const Arrays& leaves) { return unflatten(structure.prototype(), leaves); }

/// Leaves and structure: unflatten(structure, leaves) is the tree again.
template <class T>
std::pair<Arrays, StructureOf<T>> flatten(const T& t) { return {leaves(t), structure(t)}; }

/// f on the corresponding leaves of trees of one structure.
/// Throws ValueError that names the path where the structures differ first.
template <class F, class T, class... Rest>
T map(F f, const T& first, const Rest&... rest) {
  if constexpr (sizeof...(rest) > 0) {
    const std::string key = detail::structure_key(first);
    if (!((std::is_same_v<T, Rest> && detail::structure_key(rest) == key) && ...)) detail::check_same_structure({structure(first), structure(rest)...});
  }
  Arrays others[sizeof...(rest) + 1] = {leaves(rest)...};
  T out = first;
  size_t at = 0;
  detail::visit_leaves(out, [&](Array& a) {
    [&]<size_t... I>(std::index_sequence<I...>) { a = f(std::as_const(a), others[I][at]...); }(std::index_sequence_for<Rest...>{});
    ++at;
  });
  return out;
}

}  // namespace tree
}  // namespace tenon

#pragma GCC visibility pop
