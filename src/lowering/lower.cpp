#include "lowering/lower.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "core/dead_code.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "dialect/captured_arrays.h"
#include "dialect/entry_layouts.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "dialect/types.h"
#include "lowering/builder_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/primitive.h"

namespace tenon {

using detail::PrunedJaxpr;

namespace {

// "jit_<lambda>" -> "jit__lambda", as JAX makes a module's name of a function's.
std::string module_name(std::string name) {
  bool replaced = false;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') c = '_', replaced = true;
  while (replaced && name.size() > 1 && name.back() == '_') name.pop_back();
  return name;
}

// Below this, passes compute with what a program captured; from this on it is read where it is.
constexpr int64_t kCapturedBytes = 16 << 10;

// The bytes in `buffer`, which stay whatever happens to it: shared where that can be.
std::shared_ptr<const void> contents_of(const BufferRef& buffer) {
  const void* data = buffer->host_data();
  if (BufferRef shared = data ? buffer->share() : BufferRef()) return {data, [shared](const void*) {}};
  std::shared_ptr<char[]> copy(new char[static_cast<size_t>(buffer->size_bytes())]);
  buffer->copy_to_host(copy.get());
  return copy;
}

// A function whose body is being lowered, or a program in its body. A call of a function that is not
// there yet suspends its caller, so functions follow their first callers, depth first, and nothing recurses but over
// the nesting of branches and loops.
struct Frame {
  enum class Kind : uint8_t {
    function,  // its results are returned
    in_place,  // its results are those of the caller's last equation
    region     // its results are taken by `inlined`
  };
  Jaxpr jaxpr;
  mlir::Block* block;
  std::string name_stack;  // "jit(f)/jit(g)/"
  Kind kind = Kind::function;
  size_t next_eqn = 0;
  std::unordered_set<const void*> read = {};  // variables of equations and results; filled when it is asked for
  std::unordered_map<const void*, Value> values = {};  // by variable
};

// One function for all calls of the same name, operand types and parameters.
struct Outlined {
  std::string name;
  Avals operands;
  EqnParams params;
  mlir::func::FuncOp function;
  std::vector<bool> is_key;  // results
};

class Lowering final : detail::Functions {
 public:
  explicit Lowering(const LoweringOptions& options)
      : options_(options), context_(make_context()), impl_(context_.get(), this), builder_(&impl_) {}

  Module run(const Jaxpr& jaxpr) {
    mlir::OpBuilder& b = impl_.builder;
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getUnknownLoc(), module_name("jit_" + options_.name));
    (*module)->setAttr("mhlo.num_partitions", b.getI32IntegerAttr(1));
    (*module)->setAttr("mhlo.num_replicas", b.getI32IntegerAttr(1));
    module_ = *module;
    mlir::func::FuncOp main = declare(jaxpr.in_avals(), jaxpr.out_avals(), "main", true);
    annotate_main(main, jaxpr.outvars().size());
    open(jaxpr, main, "jit(" + options_.name + ")");
    while (!frames_.empty()) advance();
    return make_module(context_, std::move(module));
  }

 private:
  mlir::func::FuncOp declare(const Avals& in, const Avals& out, const std::string& name, bool is_public) {
    mlir::OpBuilder& b = impl_.builder;
    mlir::OpBuilder::InsertionGuard guard(b);
    llvm::SmallVector<mlir::Type> inputs, results;
    for (const Aval& aval : in) inputs.push_back(tensor_type(aval, context_.get()));
    for (const Aval& aval : out) results.push_back(tensor_type(aval, context_.get()));
    b.setInsertionPointToEnd(module_.getBody());
    auto function = mlir::func::FuncOp::create(b, b.getUnknownLoc(), unique_name(name), b.getFunctionType(inputs, results));
    function.setSymVisibility(is_public ? "public" : "private");
    function.addEntryBlock();
    return function;
  }

  // "g", then "g_0", "g_1": one counter for all names.
  std::string unique_name(const std::string& name) {
    std::string candidate = name;
    while (!taken_names_.insert(candidate).second) candidate = name + "_" + std::to_string(name_counter_++);
    return candidate;
  }

  void annotate_main(mlir::func::FuncOp main, size_t result_count) {
    mlir::OpBuilder& b = impl_.builder;
    llvm::SmallVector<mlir::DictionaryAttr> results;  // at once: each change of one makes the list of all again
    for (unsigned i = 0; i < result_count; ++i) {
      std::string name = i < options_.result_names.size() ? options_.result_names[i]
                         : result_count == 1              ? "result"
                                                          : detail::text("result[", i, "]");
      mlir::NamedAttrList facts;
      facts.set("jax.result_info", b.getStringAttr(name));
      if (const std::string mode = i < options_.result_layouts.size() ? layout_mode(options_.result_layouts[i]) : ""; !mode.empty())
        facts.set(kLayoutMode, b.getStringAttr(mode));
      results.push_back(facts.getDictionary(context_.get()));
    }
    main.setAllResultAttrs(results);
    for (unsigned i = 0; i < options_.arg_layouts.size(); ++i) {
      if (const std::string mode = layout_mode(options_.arg_layouts[i]); !mode.empty()) main.setArgAttr(i, kLayoutMode, b.getStringAttr(mode));
    }
    for (unsigned i = 0; i < main.getNumArguments() && i < options_.arg_names.size(); ++i)
      if (!options_.arg_names[i].empty())
        main.getArgument(i).setLoc(mlir::NameLoc::get(b.getStringAttr(options_.arg_names[i])));
  }

  void open(const Jaxpr& jaxpr, mlir::func::FuncOp function, const std::string& name_stack) {
    Frame& frame = frames_.emplace_back(Frame{jaxpr, &function.getBody().back(), name_stack + "/"});
    for (unsigned i = 0; i < jaxpr.invars().size(); ++i)
      frame.values[jaxpr.invars()[i].id()] = detail::wrap(function.getArgument(i), jaxpr.invars()[i].aval().dtype.is_prng_key());
    impl_.builder.setInsertionPointToEnd(frame.block);
    builder_.set_location(name_stack, "", 0, 0);
    for (size_t i = 0; i < jaxpr.consts().size(); ++i)
      frame.values[jaxpr.constvars()[i].id()] = constant(jaxpr.consts()[i]);
  }

  // Lowers equations of the innermost function until it ends or calls a new one. False at the end of a region.
  bool advance() {
    const size_t depth = frames_.size();
    impl_.builder.setInsertionPointToEnd(frames_.back().block);
    while (frames_.back().next_eqn < frames_.back().jaxpr.eqns().size()) {
      Frame& frame = frames_.back();
      lower_eqn(frame, frame.jaxpr.eqns()[frame.next_eqn++]);
      if (frames_.size() > depth) return true;
    }
    Frame& frame = frames_.back();
    if (frame.kind == Frame::Kind::region) return false;
    if (frame.kind == Frame::Kind::in_place) {
      end_in_place();
      return true;
    }
    builder_.set_location(frame.name_stack.substr(0, frame.name_stack.size() - 1), "", 0, 0);
    llvm::SmallVector<mlir::Value> results;
    for (const Var& v : frame.jaxpr.outvars()) results.push_back(detail::unwrap(value_of(frame, v)));
    mlir::func::ReturnOp::create(impl_.builder, impl_.location, results);
    frames_.pop_back();
    return true;
  }

  void open_in_place(mlir::Block* block, Frame::Kind kind, const Jaxpr& jaxpr, const std::string& name_stack, const Values& operands) {
    TENON_CHECK(operands.size() == jaxpr.invars().size(), "inputs of a program in place");
    Frame inner{jaxpr, block, name_stack + "/", kind};
    for (size_t i = 0; i < operands.size(); ++i) inner.values[jaxpr.invars()[i].id()] = operands[i];
    for (size_t i = 0; i < jaxpr.consts().size(); ++i) inner.values[jaxpr.constvars()[i].id()] = constant(jaxpr.consts()[i]);
    frames_.push_back(std::move(inner));
  }

  // The rule of a branch or loop is at work on the equation of the innermost frame.
  Values inlined(const Jaxpr& jaxpr, const Values& operands, const std::string& scope) override {
    mlir::OpBuilder::InsertionGuard guard(impl_.builder);
    const mlir::Location location = impl_.location;
    std::string stack = frames_.back().name_stack;
    if (!scope.empty()) stack += scope + "/";
    stack.pop_back();
    open_in_place(impl_.builder.getInsertionBlock(), Frame::Kind::region, jaxpr, stack, operands);
    while (advance()) {
    }
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    impl_.builder.setInsertionPointToEnd(frame.block);
    impl_.location = location;
    Values results;
    for (const Var& v : frame.jaxpr.outvars()) results.push_back(value_of(frame, v));
    return results;
  }
  void end_in_place() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Frame& caller = frames_.back();
    const Eqn& eqn = caller.jaxpr.eqns()[caller.next_eqn - 1];
    size_t next = 0;
    for (const Var& v : eqn.outvars())
      if (caller.read.contains(v.id())) bind(caller, eqn, v, value_of(frame, frame.jaxpr.outvars()[next++]));
  }

  // A function with a derivative of its own goes to where it is called, as far as its results are read.
  void open_custom(Frame& frame, const Eqn& eqn, const Jaxpr& body, const std::string& name_stack, const Values& operands) {
    if (frame.read.empty()) {
      for (const Eqn& each : frame.jaxpr.eqns())
        for (const Var& v : each.invars()) frame.read.insert(v.id());
      for (const Var& v : frame.jaxpr.outvars()) frame.read.insert(v.id());
    }
    std::vector<bool> read;
    for (const Var& v : eqn.outvars()) read.push_back(frame.read.contains(v.id()));
    pruned_.push_back(detail::pruned_call(body, read, true).jaxpr);
    open_in_place(frame.block, Frame::Kind::in_place, pruned_.back(), name_stack, operands);
  }

  void lower_eqn(Frame& frame, const Eqn& eqn) {
    const SourceInfo& source = eqn.source();
    const detail::SourceScope at(source);
    const Primitive& primitive = eqn.primitive();
    const std::string stack = frame.name_stack + (source.scope.empty() ? "" : source.scope + "/");
    builder_.set_location(stack + primitive.name(), source.file, source.line, source.column);
    Values operands;
    for (const Var& v : eqn.invars()) operands.push_back(value_of(frame, v));
    const Param *jaxpr = eqn.params().find("jaxpr"), *in_place = eqn.params().find("call_jaxpr");
    if (primitive.lowering) {
      auto lowering = [&](StablehloBuilder& b, const Values& x) { return primitive.lowering(b, x, eqn.params()); };
      bind(frame, eqn, primitive.outlined ? call(primitive.name(), eqn.params(), operands, lowering) : lowering(builder_, operands));
    } else if (primitive.call_like && in_place && in_place->is<Jaxpr>()) {
      open_custom(frame, eqn, in_place->get<Jaxpr>(), stack + primitive.name(), operands);
    } else if (primitive.call_like && jaxpr && jaxpr->is<Jaxpr>()) {
      call_jaxpr(frame, eqn, jaxpr->get<Jaxpr>(), eqn.params().at("name").str(), stack, operands);
    } else {
      fail<UnimplementedError>(primitive.name(), "no lowering rule; write one in src/ops/", primitive.name(), ".cpp");
    }
  }

  void bind(Frame& frame, const Eqn& eqn, const Values& results) {
    TENON_CHECK(results.size() == eqn.outvars().size(), eqn.primitive().name());
    for (size_t i = 0; i < results.size(); ++i) bind(frame, eqn, eqn.outvars()[i], results[i]);
  }
  void bind(Frame& frame, const Eqn& eqn, const Var& var, const Value& value) {
    const Aval& wanted = var.aval();
    const Value result = wanted.dtype.is_prng_key() ? value.as_keys() : value;
    const Aval got = result.aval();
    TENON_CHECK(got.shape == wanted.shape && got.dtype == wanted.dtype, eqn.primitive().name(), " lowers to ", got, " what is ", wanted);
    frame.values[var.id()] = result;
  }

  Values call(mlir::func::FuncOp callee, const Values& operands) {
    llvm::SmallVector<mlir::Value> arguments;
    for (const Value& v : operands) arguments.push_back(detail::unwrap(v));
    auto call = mlir::func::CallOp::create(impl_.builder, impl_.location, callee, arguments);
    Values results;
    for (mlir::Value v : call.getResults()) results.push_back(detail::wrap(v));
    return results;
  }

  void call_jaxpr(Frame& frame, const Eqn& eqn, const Jaxpr& jaxpr, const std::string& name, const std::string& stack,
                  const Values& operands) {
    const std::string wrapped = stack + "jit(" + name + ")";
    mlir::func::FuncOp& callee = functions_[jaxpr.id()];
    const bool is_new = !callee;
    if (is_new) callee = declare(jaxpr.in_avals(), jaxpr.out_avals(), name, false);
    const SourceInfo& source = eqn.source();
    builder_.set_location(wrapped, source.file, source.line, source.column);
    bind(frame, eqn, call(callee, operands));
    if (is_new) open(jaxpr, callee, wrapped);
  }

  Values call(const std::string& name, const EqnParams& params, const Values& operands, detail::FunctionBody body) override {
    Avals avals;
    for (const Value& v : operands) avals.push_back(v.aval());
    auto same = [&](const Outlined& o) { return o.name == name && o.operands == avals && o.params == params; };
    auto at = std::ranges::find_if(outlined_, same);
    if (at == outlined_.end()) {
      Outlined made{name, avals, params, declare(avals, {}, name, false), {}};
      mlir::OpBuilder::InsertionGuard guard(impl_.builder);
      impl_.builder.setInsertionPointToEnd(&made.function.getBody().back());
      Values arguments;
      for (size_t i = 0; i < operands.size(); ++i)
        arguments.push_back(detail::wrap(made.function.getArgument(static_cast<unsigned>(i)), operands[i].is_key()));
      llvm::SmallVector<mlir::Value> returned;
      for (const Value& v : body(builder_, arguments)) {
        returned.push_back(detail::unwrap(v));
        made.is_key.push_back(v.is_key());
      }
      mlir::func::ReturnOp::create(impl_.builder, impl_.location, returned);
      made.function.setFunctionType(impl_.builder.getFunctionType(made.function.getArgumentTypes(), mlir::ValueRange(returned).getTypes()));
      outlined_.push_back(std::move(made));  // after those that it calls
      at = std::prev(outlined_.end());
    }
    Values results = call(at->function, operands);
    for (size_t i = 0; i < results.size(); ++i)
      if (at->is_key[i]) results[i] = results[i].as_keys();
    return results;
  }

  Value value_of(const Frame& frame, const Var& var) {
    if (var.is_literal()) return constant(var.literal());
    auto at = frame.values.find(var.id());
    TENON_CHECK(at != frame.values.end(), "a variable is used before it is bound");
    return at->second;
  }

  Value constant(const Array& array) {
    const detail::ArrayNode& node = array.node("lower");
    if (node.kind() == detail::ArrayNode::Kind::scalar)
      return builder_.constant_array(node.aval(), static_cast<const detail::ScalarNode&>(node).bytes);
    const Value value = node.aval().nbytes() >= kCapturedBytes ? captured(array)
                                                               : builder_.constant_array(node.aval(), detail::buffer_of(array, "lower")->host_data());
    return node.aval().dtype.is_prng_key() ? value.as_keys() : value;
  }

  // One value for all places that read the same array.
  Value captured(const Array& array) {
    const detail::ArrayNode& node = array.node("lower");
    mlir::ElementsAttr& value = captured_[&node];
    if (!value) value = captured_array(tensor_type(node.aval(), context_.get()), contents_of(detail::buffer_of(array, "lower")), captured_.size());
    return detail::wrap(stablehlo::ConstantOp::create(impl_.builder, impl_.location, value));
  }

  const LoweringOptions& options_;
  std::shared_ptr<mlir::MLIRContext> context_;
  detail::BuilderImpl impl_;
  StablehloBuilder builder_;
  mlir::ModuleOp module_;
  std::deque<Frame> frames_;  // references stay while others are opened
  std::unordered_map<const void*, mlir::func::FuncOp> functions_;  // by jaxpr
  std::vector<Jaxpr> pruned_;  // held: functions are found by the addresses of the jaxprs inside
  std::vector<Outlined> outlined_;
  std::unordered_map<const void*, mlir::ElementsAttr> captured_;  // by array
  std::unordered_set<std::string> taken_names_;
  int name_counter_ = 0;
};

PrunedJaxpr without_dead_code(const Jaxpr& jaxpr, bool keep_inputs) {
  return detail::dead_code_eliminated(jaxpr, std::vector<bool>(jaxpr.outvars().size(), true), keep_inputs);
}

}  // namespace

Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options, std::vector<bool>& kept) {
  PrunedJaxpr live = without_dead_code(jaxpr, false);
  LoweringOptions live_options{options.name, {}, options.result_names, {}, options.result_layouts};
  for (size_t i = 0; i < live.used_inputs.size(); ++i) {
    if (!live.used_inputs[i]) continue;
    if (i < options.arg_names.size()) live_options.arg_names.push_back(options.arg_names[i]);
    if (i < options.arg_layouts.size()) live_options.arg_layouts.push_back(options.arg_layouts[i]);
  }
  kept = live.used_inputs;
  return Lowering(live_options).run(live.jaxpr);
}

Module lower_jaxpr(const Jaxpr& jaxpr, const LoweringOptions& options) {
  return Lowering(options).run(without_dead_code(jaxpr, true).jaxpr);
}

}  // namespace tenon
