#include "api/eager.h"

#include <algorithm>
#include <limits>
#include <list>
#include <mutex>
#include <unordered_map>

#include "analysis/cost_analysis.h"
#include "api/compile_options.h"
#include "api/debug_values.h"
#include "api/program.h"
#include "api/program_cache.h"
#include "base/fail.h"
#include "base/options.h"
#include "control/checkify.h"
#include "control/jit.h"
#include "core/nodes.h"
#include "evaluator/prepare.h"
#include "profiler/recorder.h"

namespace tenon::detail {
namespace {

struct Key {
  const Primitive* primitive;
  Avals avals;
  EqnParams params;
  std::string options;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = hash_bytes(&key.primitive, sizeof key.primitive, key.params.hash());
    for (const Aval& aval : key.avals) {
      const auto& dims = aval.shape.dims();
      hash = hash_bytes(dims.data(), dims.size() * sizeof(int64_t), hash ^ (aval.dtype.code() * 2 + aval.weak_type));
    }
    return hash;
  }
};

// How an operation runs: interpreted when it is small, compiled when it is large.
struct EagerProgram final : KeptProgram {
  explicit EagerProgram(const Key& key) : key(key) {}
  const Key key;
  evaluator::ProgramRef interpreted;
  Ref<CompiledProgram> compiled;
  Avals out_avals;

  Arrays run(const Arrays& operands) const {
    if (looks_at_values() && hands_on(*key.primitive)) {
      const config::Scope quiet{{"debug_nans", false}, {"debug_infs", false}};
      return run(operands);
    }
    if (compiled) return compiled->run(operands);
    std::vector<const void*> arguments;
    std::vector<void*> results;
    BufferRefs held, buffers;
    for (const Array& operand : operands) {
      const ArrayNode& node = operand.node("operand");
      if (node.kind() == ArrayNode::Kind::scalar) {
        arguments.push_back(static_cast<const ScalarNode&>(node).bytes);
      } else {
        held.push_back(buffer_of(operand, "operand"));
        arguments.push_back(held.back()->host_data());
      }
    }
    Client& client = find_client("cpu");
    for (const Aval& aval : out_avals) {
      buffers.push_back(client.allocate(aval.nbytes(), 0));
      results.push_back(const_cast<void*>(buffers.back()->unsafe_pointer()));
    }
    interpreted->run(arguments.data(), results.data());
    Arrays out;
    for (size_t i = 0; i < buffers.size(); ++i) out.push_back(array_of(std::move(buffers[i]), out_avals[i]));
    if (looks_at_values()) check_values(key.primitive->name(), out);
    return out;
  }
};

// Programs in order of their last use; the oldest go when there are too many.
class Programs final : ProgramOwner {
 public:
  Ref<EagerProgram> find(const Key& key) {
    std::lock_guard lock(mutex_);
    auto at = index_.find(key);
    if (at == index_.end()) return {};
    order_.splice(order_.begin(), order_, at->second);
    (*at->second)->use(true);
    return *at->second;
  }
  void insert(const Ref<EagerProgram>& program) {
    Order gone;  // freed after the lock
    {
      std::lock_guard lock(mutex_);
      if (index_.contains(program->key)) return;
      order_.push_front(program);
      index_.emplace(program->key, order_.begin());
      if (order_.size() > kMaxPrograms) {
        index_.erase(order_.back()->key);
        gone.splice(gone.begin(), order_, std::prev(order_.end()));
      }
    }
    ProgramCache::get().keep(*program, *this, program->compiled ? program->compiled->size_bytes : kInterpretedBytes, true);
  }

 private:
  using Order = std::list<Ref<EagerProgram>>;
  static constexpr size_t kMaxPrograms = 4096;
  static constexpr int64_t kInterpretedBytes = 4096;

  Ref<KeptProgram> forget(KeptProgram& program) override {
    std::lock_guard lock(mutex_);
    // By address: it may be about to die.
    const auto at = std::ranges::find(order_, &program, [](const Ref<EagerProgram>& kept) -> const KeptProgram* { return kept.get(); });
    if (at == order_.end()) return {};
    Ref<EagerProgram> kept = *at;
    index_.erase(kept->key);
    order_.erase(at);
    return kept;
  }

  Order order_;  // under the lock, as the index
  std::unordered_map<Key, Order::iterator, KeyHash> index_;
};
Programs& programs() {
  static Programs* all = new Programs;
  return *all;
}

Var new_var(const Aval& aval) {
  auto node = make_ref<VarNode>();
  node->aval = aval;
  return Var(node);
}

// The program whose only equation is this one.
Jaxpr one_equation(const Primitive& primitive, const Avals& avals, const EqnParams& params) {
  auto jaxpr = make_ref<JaxprNode>();
  for (const Aval& aval : avals) jaxpr->invars.push_back(new_var(aval));
  for (const Aval& aval : primitive.abstract_eval(avals, params)) jaxpr->outvars.push_back(new_var(aval));
  jaxpr->name = primitive.name.text;
  jaxpr->eqns.emplace_back(primitive, jaxpr->invars, jaxpr->outvars, params, current_source());
  return Jaxpr(Ref<const JaxprNode>(jaxpr));
}

// How often the innermost body of `jaxpr` runs; infinite where only the values decide.
double rounds_of(const Jaxpr& jaxpr) {
  double most = 1;
  for (const Eqn& eqn : jaxpr.eqns()) {
    if (eqn.params().find("cond_jaxpr")) return std::numeric_limits<double>::infinity();
    const Param* length = eqn.params().find("length");
    const double times = length && length->is<int64_t>() ? static_cast<double>(length->get<int64_t>()) : 1;
    for (const Jaxpr& inner : jaxprs_in_params(eqn.params())) most = std::max(most, times * rounds_of(inner));
  }
  return most;
}

// Operations on elements, all in all: what an interpreter would have to do one by one.
double element_operations(const Module& module, const Jaxpr& jaxpr) {
  double most = 0;
  for (const Avals& avals : {jaxpr.in_avals(), jaxpr.out_avals()})
    for (const Aval& aval : avals) most = std::max(most, static_cast<double>(aval.shape.num_elements()));
  auto costs = analysis::cost_analysis(module);
  return std::max(most, costs["flops"] + costs["transcendentals"]) * rounds_of(jaxpr);
}

Ref<EagerProgram> make_program(const Key& key) {
  const Primitive& primitive = *key.primitive;
  ProgramFacts facts;
  facts.name = primitive.name.text;
  facts.keep_unused = true;
  facts.jaxpr = one_equation(primitive, key.avals, key.params);
  auto program = make_ref<EagerProgram>(key);
  program->out_avals = facts.jaxpr.out_avals();
  auto lowered = make_ref<TracedProgram>(facts)->lower();
  bool on_host = find_client().platform() == "cpu";
  if (on_host && element_operations(lowered->module, facts.jaxpr) <= static_cast<double>(options().eager_evaluator_limit))
    program->interpreted = evaluator::prepare(lowered->module);
  if (!program->interpreted || !program->interpreted->has_compiled_bits()) {
    program->interpreted = {};
    program->compiled = lowered->compile();
  }
  return program;
}

}  // namespace

Arrays EvaluationTrace::process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) {
  for (const Array& operand : operands)
    if (const Tracer* tracer = tracer_of(operand))
      fail<UnexpectedTracerError>(primitive.name(), "a traced ", operand.aval(), " of ", tracer->trace->name(),
                                  " comes to where values are computed: a function with a rule of its own (custom_jvp, custom_vjp) captures it; "
                                  "make it an argument of that function");
  const profiler::Span span(profiler::EventKind::eager_call, nullptr, primitive.name.text);
  if (primitive.evaluate) return primitive.evaluate(operands, params);
  Key key{&primitive, avals_of(operands), params, compile_options_key() + "|" + std::to_string(options().eager_evaluator_limit)};
  Ref<EagerProgram> program = programs().find(key);
  if (!program) {
    program = make_program(key);
    programs().insert(program);
  }
  return program->run(operands);
}

// Evaluation is there as soon as the library is loaded.
static const bool installed = [] {
  static EvaluationTrace* trace = new EvaluationTrace;
  set_base_trace(trace);
  return true;
}();

}  // namespace tenon::detail
