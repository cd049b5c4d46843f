#include "lowering/lower.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "core/nodes.h"
#include "dialect/module_impl.h"
#include "dialect/types.h"
#include "lowering/builder_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/primitive.h"

namespace tenon {
namespace {

// "jit_<lambda>" -> "jit__lambda", as JAX makes a symbol of a name.
std::string symbol_name(std::string name) {
  bool replaced = false;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') c = '_', replaced = true;
  while (replaced && name.size() > 1 && name.back() == '_') name.pop_back();
  return name;
}

// A function whose body is still to be lowered. Calls only need its name, so bodies wait in a
// queue and nothing recurses over nesting.
struct PendingFunction {
  Jaxpr jaxpr;
  mlir::func::FuncOp function;
  std::string name_stack;  // "jit(f)/jit(g)"
};

class Lowering {
 public:
  explicit Lowering(const LoweringOptions& options)
      : options_(options), context_(make_context()), impl_(context_.get()), builder_(&impl_) {}

  Module run(const Jaxpr& jaxpr) {
    mlir::OpBuilder& b = impl_.builder;
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getUnknownLoc(), symbol_name("jit_" + options_.name));
    (*module)->setAttr("mhlo.num_partitions", b.getI32IntegerAttr(1));
    (*module)->setAttr("mhlo.num_replicas", b.getI32IntegerAttr(1));
    module_ = *module;
    std::string name_stack = "jit(" + options_.name + ")";
    mlir::func::FuncOp main = declare(jaxpr, "main", true);
    annotate_main(main, jaxpr);
    pending_.push_back({jaxpr, main, name_stack});
    for (; !pending_.empty(); pending_.pop_front()) lower_body(pending_.front());
    return make_module(context_, std::move(module));
  }

 private:
  mlir::func::FuncOp declare(const Jaxpr& jaxpr, const std::string& name, bool is_public) {
    mlir::OpBuilder& b = impl_.builder;
    llvm::SmallVector<mlir::Type> inputs, results;
    for (const Aval& aval : jaxpr.in_avals()) inputs.push_back(tensor_type(aval, context_.get()));
    for (const Aval& aval : jaxpr.out_avals()) results.push_back(tensor_type(aval, context_.get()));
    b.setInsertionPointToEnd(module_.getBody());
    auto function = mlir::func::FuncOp::create(b, b.getUnknownLoc(), name, b.getFunctionType(inputs, results));
    function.setSymVisibility(is_public ? "public" : "private");
    taken_names_.insert(name);
    return function;
  }

  void annotate_main(mlir::func::FuncOp main, const Jaxpr& jaxpr) {
    size_t count = jaxpr.outvars().size();
    for (size_t i = 0; i < count; ++i)
      main.setResultAttr(static_cast<unsigned>(i), "jax.result_info",
                         impl_.builder.getStringAttr(count == 1 ? "result" : "result[" + std::to_string(i) + "]"));
  }

  void lower_body(PendingFunction pending) {
    mlir::OpBuilder& b = impl_.builder;
    mlir::Block* block = pending.function.addEntryBlock();
    b.setInsertionPointToEnd(block);
    values_.clear();
    const bool is_main = pending.function.isPublic();
    for (size_t i = 0; i < pending.jaxpr.invars().size(); ++i) {
      mlir::BlockArgument argument = block->getArgument(static_cast<unsigned>(i));
      if (is_main && i < options_.arg_names.size() && !options_.arg_names[i].empty())
        argument.setLoc(mlir::NameLoc::get(b.getStringAttr(options_.arg_names[i])));
      values_[pending.jaxpr.invars()[i].id()] = detail::wrap(argument);
    }
    builder_.set_location(pending.name_stack, "", 0, 0);
    for (size_t i = 0; i < pending.jaxpr.consts().size(); ++i)
      values_[pending.jaxpr.constvars()[i].id()] = constant(pending.jaxpr.consts()[i]);
    for (const Eqn& eqn : pending.jaxpr.eqns()) lower_eqn(eqn, pending.name_stack);
    llvm::SmallVector<mlir::Value> results;
    for (const Var& v : pending.jaxpr.outvars()) results.push_back(detail::unwrap(value_of(v)));
    mlir::func::ReturnOp::create(b, impl_.location, results);
  }

  void lower_eqn(const Eqn& eqn, const std::string& name_stack) {
    const SourceInfo& source = eqn.source();
    std::string stack = name_stack + "/" + (source.scope.empty() ? "" : source.scope + "/");
    Values operands;
    operands.reserve(eqn.invars().size());
    const Primitive& primitive = eqn.primitive();
    builder_.set_location(stack + primitive.name(), source.file, source.line, source.column);
    for (const Var& v : eqn.invars()) operands.push_back(value_of(v));
    Values results;
    if (primitive.lowering) {
      results = primitive.lowering(builder_, operands, eqn.params());
    } else if (const Param* jaxpr = eqn.params().find("jaxpr"); primitive.call_like && jaxpr && jaxpr->is<Jaxpr>()) {
      results = call(jaxpr->get<Jaxpr>(), eqn.params().at("name").str(), stack, operands);
    } else {
      fail<UnimplementedError>(primitive.name(), "no lowering rule; write one in src/ops/", primitive.name(), ".cpp");
    }
    TENON_CHECK(results.size() == eqn.outvars().size(), primitive.name());
    for (size_t i = 0; i < results.size(); ++i) {
      TENON_CHECK(results[i].aval().shape == eqn.outvars()[i].aval().shape && results[i].aval().dtype == eqn.outvars()[i].aval().dtype,
                  primitive.name(), " lowers to ", results[i].aval(), " what is ", eqn.outvars()[i].aval());
      values_[eqn.outvars()[i].id()] = results[i];
    }
  }

  Values call(const Jaxpr& jaxpr, const std::string& name, const std::string& stack, const Values& operands) {
    mlir::OpBuilder& b = impl_.builder;
    mlir::func::FuncOp& callee = functions_[jaxpr.id()];
    if (!callee) {
      mlir::OpBuilder::InsertionGuard guard(b);
      callee = declare(jaxpr, unique_name(name), false);
      pending_.push_back({jaxpr, callee, stack + "jit(" + name + ")"});
    }
    llvm::SmallVector<mlir::Value> arguments;
    for (const Value& v : operands) arguments.push_back(detail::unwrap(v));
    auto call = mlir::func::CallOp::create(b, impl_.location, callee, arguments);
    Values results;
    for (mlir::Value v : call.getResults()) results.push_back(detail::wrap(v));
    return results;
  }

  std::string unique_name(const std::string& name) {
    std::string candidate = name;
    for (int i = 0; taken_names_.contains(candidate); ++i) candidate = name + "_" + std::to_string(i);
    return candidate;
  }

  Value value_of(const Var& var) {
    if (var.is_literal()) return constant(var.literal());
    auto at = values_.find(var.id());
    TENON_CHECK(at != values_.end(), "a variable is used before it is bound");
    return at->second;
  }

  Value constant(const Array& array) {
    const detail::ArrayNode& node = array.node("lower");
    if (node.kind() == detail::ArrayNode::Kind::scalar)
      return builder_.constant_array(node.aval(), static_cast<const detail::ScalarNode&>(node).bytes);
    return builder_.constant_array(node.aval(), detail::buffer_of(array, "lower")->host_data());
  }

  const LoweringOptions& options_;
  std::shared_ptr<mlir::MLIRContext> context_;
  detail::BuilderImpl impl_;
  StablehloBuilder builder_;
  mlir::ModuleOp module_;
  std::deque<PendingFunction> pending_;
  std::unordered_map<const void*, mlir::func::FuncOp> functions_;  // by jaxpr
  std::unordered_set<std::string> taken_names_;
  std::unordered_map<const void*, Value> values_;  // of the function being lowered
};

}  // namespace

Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options) { return Lowering(options).run(jaxpr); }

}  // namespace tenon
