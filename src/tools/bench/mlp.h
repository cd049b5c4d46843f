// The network of mlp and mlp_train_step.
#pragma once

#include "tools/bench/workload.h"

namespace tenon::bench {

inline constexpr int64_t kRows = 512, kInputs = 784, kHidden = 1024, kOutputs = 10;

Array mlp(const Array& x, const Array& w1, const Array& b1, const Array& w2, const Array& b2);

/// Row `row` of max(x w1 + b1, 0), exactly.
std::vector<double> hidden_units(int64_t row, const std::vector<float>& x, const std::vector<float>& w1, const std::vector<float>& b1);

}  // namespace tenon::bench
