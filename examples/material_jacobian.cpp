// Stress and stiffness of rubber. Only the energy of a compressible neo-Hookean solid is written down; the stress is
// its gradient, the tangent stiffness the Jacobian of the stress, and vmap gives both for 1000 deformations at once.
// Judged by central differences, by the symmetry of the stiffness, and by what an undeformed solid does.
#include <tenon/tenon.h>

#include <chrono>
#include <cstdio>

using namespace tenon;

static constexpr int64_t kPoints = 1000;
static constexpr double kMu = 1.0, kLambda = 2.5, kDelta = 1e-5;
static constexpr double kDifference = 1e-8, kAsymmetry = 1e-13;

static Array determinant(Array f) { return jnp::dot(f(0), jnp::cross(f(1), f(2))); }

// Energy, stress P = dW / dF and stiffness dP / dF at a deformation gradient F, f64[3,3].
static Array energy(Array f) {
  Array log_j = jnp::log(determinant(f));
  return 0.5 * kMu * (jnp::sum(jnp::square(f)) - 3.0 - 2.0 * log_j) + 0.5 * kLambda * jnp::square(log_j);
}
static Array stress(Array f) { return grad(energy)(f); }
static Array stiffness(Array f) { return jacfwd(stress)(f); }

// The stiffness along one direction, by central differences of the stress.
static Array difference(Array f, Array direction) {
  return (stress(f + kDelta * direction) - stress(f - kDelta * direction)) / (2 * kDelta);
}
static Array largest(const Array& x) { return jnp::max(jnp::abs(x)); }

int main() {
  try {
    config::update("enable_x64", true);
    Array deformations = jnp::eye(3) + 0.2 * (random::uniform(random::key(0), {kPoints, 3, 3}) - 0.5);

    auto stiffnesses = jit(vmap(stiffness));
    auto start = std::chrono::steady_clock::now();
    Array tangents = stiffnesses(deformations).block_until_ready();
    double first = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) stiffnesses(deformations).block_until_ready();
    double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 20;

    // Every direction for every deformation: a map over directions inside of one over deformations.
    auto differences = jit(vmap(vmap(difference, {.in_axes = {none, 0}, .out_axes = -1}), {.in_axes = {0, none}}));
    Array by_differences = differences(deformations, jnp::eye(9).reshape({9, 3, 3})).reshape(tangents.shape());
    double error = (largest(tangents - by_differences) / largest(tangents)).item();
    double asymmetry = (largest(tangents - tangents.transpose({0, 3, 4, 1, 2})) / largest(tangents)).item();

    // Forwards over reverse and reverse over reverse agree; and Hooke's law holds where nothing is deformed.
    double modes = largest(tangents - jit(vmap(jacrev(stress)))(deformations)).item();
    Array i = jnp::eye(3);
    Array hooke = kLambda * jnp::einsum("ij,kl->ijkl", i, i) + kMu * (jnp::einsum("ik,jl->ijkl", i, i) + jnp::einsum("il,jk->ijkl", i, i));
    double at_rest = largest(stiffness(i) - hooke).item(), stress_at_rest = largest(stress(i)).item();

    std::printf("%lld stiffnesses of 81 numbers: first call %.0f ms, then %.2f ms\n", static_cast<long long>(kPoints), 1e3 * first, 1e3 * each);
    std::printf("relative to the largest: central differences differ by %.1e, asymmetry %.1e\n", error, asymmetry);
    std::printf("jacfwd and jacrev differ by %.1e, from Hooke's law by %.1e; stress at rest %.1e\n", modes, at_rest, stress_at_rest);
    return error < kDifference && asymmetry < kAsymmetry && modes < 1e-12 && at_rest < 1e-12 && stress_at_rest < 1e-12 ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "material_jacobian: %s\n", e.what());
    return 2;
  }
}
