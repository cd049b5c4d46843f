// fft: discrete Fourier transforms over the last axes; complex, or between a real array and the first half of its
// spectrum (the rest are conjugates of that).
#include "base/promotion.h"
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"
#include "tenon/detail/jitted.h"

namespace tenon::lax {

static constexpr const char* kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

static FftType type_of(const EqnParams& params) { return static_cast<FftType>(params.get<int64_t>("fft_type")); }

static Avals fft_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "fft";
  check_count(who, in, 1);
  const Shape& lengths = params.get<Shape>("fft_lengths");
  const FftType type = type_of(params);
  const std::string name = kTypes[static_cast<int>(type)];
  check_kind(who, in[0], type == FftType::RFFT ? kFloat : kComplex);
  if (type == FftType::RFFT) check_has_complex(who, in[0]);
  if (lengths.empty() || lengths.size() > 3)
    fail<ValueError>(who, "transforms 1 to 3 axes at once; got fft_lengths ", lengths, "; transform the others before or after");
  if (lengths.ndim() > in[0].ndim())
    fail<ShapeError>(who, "has more lengths than the operand has axes; got fft_lengths ", lengths, " for ", in[0]);
  Aval result = in[0];
  const int first = in[0].ndim() - lengths.ndim();
  for (int i = 0; i < lengths.ndim(); ++i) {
    const bool halved = type == FftType::IRFFT && i + 1 == lengths.ndim();
    const int64_t wanted = halved ? lengths[i] / 2 + 1 : lengths[i];
    if (lengths[i] < 0 || in[0].shape[first + i] != wanted)
      fail<ShapeError>(who, "fft_lengths ", lengths, " of ", name, halved ? " do not fit the last axis, which must have fft_lengths[-1] / 2 + 1 elements; got "
                                                                          : " must be the sizes of the last axes; got ", in[0]);
    result.shape[first + i] = lengths[i];
  }
  if (type == FftType::RFFT) {
    if (result.shape[in[0].ndim() - 1] == 0) fail<ShapeError>(who, "a real axis without elements has no spectrum; got ", in[0]);
    result.shape[in[0].ndim() - 1] = lengths[lengths.ndim() - 1] / 2 + 1;
    result.dtype = complex_dtype(result.dtype);
  } else if (type == FftType::IRFFT) {
    result.dtype = real_dtype(result.dtype);
  }
  return {result};
}

static int64_t count_of(const Shape& lengths) { return lengths.num_elements(); }

// How often the real transform of `length` has each of its results: those in the middle stand for two, each other's
// conjugates.
static Array multiplicities(DType dtype, int64_t length) {
  const int64_t results = length / 2 + 1;
  const auto set_one = [&](const Array& all, int64_t at) { return dynamic_update_slice(all, full({1}, 1, dtype), {Array(at)}); };
  const Array all = set_one(full({results}, 2, dtype), 0);
  return length % 2 == 0 ? set_one(all, results - 1) : all;
}

static Array along_last(const Array& x, int ndim) {
  Axes axes;
  for (int axis = 0; axis + 1 < ndim; ++axis) axes.push_back(axis);
  return axes.empty() ? x : expand_dims(x, axes);
}

static Array rfft_transpose(const Array& cotangent, const Shape& lengths) {
  auto body = [&](const Arrays& in) -> Arrays {
    const Array& ct = in[0];
    const Array weights = along_last(multiplicities(ct.dtype(), lengths[lengths.ndim() - 1]), ct.ndim());
    const Array back = fft(div(conj(ct), weights), FftType::IRFFT, lengths);
    return {mul(constant_like(back, static_cast<double>(count_of(lengths))), back)};
  };
  return tenon::detail::call_jitted("_rfft_transpose", body, {cotangent}, 2 * cotangent.size())[0];
}

static Array irfft_transpose(const Array& cotangent, const Shape& lengths) {
  const Array spectrum = fft(cotangent, FftType::RFFT, lengths);
  const Array weights = along_last(multiplicities(spectrum.dtype(), lengths[lengths.ndim() - 1]), spectrum.ndim());
  const Array scale = constant_like(spectrum, 1.0 / static_cast<double>(count_of(lengths)));
  return conj(mul(mul(scale, weights), spectrum));
}

static Array fft_transpose(const Array& cotangent, const LinearOperand&, const EqnParams& params) {
  const Shape& lengths = params.get<Shape>("fft_lengths");
  switch (type_of(params)) {
    case FftType::RFFT: return rfft_transpose(cotangent, lengths);
    case FftType::IRFFT: return irfft_transpose(cotangent, lengths);
    default: return fft(cotangent, type_of(params), lengths);
  }
}

static BatchResult batch_fft(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  return {{fft(batch_at_front(operands[0], axes[0], axis.size), type_of(params), params.get<Shape>("fft_lengths"))}, {0}};
}

constinit const Primitive fft_p{
    .name = "fft",
    .abstract_eval = fft_abstract_eval,
    .jvp = jvp_linear,
    .transpose = transpose_unary<fft_transpose>,
    .batching = batch_fft,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const Shape& lengths = params.get<Shape>("fft_lengths");
      return {b.fft(x[0], static_cast<tenon::detail::FftType>(type_of(params)), lengths)};
    },
};

Array fft(const Operand& x, FftType fft_type, const Shape& fft_lengths) {
  detail::SiteScope site(x.loc);
  if (fft_type == FftType::RFFT && x.value.dtype().is_complex())
    fail<TypeError>("fft", "RFFT takes real numbers; got ", x.value.aval(), "; FFT takes complex ones");
  auto body = [&](const Arrays& in) -> Arrays {
    const DType inexact = to_inexact(in[0].dtype());
    const DType wide = inexact.bits() < 32 && fft_type != FftType::RFFT ? DType(DType::kFloat32) : inexact;
    const Array converted = convert_type(in[0], fft_type == FftType::RFFT ? wide : complex_dtype(wide), false);
    if (fft_lengths.empty()) return {converted};
    return {bind(fft_p, {converted}, {{"fft_lengths", fft_lengths}, {"fft_type", static_cast<int64_t>(fft_type)}})};
  };
  return detail::call_jitted("fft", body, {x.value}, 2 * x.value.size())[0];
}

}  // namespace tenon::lax
