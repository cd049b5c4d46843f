// Programs as text, run by the evaluator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/module.h"
#include "evaluator/prepare.h"

namespace tenon::evaluator {

/// Runs @main of a module, or a module around `func.func @main` alone.
inline std::vector<Tensor> run_text(std::string_view text, const std::vector<Tensor>& arguments = {}) {
  return run(*prepare(Module::parse(text)), arguments);
}

/// A function of one operation: `signature` is "(%a: tensor<3xf32>) -> tensor<3xf32>".
inline std::vector<Tensor> run_op(const std::string& signature, const std::string& op, const std::vector<Tensor>& arguments = {}) {
  const std::string result = signature.substr(signature.find("->") + 3);
  return run_text("func.func @main" + signature + " {\n  %r = " + op + "\n  return %r : " + result + "\n}", arguments);
}

template <class T>
std::vector<T> to_vector(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

}  // namespace tenon::evaluator
