// Traces are interpreters: what `bind` does with an operation is up to the current trace.
// The base trace evaluates (src/api); JaxprTrace records (src/trace); jvp, linearize and batch
// come above it. A tracer holds what its trace knows of a value.
#pragma once

#include "tenon/primitive.h"

namespace tenon::detail {

class Tracer;

/// A function with a derivative of its own, as far as traces need it.
class CustomJvp : public RefCounted {
 public:
  virtual ~CustomJvp() = default;
  /// What the user wrote: results; results and tangents.
  virtual Arrays call(const Arrays& operands) const = 0;
  virtual JvpResult jvp(const Arrays& primals, const Tangents& tangents) const = 0;
  /// Makes one equation of the current trace, which records.
  Arrays (*record)(const Ref<const CustomJvp>& function, const Arrays& operands) = nullptr;
  std::string name, rule_name;
  bool symbolic_zeros = false;  // the rule takes them
};
using CustomJvpRef = Ref<const CustomJvp>;

/// A function with a backward pass of its own.
class CustomVjp : public RefCounted {
 public:
  virtual ~CustomVjp() = default;
  /// What the user wrote: results; results and what the backward pass needs; cotangents of the operands.
  virtual Arrays call(const Arrays& operands) const = 0;
  struct Forward {
    Arrays results, residuals;
  };
  virtual Forward forward(const Arrays& operands) const = 0;
  virtual Cotangents backward(const Arrays& residuals, const Arrays& cotangents) const = 0;
  /// Make one equation of the current trace, which records: the call; the map of its tangents, which
  /// can only be transposed.
  Arrays (*record)(const Ref<const CustomVjp>& function, const Arrays& operands) = nullptr;
  Tangents (*record_linear)(const Ref<const CustomVjp>& function, const Arrays& residuals, const Tangents& tangents,
                            const Avals& results) = nullptr;
  std::string name, forward_name, backward_name;
};
using CustomVjpRef = Ref<const CustomVjp>;

class Trace : public RefCounted {
 public:
  /// Applies the primitive to operands of any trace below or equal to this one.
  virtual Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) = 0;
  /// Applies a function with its own derivative.
  virtual Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) = 0;
  virtual Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) = 0;
  /// True when operations end up in a jaxpr, here or in a trace below.
  virtual bool records() const { return false; }
  /// Says what `tracer` depends on, for errors: " (x.cpp:12), which depends on argument v".
  virtual std::string describe(const Tracer& tracer) const = 0;
  /// A concrete value behind the tracer, when there is one (eager jvp); else an empty Array.
  virtual Array concrete_value(const Tracer&) const { return {}; }
  /// What Array::str says of a tracer: "JitTracer(float32[3])", with ~ before a weak dtype.
  virtual std::string tracer_str(const Tracer& tracer) const;
  /// "jit f", "vmap": what the user called.
  virtual std::string name() const = 0;
  bool ended() const { return ended_; }
  void end() { ended_ = true; }

 private:
  bool ended_ = false;
};
using TraceRef = Ref<Trace>;

class Tracer : public ArrayNode {
 public:
  Tracer(TraceRef trace, ShapedArray aval) : ArrayNode(Kind::tracer, std::move(aval)), trace(std::move(trace)) {
    if (const Loc* site = current_site()) made_at = *site;
  }
  const TraceRef trace;
  Loc made_at{};
};

/// The tracer behind `array`; nullptr when it is a value.
inline Tracer* tracer_of(const Array& array) {
  return array.is_tracer() ? static_cast<Tracer*>(array.node_ref().get()) : nullptr;
}

/// The trace of this thread; the base trace when none was begun.
Trace& current_trace();
/// The same to hold; empty for the base trace.
const TraceRef& current_trace_ref();
/// True when operations are evaluated at once.
bool is_evaluating();
/// Makes `trace` current while it lives.
class TraceScope {
 public:
  explicit TraceScope(TraceRef trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;

 private:
  TraceRef previous_;
};
/// The interpreter that evaluates; installed once by src/api. Nullptr: the one installed.
void set_base_trace(Trace* trace);
/// Makes the base trace current while it lives (constants computed while tracing).
class EvaluationScope {
 public:
  EvaluationScope();
  ~EvaluationScope();
  EvaluationScope(const EvaluationScope&) = delete;

 private:
  TraceRef previous_;
};

/// An axis that a vmap has named, while it lives. An empty name names nothing.
class NamedAxisScope {
 public:
  explicit NamedAxisScope(const BatchAxis& axis);
  ~NamedAxisScope();
  NamedAxisScope(const NamedAxisScope&) = delete;

 private:
  bool named_;
};
bool is_axis_bound(std::string_view name);
/// Of the innermost axis of this name, which is bound.
int64_t size_of_axis(std::string_view name);

/// The number of the library call at work, a function of jnp that the user called and not one of lax; else 0.
uint32_t current_call();
/// Has the function of this call one array alone?
bool takes_one_operand(uint32_t call);
/// Makes what is bound while it lives one library call.
class CallScope {
 public:
  CallScope();
  ~CallScope();
  CallScope(const CallScope&) = delete;

 private:
  uint32_t previous_;
};

/// Forgets the user's line and call while it lives: user code that is called from inside the library
/// (a traced function) reports its own lines.
class SiteReset {
 public:
  SiteReset();
  ~SiteReset();
  SiteReset(const SiteReset&) = delete;

 private:
  const Loc* previous_;
  const SourceInfo* source_;
  uint32_t call_;
};
/// Starts with an empty name stack while it lives (the body of a nested jit).
class NameStackReset {
 public:
  NameStackReset();
  ~NameStackReset();
  NameStackReset(const NameStackReset&) = delete;

 private:
  std::string previous_;
};

/// Names of the open named_scopes, "alpha/beta".
const std::string& current_name_stack();
SourceInfo current_source();
/// While it lives, operations come from where an equation came from.
class SourceScope {
 public:
  explicit SourceScope(const SourceInfo& source);
  ~SourceScope();
  SourceScope(const SourceScope&) = delete;

 private:
  const SourceInfo* previous_;
};

}  // namespace tenon::detail
