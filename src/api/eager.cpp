#include "api/eager.h"

#include <list>
#include <mutex>
#include <unordered_map>

#include "api/program.h"
#include "base/fail.h"
#include "base/options.h"
#include "core/nodes.h"

namespace tenon::detail {
namespace {

struct Key {
  const Primitive* primitive;
  Avals avals;
  Params params;
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

// Programs in order of their last use; the oldest go when there are too many.
class Programs {
 public:
  Ref<CompiledProgram> find(const Key& key) {
    std::lock_guard lock(mutex_);
    auto at = index_.find(key);
    if (at == index_.end()) return {};
    order_.splice(order_.begin(), order_, at->second);
    return at->second->second;
  }
  void insert(Key key, Ref<CompiledProgram> program) {
    std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    order_.emplace_front(key, std::move(program));
    index_.emplace(std::move(key), order_.begin());
    while (order_.size() > kMaxPrograms) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
  }
  void clear() {
    std::lock_guard lock(mutex_);
    index_.clear();
    order_.clear();
  }

 private:
  static constexpr size_t kMaxPrograms = 4096;
  std::mutex mutex_;
  std::list<std::pair<Key, Ref<CompiledProgram>>> order_;
  std::unordered_map<Key, decltype(order_)::iterator, KeyHash> index_;
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
Jaxpr one_equation(const Primitive& primitive, const Avals& avals, const Params& params) {
  auto jaxpr = make_ref<JaxprNode>();
  for (const Aval& aval : avals) jaxpr->invars.push_back(new_var(aval));
  for (const Aval& aval : primitive.abstract_eval(avals, params)) jaxpr->outvars.push_back(new_var(aval));
  jaxpr->name = primitive.name.text;
  jaxpr->eqns.emplace_back(primitive, jaxpr->invars, jaxpr->outvars, params, current_source());
  return Jaxpr(Ref<const JaxprNode>(jaxpr));
}

}  // namespace

Arrays EvaluationTrace::process(const Primitive& primitive, const Arrays& operands, const Params& params) {
  Key key{&primitive, {}, params, compile_options_key()};
  key.avals.reserve(operands.size());
  for (const Array& operand : operands) key.avals.push_back(operand.aval());
  Ref<CompiledProgram> program = programs().find(key);
  if (!program) {
    ProgramFacts facts;
    facts.name = primitive.name.text;
    facts.jaxpr = one_equation(primitive, key.avals, params);
    program = make_ref<TracedProgram>(std::move(facts))->lower()->compile();
    programs().insert(std::move(key), program);
  }
  return program->run(operands);
}

void clear_eager_programs() { programs().clear(); }

// Evaluation is there as soon as the library is loaded.
static const bool installed = [] {
  static EvaluationTrace* trace = new EvaluationTrace;
  set_base_trace(trace);
  return true;
}();

}  // namespace tenon::detail
