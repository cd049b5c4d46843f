// A cheap judge that knows its limits.
//
// MPFR costs microseconds a value, too much for 2^32 of them. A witness, a wider result of another
// maker (the C library's double for float, its long double for double), costs nanoseconds, and its
// relative error is below kMargin: 2^-40 and 2^-59, where the C library states 8 ulp, 2^-49 and 2^-60,
// at most. So |result - witness| says the error up to kMarginUlp. MPFR decides wherever that leaves
// open whether a point is the worst so far, and wherever no two ordinary numbers are compared; the
// worst error and its place are what MPFR alone would give. Every few points MPFR judges the witness.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "functions_under_test.h"

namespace tenon::math {

template <class F>
inline constexpr double kMargin = sizeof(F) == 4 ? 0x1p-40 : 0x1p-59;
template <class F>
inline constexpr double kMarginUlp = kMargin<F> * (sizeof(F) == 4 ? 0x1p24 : 0x1p53);

/// What a sweep found. Sweeps of parts are merged.
template <class F>
struct Verdict {
  double worst_ulp = 0;
  F at = 0, at_second = 0;
  std::uint64_t points = 0;
  std::uint64_t asked = 0;        // points that MPFR decided
  std::uint64_t witness_was = 0;  // times the witness was judged
  double witness_error = 0;       // its worst relative error, in kMargin; 1 and more is a failure
  double witness_at = 0;

  void merge(const Verdict& other) {
    if (other.worst_ulp > worst_ulp) worst_ulp = other.worst_ulp, at = other.at, at_second = other.at_second;
    points += other.points;
    asked += other.asked;
    witness_was += other.witness_was;
    if (other.witness_error > witness_error) witness_error = other.witness_error, witness_at = other.witness_at;
  }
};

/// |result - exact| in ulp of F, up to kMarginUlp; below 0 where both agree without a doubt, and NaN
/// where the witness does not know.
template <class F>
double error_by_witness(F result, Wide<F> exact) {
  constexpr double kAgree = -kMarginUlp<F>;
  const double kOpen = std::nan("");
  const bool same_sign = std::signbit(result) == std::signbit(exact);
  if (result != result || exact != exact) return result != result && exact != exact ? kAgree : kOpen;
  if (!same_sign) return kOpen;
  if (std::isinf(result) || std::isinf(exact) || exact == 0) {
    if (static_cast<Wide<F>>(result) == exact) return kAgree;
    constexpr Wide<F> highest = std::numeric_limits<F>::max();
    return std::isinf(result) && std::fabs(exact) > highest * (1 + Wide<F>(kMargin<F>)) ? kAgree : kOpen;
  }
  constexpr UlpFormat format = kUlpOf<F>;
  if constexpr (sizeof(F) == 4) {
    int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(exact) >> 52 & 0x7ff) - 1022 - format.digits;
    exponent = std::max(exponent, format.min_exponent - format.digits);
    const double per_ulp = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - exponent) << 52);
    return std::fabs(result - exact) * per_ulp;
  } else {
    const int exponent = std::max(std::ilogb(exact) + 1, format.min_exponent) - format.digits;
    return static_cast<double>(std::ldexp(std::fabs(result - exact), -exponent));
  }
}

/// Judges one function, block by block, and keeps the verdict. `Of`: Function or BinaryFunction.
template <class F, class Of>
class WitnessedJudge {
 public:
  /// MPFR judges the witness of every `check_every`-th point.
  WitnessedJudge(const Of& function, std::uint64_t check_every)
      : function_(function), judge_(function.exact), check_every_(check_every), until_check_(check_every) {}
  WitnessedJudge(const WitnessedJudge&) = delete;
  WitnessedJudge& operator=(const WitnessedJudge&) = delete;
  ~WitnessedJudge() { mpfr_free_cache(); }

  /// f(x[i]), or f(x[i], y[i]).
  template <class... Second>
  void judge(const std::vector<F>& x, const Second&... y) {
    results_.resize(x.size());
    function_.apply(x.data(), y.data()..., results_.data(), x.size());
    if (!ask_fast_witness(x)) witnesses_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) judge_point(i, x[i], y[i]...);
    verdict_.points += x.size();
  }

  const Verdict<F>& verdict() const { return verdict_; }

 private:
  bool ask_fast_witness(const std::vector<F>& x) {
    if constexpr (requires { function_.fast_witness; } && sizeof(F) == 4) {
      if (function_.fast_witness == nullptr || x.size() % 4 != 0) return false;
      wide_.assign(x.begin(), x.end());
      witnesses_.resize(x.size());
      apply_vector_function(function_.fast_witness, wide_.data(), witnesses_.data(), x.size());
      return true;
    }
    return false;
  }

  template <class... Point>
  void judge_point(std::size_t i, Point... point) {
    const F result = results_[i];
    if (function_.witness != nullptr) {
      const Wide<F> witness = witnesses_.empty() ? function_.witness(point...) : witnesses_[i];
      if (--until_check_ == 0) check_witness(witness, point...);
      if (error_by_witness(result, witness) + kMarginUlp<F> <= verdict_.worst_ulp) return;
    }
    ++verdict_.asked;
    const double error = judge_.at(point...).ulp_error(result);
    if (error <= verdict_.worst_ulp) return;
    verdict_.worst_ulp = error;
    F* places[] = {&verdict_.at, &verdict_.at_second};
    F** place = places;
    ((**place++ = point), ...);
  }

  /// Where the witness is a subnormal, or the value one beyond it, its error is not relative.
  template <class... Point>
  void check_witness(Wide<F> witness, Point... point) {
    until_check_ = check_every_;
    ++verdict_.witness_was;
    const bool is_far = !(std::fabs(witness) > std::numeric_limits<Wide<F>>::min() / kMargin<F>) || std::isinf(witness);
    if (is_far && witness == witness) return;
    const double error = judge_.at(point...).relative_error(witness) / kMargin<F>;
    if (error <= verdict_.witness_error) return;
    verdict_.witness_error = error;
    const double points[] = {static_cast<double>(point)...};
    verdict_.witness_at = points[0];
  }

  const Of& function_;
  MpfrJudge judge_;
  const std::uint64_t check_every_;
  std::uint64_t until_check_;
  std::vector<F> results_;
  std::vector<Wide<F>> wide_, witnesses_;  // of a block
  Verdict<F> verdict_;
};

template <class F>
WitnessedJudge(const Function<F>&, std::uint64_t) -> WitnessedJudge<F, Function<F>>;
template <class F>
WitnessedJudge(const BinaryFunction<F>&, std::uint64_t) -> WitnessedJudge<F, BinaryFunction<F>>;

}  // namespace tenon::math
