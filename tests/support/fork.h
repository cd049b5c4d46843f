// Runs code in a child process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENON_TSAN 1
#endif
#endif
#ifdef TENON_TSAN
#define SKIP_WITHOUT_FORK() GTEST_SKIP() << "TSan does not support threads after fork"
#else
#define SKIP_WITHOUT_FORK() static_cast<void>(0)
#endif

namespace tenon::testing {

/// The exit code of a child that runs `body` and exits with what it returns; -1 when the child dies
/// otherwise, for example by the alarm after 20 seconds.
template <class Body>
int exit_code_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace tenon::testing
