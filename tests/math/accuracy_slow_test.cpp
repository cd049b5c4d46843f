// 10^7 floats and 10^7 doubles of each function, 10^7 pairs of those of two arguments; the table of the
// worst errors is printed at the end. MPFR judges (witness.h).
#include <gtest/gtest.h>

#include "accuracy_report.h"
#include "points.h"

namespace tenon::math {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kCount = 10'000'000;
constexpr std::uint64_t kWithoutWitness = 100'000;  // MPFR takes 100 us for a digamma
constexpr std::uint64_t kCheckEvery = 5003;

template <class F, class Of>
std::uint64_t count_for(const Of& function) {
  return function.witness == nullptr ? kWithoutWitness : kCount;
}

template <class F>
class Sweep : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Function<F>& function() const { return functions<F>()[GetParam()]; }

  /// `next()` gives the arguments, `count` of them.
  template <class Next>
  void sweep(WitnessedJudge<F, Function<F>>& judge, std::uint64_t count, Next next) {
    std::vector<F> block;
    for (std::uint64_t done = 0; done < count; done += block.size()) {
      block.resize(std::min<std::uint64_t>(kBlock, count - done));
      for (F& x : block) x = next();
      judge.judge(block);
    }
  }
};

const auto kName = [](const auto& info) { return std::string(functions<float>()[info.param].name); };
const auto kAll = ::testing::Range(std::size_t{0}, functions<float>().size());

class FloatSweep : public Sweep<float> {};
TEST_P(FloatSweep, AgainstMpfr) {
  WitnessedJudge<float, Function<float>> judge(function(), kCheckEvery);
  judge.judge(special_values<float>());
  std::uint32_t bits = 0;
  sweep(judge, kCount, [&] { return std::bit_cast<float>(bits += 429); });  // every exponent
  Random random(1);
  sweep(judge, kCount / 10, [&] { return any_number<float>(random); });
  conclude(function(), judge.verdict());
}
INSTANTIATE_TEST_SUITE_P(All, FloatSweep, kAll, kName);

class DoubleSweep : public Sweep<double> {};
TEST_P(DoubleSweep, AgainstMpfr) {
  WitnessedJudge<double, Function<double>> judge(function(), kCheckEvery);
  judge.judge(special_values<double>());
  Random random(2);
  sweep(judge, count_for<double>(function()), [&] { return any_number<double>(random); });
  conclude(function(), judge.verdict());
}
INSTANTIATE_TEST_SUITE_P(All, DoubleSweep, kAll, kName);

template <class F>
void sweep_pairs(const BinaryFunction<F>& function) {
  WitnessedJudge<F, BinaryFunction<F>> judge(function, kCheckEvery);
  std::vector<F> x, y;
  for (F first : special_values<F>()) {
    for (F second : special_values<F>()) {
      x.insert(x.end(), {first, first});
      y.insert(y.end(), {second, 3 * std::floor(second)});
    }
  }
  judge.judge(x, y);
  x.resize(kBlock);
  y.resize(kBlock);
  Random random(3);
  for (std::uint64_t done = 0; done < kCount; done += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) std::tie(x[i], y[i]) = any_pair<F>(random);
    judge.judge(x, y);
  }
  conclude(function, judge.verdict());
}
class PairSweep : public ::testing::TestWithParam<std::size_t> {};
TEST_P(PairSweep, FloatAgainstMpfr) { sweep_pairs(binary_functions<float>()[GetParam()]); }
TEST_P(PairSweep, DoubleAgainstMpfr) { sweep_pairs(binary_functions<double>()[GetParam()]); }
INSTANTIATE_TEST_SUITE_P(All, PairSweep, ::testing::Range(std::size_t{0}, binary_functions<float>().size()),
                         [](const auto& info) { return std::string(binary_functions<float>()[info.param].name); });

}  // namespace
}  // namespace tenon::math
