// Passes over module text: parse, run, print.
#pragma once

#include <string>
#include <string_view>

#include "dialect/module.h"
#include "gtest/gtest.h"
#include "passes/pipeline.h"
#include "tenon/testkit.h"

namespace tenon::passes {

/// A module with one function of these arguments, results and body.
inline std::string main_text(std::string_view signature, std::string_view body) {
  return "module @jit_f {\n  func.func public @main" + std::string(signature) + " {\n" + std::string(body) + "\n  }\n}\n";
}

inline std::string after_pass(std::string_view pass, std::string_view text) {
  PipelineOptions options;
  options.verify = true;
  return run_pass(Module::parse(text), pass, options).str();
}

inline Module optimized(std::string_view text, PipelineOptions options = {}) {
  options.verify = true;
  return optimize(Module::parse(text), options);
}

#define EXPECT_IR(text, patterns)                                          \
  do {                                                                     \
    auto checked_text = (text);                                            \
    auto checked = ::tenon::testkit::check_ir(checked_text, patterns);     \
    EXPECT_TRUE(static_cast<bool>(checked)) << checked.message() << "\nin\n" << checked_text; \
  } while (false)

}  // namespace tenon::passes
