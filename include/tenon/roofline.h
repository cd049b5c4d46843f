// What kernels could take at least on this machine, and what they take. Source of the model: Williams, Waterman,
// Patterson, "Roofline", CACM 2009.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace tenon {

namespace detail {
struct RooflineMaker;
}

/// What this machine does at most, measured.
struct MachineRoofline {
  struct Memory {
    std::string name;             ///< "L1", "L2", "L3", "memory"
    int64_t size_bytes = 0;       ///< of the caches of all threads; of memory: as large as numbers get
    double bytes_per_second = 0;  ///< read and written
  };
  /// Of some threads together.
  struct Rates {
    int threads = 1;
    double f32_flops = 0, f64_flops = 0;                      ///< a second; a multiply-add is two
    double f32_transcendentals = 0, f64_transcendentals = 0;  ///< a second: exp, log, sin and tanh in turn
    std::vector<Memory> memories;                             ///< the fastest first
    /// The first one that holds so much.
    const Memory& memory_of(double bytes) const;
  };
  Rates thread, pool;         ///< of one thread; of as many as the pool has
  double launch_seconds = 0;  ///< to start a kernel on the thread that runs the program
  double region_seconds = 0;  ///< to start work on all threads, and to wait for it
  /// A table.
  std::string str() const;
};

/// Measured by the first call of the process, in some tens of milliseconds, and again for another size of the pool (the
/// option num_threads of this thread). Thread safe; the reference is good for ever.
const MachineRoofline& machine_roofline();

/// What limits a kernel.
enum class Bound { compute, memory, overhead };
/// "compute", "memory", "overhead".
const char* name_of(Bound bound);

/// A kernel, or whatever else a program starts: a product, a copy, a sort, a loop, a conditional.
struct RooflineKernel {
  std::string name, opcode;  ///< as in as_text()
  int depth = 0;             ///< inside of so many loops and conditionals, which stand before it
  /// Of one run, counted as by cost_analysis(): of a loop, one round; of a conditional, the largest numbers of its branches.
  double flops = 0, transcendentals = 0, bytes = 0;
  Bound bound = Bound::compute;  ///< of a loop or a conditional: what bounds most of the predicted time inside
  std::string memory;            ///< where its arrays fit: "L2"
  double predicted_seconds = 0;  ///< of all `runs`, by the roofline; where nothing was measured, of one

  int64_t runs = 0;             ///< in a call, when measured
  int64_t rounds = 0;           ///< of a loop in all its runs
  double measured_seconds = 0;  ///< of all runs of a call; the median of several calls
  double share = 0;             ///< of the time of the call
  double achieved = 0;          ///< predicted / measured
};

/// What a program's kernels could take and take, in the order of the program.
class RooflineReport {
 public:
  RooflineReport() = default;
  auto begin() const { return kernels_.begin(); }
  auto end() const { return kernels_.end(); }
  size_t size() const { return kernels_.size(); }
  const RooflineKernel& operator[](size_t i) const { return kernels_[i]; }

  /// Sums over what stands in no loop or conditional: those of cost_analysis().
  double flops() const;
  double transcendentals() const;
  double bytes() const;
  double predicted_seconds() const;
  double measured_seconds() const;
  /// Of a call, begin to end: the median; 0 where nothing was measured.
  double call_seconds() const { return call_seconds_; }
  int calls() const { return calls_; }  ///< that were measured
  const MachineRoofline& machine() const { return machine_; }
  /// The machine, and a line for each kernel.
  std::string str() const;

 private:
  friend struct detail::RooflineMaker;
  std::string program_;
  std::vector<RooflineKernel> kernels_;
  double other_bytes_ = 0;  // of what cost_analysis() counts and nobody starts: the table of several results
  double call_seconds_ = 0;
  int calls_ = 0;
  MachineRoofline machine_;
};

}  // namespace tenon

#pragma GCC visibility pop
