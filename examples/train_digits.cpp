// A network of 64, 32 and 10 units learns to read handwritten digits: 1400 images, chosen at random, are learnt
// from, the other 397 asked for. A step (loss, gradient, update) is one program, which writes the new parameters
// where the old ones were.
//
//   train_digits [--data DIR]
#include <tenon/tenon.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

using namespace tenon;

static constexpr int64_t kImages = 1797, kLearnt = 1400, kBatch = 100;
static constexpr int kEpochs = 40;
static constexpr double kRate = 0.1, kMomentum = 0.9, kDecay = 1e-3, kAccuracy = 0.95;

// Parameters are a tree: any struct of Arrays, and structs of those.
struct Layer { Array weights, bias; };
struct Network { Layer hidden, output; };
struct State { Network network, velocity; };

static Layer random_layer(const Array& key, int64_t inputs, int64_t outputs) {
  return {random::normal(key, {inputs, outputs}) * jnp::sqrt(2.0 / static_cast<double>(inputs)), jnp::zeros({outputs})};
}
static Array apply(const Layer& layer, const Array& x) { return jnp::matmul(x, layer.weights) + layer.bias; }
static Array logits(Network n, Array images) { return apply(n.output, nn::relu(apply(n.hidden, images))); }

// Mean cross entropy, and a little weight decay.
static Array loss(Network n, Array images, Array labels) {
  Array log_p = nn::log_softmax(logits(n, images));
  Array entropy = -jnp::mean(jnp::sum(log_p * nn::one_hot(labels, 10), {.axis = -1}));
  return entropy + kDecay * (jnp::sum(jnp::square(n.hidden.weights)) + jnp::sum(jnp::square(n.output.weights)));
}
static Array accuracy(Network n, Array images, Array labels) {
  return jnp::mean(jnp::argmax(logits(n, images), {.axis = -1}) == labels);
}

// One step of gradient descent with momentum.
static std::pair<State, Array> descend(State s, Array images, Array labels, Array rate) {
  auto [value, gradient] = value_and_grad(loss)(s.network, images, labels);
  s.velocity = tree::map([](Array v, Array g) { return kMomentum * v - g; }, s.velocity, gradient);
  s.network = tree::map([&](Array p, Array v) { return p + rate * v; }, s.network, s.velocity);
  return {s, value};
}

int main(int argc, char** argv) {
  std::string data = "data";
  if (argc == 3 && std::strcmp(argv[1], "--data") == 0) data = argv[2];
  else if (argc != 1) return std::fprintf(stderr, "usage: train_digits [--data DIR]\n"), 2;
  try {
    Arrays keys = lax::unstack(random::split(random::key(0), 4));
    Array order = random::permutation(keys[0], kImages);
    Array images = load_npy(data + "/digits_images.npy")(order) / 16.0, labels = load_npy(data + "/digits_labels.npy")(order);
    Array learnt = images(slice(0, kLearnt)), learnt_labels = labels(slice(0, kLearnt));
    Array asked = images(slice(kLearnt, kImages)), asked_labels = labels(slice(kLearnt, kImages));

    auto step = jit<descend>({.donate_argnums = {0}});
    auto measure = jit<accuracy>();
    auto loss_and_gradient = jit(value_and_grad(loss));

    Network network{random_layer(keys[1], 64, 32), random_layer(keys[2], 32, 10)};
    double first = loss_and_gradient(network, learnt, learnt_labels).first.item();
    State state{network, tree::map([](Array p) { return jnp::zeros_like(p); }, network)};

    auto start = std::chrono::steady_clock::now();
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      Array shuffled = random::permutation(random::fold_in(keys[3], epoch), kLearnt);
      Array rate = kRate * (1.0 - static_cast<double>(epoch) / kEpochs);
      Array total = 0.0;
      for (int64_t at = 0; at < kLearnt; at += kBatch) {
        Array batch = shuffled(slice(at, at + kBatch));
        auto [next, value] = step(state, learnt(batch), learnt_labels(batch), rate);
        state = next;
        total += value;
      }
      if (epoch % 8 == 7)
        std::printf("epoch %2d: loss %.4f, %.2f %% of the digits asked for are right\n", epoch + 1,
                    total.item() * kBatch / kLearnt, 100 * measure(state.network, asked, asked_labels).item());
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    bool donated = network.hidden.weights.is_deleted();  // by the first step, which had them in its state
    double last = loss_and_gradient(state.network, learnt, learnt_labels).first.item();
    double right = measure(state.network, asked, asked_labels).item();
    std::printf("loss %.4f at first, %.4f at last; %.2f %% right; %lld steps, compiled %lld time(s), in %.2f s\n", first, last, 100 * right,
                static_cast<long long>(kEpochs * kLearnt / kBatch), static_cast<long long>(step.cache_size()), seconds);
    return right >= kAccuracy && last < first && donated && step.cache_size() == 1 ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "train_digits: %s\n", e.what());
    return 2;
  }
}
