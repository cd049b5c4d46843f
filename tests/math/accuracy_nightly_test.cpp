// All 2^32 floats, and 10^8 doubles, of each function on all processors; the table of the worst errors
// is printed at the end. MPFR judges (witness.h). About a minute of processor time for most functions, six for sin, cos, tan.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "accuracy_report.h"
#include "points.h"

namespace tenon::math {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kDoubles = 100'000'000;
constexpr std::uint64_t kWithoutWitness = 1'000'000;
constexpr std::uint64_t kCheckEvery = 100'003;

/// fill(task, block) gives the arguments of one task of `tasks`; all processors take tasks in turn.
template <class F, class Fill>
Verdict<F> sweep(const Function<F>& function, std::uint64_t tasks, Fill fill) {
  Verdict<F> total;
  std::mutex mutex;
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    WitnessedJudge<F, Function<F>> judge(function, kCheckEvery);
    std::vector<F> block(kBlock);
    for (std::uint64_t task; (task = next++) < tasks;) {
      fill(task, block);
      judge.judge(block);
    }
    const std::lock_guard lock(mutex);
    total.merge(judge.verdict());
  };
  std::vector<std::thread> others(std::max(std::thread::hardware_concurrency(), 1u) - 1);
  for (std::thread& thread : others) thread = std::thread(work);
  work();
  for (std::thread& thread : others) thread.join();
  return total;
}

class AllFloats : public ::testing::TestWithParam<std::size_t> {};
TEST_P(AllFloats, AgainstMpfr) {
  const auto& function = functions<float>()[GetParam()];
  // All over the place: MPFR is asked until an error was seen, and where x is tiny there is none for a billion points.
  constexpr std::uint64_t kTasks = (std::uint64_t{1} << 32) / kBlock, kOdd = 0x9e3779b1;
  const auto verdict = sweep(function, kTasks, [](std::uint64_t task, std::vector<float>& block) {
    const std::uint64_t place = task * kOdd % kTasks;
    for (std::size_t i = 0; i < kBlock; ++i)
      block[i] = std::bit_cast<float>(static_cast<std::uint32_t>(place * kBlock + i));
  });
  conclude(function, verdict);
}
class ManyDoubles : public ::testing::TestWithParam<std::size_t> {};
TEST_P(ManyDoubles, AgainstMpfr) {
  const auto& function = functions<double>()[GetParam()];
  const std::uint64_t count = function.witness == nullptr ? kWithoutWitness : kDoubles;
  const auto verdict = sweep(function, count / kBlock, [](std::uint64_t task, std::vector<double>& block) {
    Random random(1000 + task);
    for (double& x : block) x = any_number<double>(random);
  });
  conclude(function, verdict);
}
const auto kName = [](const auto& info) { return std::string(functions<float>()[info.param].name); };
const auto kAll = ::testing::Range(std::size_t{0}, functions<float>().size());
INSTANTIATE_TEST_SUITE_P(All, AllFloats, kAll, kName);
INSTANTIATE_TEST_SUITE_P(All, ManyDoubles, kAll, kName);

}  // namespace
}  // namespace tenon::math
