// Each allocation fails in turn, of one phase of a program's life: allocation_faults trace|lower|run|compile [EVERY]
//
// trace, lower, run: std::bad_alloc or OutOfMemoryError arrives, nothing stays allocated, and the next try gives the right numbers.
// compile: LLVM and MLIR, which are built without exceptions, may end the process, so each try has a process of its own, and the outcomes
// are counted: none may give wrong numbers or hang.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "tenon/tenon.h"

namespace {
thread_local long t_until_failure = 0;  // 1: the next one; 0: none
thread_local long t_live = 0;
thread_local bool t_failed = false;

void* allocate(std::size_t size, std::size_t alignment) {
  if (t_until_failure > 0 && --t_until_failure == 0) {
    t_failed = true;
    throw std::bad_alloc();
  }
  void* memory = alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment) : std::malloc(size);
  if (!memory) throw std::bad_alloc();
  ++t_live;
  return memory;
}
void deallocate(void* memory) noexcept {
  if (memory) --t_live;
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return allocate(size, 0); }
void* operator new[](std::size_t size) { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete[](void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }

using namespace tenon;

static Array program(Array x, Array w) {
  const Array y = jnp::tanh(jnp::matmul(x, w));
  return lax::fori_loop(0, 3, [](Array, Array v) { return v * 2.0; }, jnp::sum(y * y, {.axis = 1})) + jnp::sort(x)(0, 0);
}

struct Outcome {
  long tried = 0, leaked = 0;
  bool ok = true;
};
// `attempt` with its n-th allocation failing, for n = 1, 1 + every, ... until none fails; `check` afterwards.
template <class F, class C>
Outcome fail_each(long every, F attempt, C check) {
  Outcome outcome;
  attempt();
  attempt();  // tables that are made once
  for (long n = 1;; n += every) {
    const long live = t_live;
    t_failed = false;
    t_until_failure = n;
    bool thrown = false;
    try {
      attempt();
    } catch (const std::bad_alloc&) {
      thrown = true;
    } catch (const OutOfMemoryError&) {
      thrown = true;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "allocation %ld: another exception: %s\n", n, error.what());
      outcome.ok = false;
    }
    t_until_failure = 0;
    if (!t_failed) return outcome;
    ++outcome.tried;
    if (!thrown) {
      std::fprintf(stderr, "allocation %ld: failed, and nobody said so\n", n);
      outcome.ok = false;
    }
    outcome.leaked += t_live - live;
    if (!check()) {
      std::fprintf(stderr, "allocation %ld: wrong numbers afterwards\n", n);
      outcome.ok = false;
    }
  }
}

int main(int argc, char** argv) {
  const std::string phase = argc > 1 ? argv[1] : "trace";
  const long every = argc > 2 ? std::atol(argv[2]) : 1;
  config::update("cpu_enable_async_dispatch", false);
  config::update("num_threads", 1);
  const Array x = jnp::arange(12.0).reshape({3, 4}) * 0.1f, w = jnp::ones({4, 5}) * 0.3f;
  const std::vector<float> want = jit(program)(x, w).to_vector<float>();
  const auto f = jit([](Array a, Array b) { return program(a, b); });
  const std::vector<float> thrice = jit([](Array a) { return a * 3.0; })(x).to_vector<float>();
  Outcome outcome;
  if (phase == "trace") {
    const std::string text = make_jaxpr(program)(x, w).str();
    outcome = fail_each(every, [&] { make_jaxpr(program)(x, w); }, [&] { return make_jaxpr(program)(x, w).str() == text; });
  } else if (phase == "run") {
    const auto compiled = f.lower(x, w).compile();
    outcome = fail_each(every, [&] { compiled(x, w); }, [&] { return compiled(x, w).to_vector<float>() == want; });
  } else {
    long thrown = 0, died = 0, wrong = 0, hung = 0;
    for (long n = 1;; n += every) {
      std::fflush(nullptr);
      const pid_t child = fork();
      if (child == 0) {
        alarm(60);
        std::freopen("/dev/null", "w", stderr);
        const auto lowered = jit([](Array a, Array b) { return program(a, b); }).lower(x, w);
        t_until_failure = n;
        bool is_thrown = false;
        try {
          if (phase == "lower") jit([](Array a, Array b) { return program(a, b) + 1.0; }).lower(x, w);
          else lowered.compile();
        } catch (...) {
          is_thrown = true;
        }
        t_until_failure = 0;
        if (!t_failed) _exit(4);
        // What was made goes on working, and the next try is right.
        if (f(x, w).to_vector<float>() != want || jit([](Array a) { return a * 3.0; })(x).to_vector<float>() != thrice) _exit(3);
        if (lowered.compile()(x, w).to_vector<float>() != want) _exit(3);
        _exit(is_thrown ? 1 : 2);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 4) break;
      ++outcome.tried;
      if (!WIFEXITED(status)) WTERMSIG(status) == SIGALRM ? ++hung : ++died;
      else if (WEXITSTATUS(status) == 3) ++wrong;
      else ++thrown;
    }
    std::printf("%s: %ld allocations failed: %ld were an exception or did no harm, %ld ended the process (LLVM), %ld wrong, %ld hung\n", phase.c_str(), outcome.tried,
                thrown, died, wrong, hung);
    return wrong == 0 && hung == 0 && outcome.tried > 0 ? 0 : 1;
  }
  std::printf("%s: %ld allocations failed in turn, %ld blocks stay\n", phase.c_str(), outcome.tried, outcome.leaked);
  return outcome.ok && outcome.tried > 10 && outcome.leaked <= 0 ? 0 : 1;
}
