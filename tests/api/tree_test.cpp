// Trees: leaves and structures of containers, aggregates and registered classes; errors name the path of what differs.
#include "tenon/tree.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

enum class Mode { train, test };
struct Layer {
  Array w;
  std::optional<Array> b;
  Mode mode = Mode::train;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> scales;
  std::pair<Array, int> last;
  std::string name = "net";
};
class Hidden {
 public:
  Hidden(Array a, Array b) : a_(std::move(a)), b_(std::move(b)) {}
  Array a() const { return a_; }
  Array b() const { return b_; }

 private:
  Array a_, b_;
  friend struct tree::node<Hidden>;
};

}  // namespace
}  // namespace tenon
template <>
struct tenon::tree::node<tenon::Hidden> {
  static auto members(auto& hidden) { return std::tie(hidden.b_, hidden.a_); }
};
namespace tenon {
namespace {

Model model() { return {{{1.0, Array(2.0)}, {3.0, std::nullopt}}, {{"a", 4.0}, {"b", 5.0}}, {6.0, 7}}; }
std::vector<float> values(const Arrays& leaves) {
  std::vector<float> out;
  for (const Array& x : leaves) out.push_back(float(x));
  return out;
}

TEST(Tree, LeavesComeInOrderWithTheirPaths) {
  EXPECT_EQ(values(tree::leaves(model())), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tree::structure(model()).leaf_paths(),
            (std::vector<std::string>{"[0][0][0]", "[0][0][1]", "[0][1][0]", "[1]['a']", "[1]['b']", "[2][0]"}));
  EXPECT_EQ(values(tree::leaves(std::tuple{Array(1.0), std::array<Array, 2>{2.0, 3.0}, std::map<int, Array>{{7, 4.0}}, 5})), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values(tree::leaves(Hidden(1.0, 2.0))), (std::vector<float>{2, 1}));
  EXPECT_TRUE(tree::leaves(Empty{}).empty());
  EXPECT_EQ(tree::leaves(Array(1.0)).size(), 1u);
}

TEST(Tree, StructuresPrintAndCompare) {
  EXPECT_EQ(tree::structure(model()).str(),
            "PyTreeDef(CustomNode(Model, [[CustomNode(Layer, [*, *, 0]), CustomNode(Layer, [*, None, 0])], {'a': *, 'b': *}, (*, 7), 'net']))");
  EXPECT_EQ(tree::structure(Array(1.0)).str(), "PyTreeDef(*)");
  EXPECT_EQ(tree::structure(std::tuple{Array(1.0)}).str(), "PyTreeDef((*,))");
  EXPECT_EQ(tree::structure(std::map<int, Array>{{7, 4.0}}).str(), "PyTreeDef({7: *})");
  EXPECT_EQ(tree::structure(Empty{}).str(), "PyTreeDef(())");
  EXPECT_EQ(tree::structure(std::vector<Array>{}).str(), "PyTreeDef([])");
  EXPECT_EQ(tree::structure(model()), tree::structure(model()));
  EXPECT_EQ(tree::structure(std::vector<Array>{1.0, 2.0}), tree::structure(std::array<Array, 2>{3.0, 4.0}));
  EXPECT_FALSE(tree::structure(std::tuple{Array(1.0), 2}) == tree::structure(std::tuple{Array(1.0), 3}));
  EXPECT_EQ(tree::structure(model()).num_leaves(), 6u);
}

TEST(Tree, FlattenAndUnflatten) {
  const auto [leaves, structure] = tree::flatten(model());
  Arrays more;
  for (const Array& leaf : leaves) more.push_back(leaf * 10.0);
  const Model again = tree::unflatten(structure, more);
  EXPECT_EQ(float(again.layers[1].w), 30);
  EXPECT_FALSE(again.layers[1].b.has_value());
  EXPECT_EQ(float(again.last.first), 60);
  EXPECT_EQ(again.last.second, 7);
  EXPECT_EQ(again.name, "net");
  EXPECT_EQ(values(tree::leaves(tree::unflatten(model(), more))), values(more));
  EXPECT_EQ(float(tree::unflatten(Hidden(0.0, 0.0), {1.0, 2.0}).a()), 2);
  EXPECT_ERROR(ValueError, tree::unflatten(structure, {1.0}), "tree::unflatten: the tree has 6 leaves; got 1");
}

TEST(Tree, MapOfTreesOfOneStructure) {
  const Model sum = tree::map([](Array a, Array b) { return a + b; }, model(), model());
  EXPECT_EQ(values(tree::leaves(sum)), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  const auto halves = tree::map([](Array a) { return a / 2.0; }, std::optional<Array>(3.0));
  EXPECT_EQ(float(*halves), 1.5f);
  // Another type of the same structure.
  EXPECT_EQ(values(tree::leaves(tree::map([](Array a, Array b) { return a * b; }, std::vector<Array>{1.0, 2.0}, std::array<Array, 2>{3.0, 4.0}))),
            (std::vector<float>{3, 8}));
}

TEST(Tree, MistakesNameThePath) {
  auto add = [](Array a, Array b) { return a + b; };
  const std::string begin = "tree::map: the trees must have one structure; tree 0 and tree 1 differ: ";
  Model other = model();
  other.layers.pop_back();
  EXPECT_ERROR(ValueError, tree::map(add, model(), other), begin + "[0] is a list of 2 and a list of 1");
  other = model();
  other.layers[1].b = 1.0;
  EXPECT_ERROR(ValueError, tree::map(add, model(), other), begin + "[0][1][1] is an empty optional and an Array");
  other = model();
  other.scales = {{"a", 1.0}, {"c", 1.0}};
  EXPECT_ERROR(ValueError, tree::map(add, model(), other), begin + "[1] is a map with the keys 'a' 'b' and a map with the keys 'a' 'c'");
  other = model();
  other.last.second = 8;
  EXPECT_ERROR(ValueError, tree::map(add, model(), other), begin + "[2][1] is the value 7 and the value 8");
  EXPECT_ERROR(ValueError, tree::map(add, Array(1.0), std::tuple{Array(1.0)}), begin + "at the root, one is an Array and a tuple of 1");
  other = model();
  other.name = "other";
  EXPECT_ERROR(ValueError, tree::map([](Array a, Array, Array) { return a; }, model(), model(), other),
               "tree::map: the trees must have one structure; tree 0 and tree 2 differ: [3] is the value 'net' and the value 'other'");
}

TEST(Tree, TransformationsNameThePathOfTheMistake) {
  auto f = [](Model m) { return std::tuple{m.scales["a"], std::map<std::string, Array>{{"s", m.last.first}}}; };
  Model tangent = model();
  tangent.scales["b"] = jnp::ones({2});
  EXPECT_ERROR_HAS(TypeError, jvp(f, std::tuple{model()}, std::tuple{tangent}), "the tangent of argument 0[1]['b'], which is ");
  EXPECT_ERROR_HAS(ValueError, vjp(f, model()).second({Array(1.0), std::map<std::string, Array>{{"s", jnp::ones({2})}}}),
                   "the cotangent of the result[1]['s'] is f32[]; got f32[2]");
  EXPECT_ERROR_HAS(TypeError, grad([](Model m) { return m.last.first; })(Model{{}, {{"i", jnp::int32(1)}}, {1.0, 2}}), "argument 0[1]['i'] is i32[]");
  EXPECT_ERROR_HAS(ValueError, vmap(f)(model()), "in_axes asks for axis 0 of argument 0[0][0][0], which is");
}

}  // namespace
}  // namespace tenon
