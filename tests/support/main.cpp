// main() of the test executables: runs the tests, and fails each test during which something was written to stdout or stderr.
//
// While a test runs, both streams go to a file in memory; what GoogleTest itself reports goes around it. A test that
// wants output (of a program it starts, or of a logger set to print) captures it with testing::internal::CaptureStderr().
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

int real_stdout = -1, real_stderr = -1, capture = -1;

void to_capture() {
  std::fflush(stdout);
  std::fflush(stderr);
  dup2(capture, STDOUT_FILENO);
  dup2(capture, STDERR_FILENO);
}

void to_real() {
  std::fflush(stdout);
  std::fflush(stderr);
  dup2(real_stdout, STDOUT_FILENO);
  dup2(real_stderr, STDERR_FILENO);
}

// What was written since the last call.
std::string take_captured() {
  std::string text;
  char part[4096];
  lseek(capture, 0, SEEK_SET);
  for (ssize_t n; (n = read(capture, part, sizeof part)) > 0;) text.append(part, n);
  lseek(capture, 0, SEEK_SET);
  if (ftruncate(capture, 0) != 0) return text;
  return text;
}

// A crash must not take the last words of the process with it.
[[maybe_unused]] void print_captured_and_die(int signal_number) {
  char part[4096];
  lseek(capture, 0, SEEK_SET);
  for (ssize_t n; (n = read(capture, part, sizeof part)) > 0;)
    if (write(real_stderr, part, n) < 0) break;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

// Stands around GoogleTest's printer: its lines go to the real streams.
class QuietTests : public testing::EmptyTestEventListener {
 public:
  explicit QuietTests(testing::TestEventListener* printer) : printer_(printer) {}

  void OnTestProgramStart(const testing::UnitTest& u) override { printer_->OnTestProgramStart(u); }
  void OnTestIterationStart(const testing::UnitTest& u, int i) override { printer_->OnTestIterationStart(u, i); }
  void OnEnvironmentsSetUpStart(const testing::UnitTest& u) override { printer_->OnEnvironmentsSetUpStart(u); }
  void OnTestSuiteStart(const testing::TestSuite& s) override { printer_->OnTestSuiteStart(s); }
  void OnTestStart(const testing::TestInfo& t) override {
    printer_->OnTestStart(t);
    to_capture();
  }
  void OnTestPartResult(const testing::TestPartResult& r) override {
    // Only around a running test; a test that captures by itself has its own idea of the streams.
    to_real();
    printer_->OnTestPartResult(r);
    std::fflush(stdout);
    if (!ended_) to_capture();
  }
  void OnTestEnd(const testing::TestInfo& t) override {
    to_real();
    ended_ = true;
    std::string written = take_captured();
    if (!written.empty() && !t.result()->Skipped())
      ADD_FAILURE() << "written to stdout or stderr, which are the host's:\n" << written;
    ended_ = false;
    printer_->OnTestEnd(t);
  }
  void OnTestSuiteEnd(const testing::TestSuite& s) override { printer_->OnTestSuiteEnd(s); }
  void OnEnvironmentsTearDownStart(const testing::UnitTest& u) override { printer_->OnEnvironmentsTearDownStart(u); }
  void OnTestIterationEnd(const testing::UnitTest& u, int i) override { printer_->OnTestIterationEnd(u, i); }
  void OnTestProgramEnd(const testing::UnitTest& u) override { printer_->OnTestProgramEnd(u); }

 private:
  std::unique_ptr<testing::TestEventListener> printer_;
  bool ended_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
#ifndef TENON_SANITIZE  // their reports go to stderr
  real_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
  capture = memfd_create("captured", MFD_CLOEXEC);
  if (real_stdout >= 0 && real_stderr >= 0 && capture >= 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new QuietTests(listeners.Release(listeners.default_result_printer())));
    for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, print_captured_and_die);
  }
#endif
  return RUN_ALL_TESTS();
}
