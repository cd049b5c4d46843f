// The jitted function: a cache of programs by signature.
#include "tenon/jit.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "api/compile_options.h"
#include "api/explain.h"
#include "api/program.h"
#include "api/program_cache.h"
#include "base/fail.h"
#include "base/options.h"
#include "control/jit.h"
#include "core/layout.h"
#include "core/nodes.h"
#include "profiler/recorder.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

// The programs of one signature: shapes, dtypes, weak types, structure, width of 64-bit types.
struct Entry final : KeptProgram {
  Avals avals;
  std::string structure;
  bool enable_x64 = false;
  std::vector<StaticArgument> statics;  // texts, to explain later misses
  Ref<TracedProgram> traced;
  // Under the lock of the jitted function; made under the options of this number:
  Ref<CompiledProgram> compiled;
  uint64_t compiled_serial = 0;

  bool matches(const Call& call, bool x64) const {
    if (x64 != enable_x64 || call.leaves.size() != avals.size() || call.structure != structure) return false;
    for (size_t i = 0; i < avals.size(); ++i)
      if (call.leaves[i].node("jit").aval() != avals[i]) return false;
    return true;
  }
};

// One format for all, or one for each of `count`; or none. `rule`: "in_formats has one format for each parameter".
class OneOrEach {
 public:
  OneOrEach(const std::vector<Format>& formats, size_t count, const std::string& who, const char* rule) : formats_(formats) {
    if (formats.size() > 1 && formats.size() != count) fail<ValueError>(who, rule, ", or one for all; got ", formats.size(), " for ", count);
  }
  const Format& operator[](size_t i) const { return formats_[formats_.size() == 1 ? 0 : i]; }

 private:
  const std::vector<Format>& formats_;
};

class JitObject final : public RefCounted, ProgramOwner {
 public:
  JitObject(std::string name, JitOptions options)
      : name_(std::move(name)), options_(std::move(options)), settings_(settings_of(options_.compile_options, "jit " + name_)) {}
  ~JitObject() override { leave(); }

  FlatResult call(const Call& call) {
    const profiler::Span span(profiler::EventKind::jit_call, nullptr, name_);
    SiteScope site(call.loc);
    if (!is_evaluating()) return call_under_trace(call);
    const Ref<CompiledProgram> program = compiled(call);
    return {program->run(call.leaves), program->facts.prototype};
  }

  Ref<TracedProgram> trace(const Call& call) {
    SiteScope site(call.loc);
    return lookup(call)->traced;
  }

  int64_t cache_size() const {
    std::lock_guard lock(mutex_);
    return static_cast<int64_t>(entries_.size());
  }

 private:
  Ref<KeptProgram> forget(KeptProgram& program) override {
    std::lock_guard lock(mutex_);
    const auto at = std::ranges::find(entries_, &program, [](const Ref<Entry>& entry) -> const KeptProgram* { return entry.get(); });
    if (at == entries_.end()) return {};
    Ref<Entry> entry = std::move(*at);
    entries_.erase(at);
    return entry;
  }

  // Under the lock.
  Entry* find_entry(const Call& call, bool x64) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
      if ((*entry)->matches(call, x64)) return entry->get();
    return nullptr;
  }
  Ref<Entry> find(const Call& call, bool x64) const {
    std::lock_guard lock(mutex_);
    return Ref<Entry>(find_entry(call, x64));
  }

  // The program of this call under the options in force, and over them those of the jit.
  Ref<CompiledProgram> compiled(const Call& call) {
    const uint64_t serial = options().serial;
    {
      std::lock_guard lock(mutex_);
      if (Entry* entry = find_entry(call, options().enable_x64)) {
        const bool is_hit = entry->compiled && entry->compiled_serial == serial;
        entry->use(is_hit);
        if (is_hit) return entry->compiled;
      }
    }
    const Ref<Entry> entry = lookup(call);
    Ref<CompiledProgram> fresh = entry->traced->lower()->compile(settings_);
    bool is_miss = false;
    {
      std::lock_guard lock(mutex_);
      is_miss = entry->compiled.get() != fresh.get();
      entry->compiled = fresh;
      entry->compiled_serial = serial;
    }
    ProgramCache::get().keep(*entry, *this, fresh->size_bytes, is_miss);
    return fresh;
  }

  Ref<Entry> lookup(const Call& call) {
    bool x64 = options().enable_x64;
    if (Ref<Entry> known = find(call, x64)) return known;
    explain_miss(call);
    return insert(make_entry(call, x64), call);
  }
  // The entry, or one of another thread that was faster.
  Ref<Entry> insert(const Ref<Entry>& entry, const Call& call) {
    {
      std::lock_guard lock(mutex_);
      if (Entry* other = find_entry(call, entry->enable_x64)) return Ref<Entry>(other);
      entries_.push_back(entry);
    }
    ProgramCache::get().keep(*entry, *this, size_of(entry->traced->facts.jaxpr), false);
    return entry;
  }

  // A jit inside a trace is one equation. A program that captured outer tracers belongs to this
  // trace alone and is not kept.
  FlatResult call_under_trace(const Call& call) {
    bool x64 = options().enable_x64;
    Ref<Entry> entry = find(call, x64);
    if (!entry) {
      entry = make_entry(call, x64);
      if (std::ranges::none_of(entry->traced->facts.jaxpr.consts(), &Array::is_tracer)) entry = insert(entry, call);
    }
    const ProgramFacts& facts = entry->traced->facts;
    return {bind_jit(facts.name, facts.jaxpr, call.leaves), facts.prototype};
  }

  Ref<Entry> make_entry(const Call& call, bool x64) const {
    const profiler::Span span(profiler::EventKind::stage, "trace", name_);
    auto entry = make_ref<Entry>();
    entry->avals = avals_of(call.leaves);
    entry->structure = call.structure;
    entry->enable_x64 = x64;
    entry->statics = call.static_arguments();
    ProgramFacts facts;
    facts.name = name_;
    facts.backend = options_.backend;
    facts.keep_unused = options_.keep_unused;
    facts.structure = call.structure;
    facts.arg_names = leaf_names(call, options_.arg_names);
    if (!options_.donate_argnums.empty()) facts.donated = donated_leaves(call);
    facts.jaxpr = trace_to_jaxpr(
        [&](const Arrays& leaves) {
          FlatResult result = call.run(leaves);
          facts.prototype = result.prototype;
          return std::move(result.leaves);
        },
        entry->avals, "jit " + name_, name_, facts.arg_names);
    facts.in_layouts = argument_layouts(call);
    facts.out_layouts = result_layouts(facts.jaxpr.out_avals());
    entry->traced = make_ref<TracedProgram>(std::move(facts));
    return entry;
  }

  // Of each array; none: all are row-major.
  std::vector<Layout> argument_layouts(const Call& call) const {
    const OneOrEach formats(options_.in_formats, call.argument_count(), "jit " + name_, "in_formats has one format for each parameter");
    std::vector<Layout> layouts;
    if (options_.in_formats.empty()) return layouts;
    call.leaf_paths([&](size_t argument, const std::string&) {
      layouts.push_back(wish(formats[argument], call.leaves[layouts.size()].aval(), "in_formats, argument " + std::to_string(argument)));
    });
    return layouts;
  }
  std::vector<Layout> result_layouts(const Avals& avals) const {
    const OneOrEach formats(options_.out_formats, avals.size(), "jit " + name_, "out_formats has one format for each array of the result");
    std::vector<Layout> layouts;
    for (size_t i = 0; i < avals.size() && !options_.out_formats.empty(); ++i)
      layouts.push_back(wish(formats[i], avals[i], "out_formats, array " + std::to_string(i)));
    return layouts;
  }
  Layout wish(const Format& format, const Aval& aval, const std::string& what) const {
    if (format.layout.is_auto) return aval.dtype.is_prng_key() ? Layout() : Layout::AUTO;
    return checked_layout(format.layout, aval, "jit " + name_ + ": " + what);
  }

  std::vector<bool> donated_leaves(const Call& call) const {
    for (int argnum : options_.donate_argnums)
      if (argnum < 0 || static_cast<size_t>(argnum) >= call.argument_count())
        fail<ValueError>("jit " + name_, "donate_argnums names argument ", argnum, "; the function has ", call.argument_count());
    std::vector<bool> donated;
    call.leaf_paths([&](size_t argument, const std::string&) {
      donated.push_back(std::ranges::find(options_.donate_argnums, static_cast<int>(argument)) != options_.donate_argnums.end());
    });
    return donated;
  }

  void explain_miss(const Call& call) const {
    if (!options().explain_cache_misses) return;
    std::lock_guard lock(mutex_);
    if (entries_.empty()) return;
    // The one that it would have been with the least change; of those the youngest.
    const auto distance = [&, statics = call.static_arguments()](const Ref<Entry>& entry) {
      return distance_between(call, statics, entry->avals, entry->statics);
    };
    const Entry& nearest = **std::ranges::min_element(entries_.rbegin(), entries_.rend(), {}, distance);
    log_cache_miss(name_, leaf_names(call, options_.arg_names), call, nearest.avals, nearest.statics, options_.arg_names);
  }

  const std::string name_;
  const JitOptions options_;
  const std::vector<config::Setting> settings_;
  std::vector<Ref<Entry>> entries_;  // under the lock
};

std::string option_key(std::string_view name, const JitOptions& o) {
  std::string key = std::string(name) + '\0' + o.backend + '\0';
  for (const std::string& arg : o.arg_names) key += arg + '\0';
  key += o.keep_unused ? '\2' : '\1';
  for (int i : o.donate_argnums) key += std::to_string(i) + ',';
  for (const Format& format : o.in_formats) key += '\1' + format.layout.str();
  for (const Format& format : o.out_formats) key += '\2' + format.layout.str();
  key += '\0' + key_of(settings_of(o.compile_options, "jit " + std::string(name)));
  return key;
}

}  // namespace

Ref<RefCounted> Jit::make(const void* identity, std::string_view name, const JitOptions& options) {
  std::string full_name(options.name.empty() ? name : std::string_view(options.name));
  if (!identity) return make_ref<JitObject>(full_name, options);
  // One object, hence one cache, for all jits of one function with the same options.
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<const void*, std::string>, Ref<JitObject>>;
  std::lock_guard lock(mutex);
  Ref<JitObject>& object = (*known)[{identity, option_key(full_name, options)}];
  if (!object) object = make_ref<JitObject>(full_name, options);
  return object;
}
FlatResult Jit::call(RefCounted& jit, const Call& call) { return static_cast<JitObject&>(jit).call(call); }
Ref<RefCounted> Jit::trace(RefCounted& jit, const Call& call) { return static_cast<JitObject&>(jit).trace(call); }
int64_t Jit::cache_size(const RefCounted& jit) { return static_cast<const JitObject&>(jit).cache_size(); }

std::vector<std::string> leaf_names(const Call& call, const std::vector<std::string>& arg_names) {
  std::vector<std::string> names;
  call.leaf_paths([&](size_t argument, const std::string& path) {
    names.push_back((argument < arg_names.size() ? arg_names[argument] : "arg" + std::to_string(argument)) + path);
  });
  return names;
}

TracedTree make_jaxpr_of(const Call& call, const char* who) {
  TracedTree out;
  const auto body = [&](const Arrays& leaves) {
    out.result = call.run(leaves);
    return std::exchange(out.result.leaves, {});
  };
  out.jaxpr = trace_to_jaxpr(body, avals_of(call.leaves), who, "", leaf_names(call, {}));
  for (const Aval& aval : out.jaxpr.out_avals()) out.result.leaves.emplace_back(make_ref<AbstractNode>(aval));
  return out;
}

}  // namespace tenon::detail
