// What the events of a trace are called and say: what all files of a trace have in common.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/recorder.h"
#include "tenon/config.h"

namespace tenon::profiler {

/// What is known of an operation that a program starts.
struct OperationFacts {
  std::string name, opcode;      // as in Compiled::as_text()
  std::string op_name, source;   // "jit(f)/scope/sin", "file.cpp:12"
  double flops = 0, transcendentals = 0, bytes = 0;
  std::string bound;             // by the roofline: compute, memory, overhead; empty where nobody knows
  double roofline_seconds = 0;   // the least time of one run by it
};
struct ProgramFacts {
  std::string module;  // "jit_f"
  int64_t id = 0;
  std::vector<OperationFacts> operations;  // by the index of events; without a name: there is none
};
/// By the owner of events.
using Programs = std::unordered_map<const void*, ProgramFacts>;

/// A trace with what follows from all of it.
struct NamedTrace {
  NamedTrace(TakenTrace trace, Programs programs);

  /// Of threads[t].events[e].
  struct Relations {
    int32_t group = -1;       // number of the step that it belongs to
    bool is_miss = false;     // a call for which something was traced or compiled
  };
  const Relations& relations(size_t t, size_t e) const { return relations_[t][e]; }
  const ProgramFacts* program_of(const Event& event) const;
  const OperationFacts* operation_of(const Event& event) const;

  using Stat = std::pair<const char*, config::Value>;
  using OwnedStat = std::pair<std::string, config::Value>;
  std::string name_of(const TakenEvent& event) const;
  /// What this one event says, in the words of XProf.
  std::vector<OwnedStat> stats_of(size_t t, size_t e) const;
  /// What each event of its name and operation says.
  std::vector<Stat> shared_stats_of(const Event& event) const;

  const TakenTrace trace;
  const Programs programs;

 private:
  void relate_nested();
  void relate_launches();
  void relate_chunks();
  std::vector<std::vector<Relations>> relations_;
};

/// "jit call", "kernel", "wait": the kind of an event.
const char* category_of(EventKind kind);
/// "main/123"
std::string line_name(const TakenThread& thread);

}  // namespace tenon::profiler
