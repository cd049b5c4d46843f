// 1-nearest-neighbour over handwritten digits: the first 1200 images are known, the other 597 are
// asked for. Distances are computed in blocks, so that the full matrix is never made.
//
//   nearest_digits [--data DIR] [--stages]     --stages prints what Tenon makes of the function
#include <tenon/tenon.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

using namespace tenon;

static constexpr int64_t kKnown = 1200, kImages = 1797, kPixels = 64, kBlock = 200;
static constexpr double kDistanceSum = 156050350.01532635;  // float64, examples/data/README.md
static constexpr int kRight = 576;

// Squared distance of each row of `asked` to each row of `known`.
static Array squared_distances(Array asked, Array known) {
  return jnp::sum(jnp::square(asked(all, newaxis, all) - known(newaxis, all, all)), {.axis = -1});
}
static Array nearest(Array asked, Array known) { return jnp::argmin(squared_distances(asked, known), {.axis = 1}); }
static Array distance_sums(Array asked, Array known) {
  return jnp::sum(jnp::sqrt(squared_distances(asked, known)), {.axis = 1});
}

static double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static void show_progress(const char* what, int64_t done, int64_t total) {
  constexpr int kWidth = 40;
  int filled = static_cast<int>(done * kWidth / total);
  std::fprintf(stderr, "\r%-16s [%s%s] %3d %%", what, std::string(filled, '#').c_str(),
               std::string(kWidth - filled, '.').c_str(), static_cast<int>(done * 100 / total));
  if (done == total) std::fputc('\n', stderr);
}

// Calls f on blocks of rows, gives each result to `use`, and reports what was compiled.
template <class F, class Use>
static void in_blocks(const char* what, F f, const Array& rows, const Array& known, Use use) {
  int64_t count = rows.shape()[0];
  auto compiled = f.lower(rows(slice(0, kBlock)), known).compile();
  auto start = std::chrono::steady_clock::now();
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t end = std::min(at + kBlock, count);
    use(f(rows(slice(at, end)), known), at);
    show_progress(what, end, count);
  }
  double elapsed = seconds_since(start);
  double flops = 3.0 * static_cast<double>(count * known.shape()[0] * kPixels);
  int kernels = 0;
  std::string text = compiled.as_text();
  for (size_t at = text.find(" fusion("); at != std::string::npos; at = text.find(" fusion(", at + 1)) ++kernels;
  std::printf("%s: %d kernel(s), %.0f bytes and %lld temporary bytes a block; %.1f ms in all, %.2f GFLOP/s\n", what, kernels,
              compiled.cost_analysis()["bytes accessed"],
              static_cast<long long>(compiled.memory_analysis().temp_size_in_bytes), elapsed * 1e3, flops / elapsed * 1e-9);
}

int main(int argc, char** argv) {
  std::string data = "data";
  bool stages = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--stages") == 0) stages = true;
    else if (std::strcmp(argv[i], "--data") == 0 && i + 1 < argc) data = argv[++i];
    else {
      std::fprintf(stderr, "usage: nearest_digits [--data DIR] [--stages]\n");
      return 2;
    }
  }
  try {
    Array images = load_npy(data + "/digits_images.npy"), labels = load_npy(data + "/digits_labels.npy");
    Array known = images(slice(0, kKnown)), asked = images(slice(kKnown, kImages));
    auto classify = jit<nearest>({.arg_names = {"asked", "known"}});
    auto sum_distances = jit<distance_sums>({.arg_names = {"asked", "known"}});

    if (stages) {
      Array block = asked(slice(0, kBlock));
      std::cout << "--- jaxpr\n" << make_jaxpr(nearest)(block, known).str() << "\n";
      auto lowered = classify.lower(block, known);
      std::cout << "--- StableHLO\n" << lowered.as_text() << "--- optimized HLO\n" << lowered.compile().as_text()
                << "--- LLVM IR\n" << lowered.compile().generated_code("llvm") << "\n";
    }

    int right = 0;
    std::vector<int> truth = labels.to_vector<int>();
    std::vector<int> known_labels(truth.begin(), truth.begin() + kKnown);
    in_blocks("nearest", classify, asked, known, [&](const Array& found, int64_t at) {
      std::vector<int> indices = found.to_vector<int>();
      for (size_t i = 0; i < indices.size(); ++i)
        right += known_labels[static_cast<size_t>(indices[i])] == truth[static_cast<size_t>(kKnown + at) + i];
    });
    std::printf("%d of %lld digits right (%.2f %%)\n", right, static_cast<long long>(kImages - kKnown),
                100.0 * right / static_cast<double>(kImages - kKnown));

    double total = 0;
    in_blocks("all distances", sum_distances, images, images, [&](const Array& sums, int64_t) {
      for (float s : sums.to_vector<float>()) total += s;
    });
    double error = std::abs(total - kDistanceSum) / kDistanceSum;
    std::printf("sum of all distances %.4f, relative error %.1e\n", total, error);
    return right == kRight && error < 1e-6 ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "nearest_digits: %s\n", e.what());
    return 2;
  }
}
