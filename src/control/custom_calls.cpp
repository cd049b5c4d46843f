// custom_jvp and custom_vjp of users: calls with the types erased, as traces take them.
#include "base/fail.h"
#include "control/custom_jvp.h"
#include "control/custom_vjp.h"
#include "tenon/custom_derivatives.h"
#include "tenon/detail/rules.h"

namespace tenon::detail {
namespace {

class UserCustomJvp final : public CustomJvp {
 public:
  explicit UserCustomJvp(Ref<const CustomJvpCall> call) : call_(std::move(call)) {
    name = call_->options.name;
    rule_name = call_->options.rule_name;
    record = record_custom_jvp;
  }
  Arrays call(const Arrays& operands) const override {
    SiteReset site;
    return call_->call(operands);
  }
  JvpResult jvp(const Arrays& primals, const Tangents& tangents) const override {
    SiteReset site;
    Arrays values;
    for (const Tangent& t : tangents) values.push_back(instantiate(t));
    CustomJvpCall::Pair pair = call_->jvp(primals, values);
    if (pair.results.size() != pair.tangents.size())
      fail<TypeError>(rule_name, "the rule of ", name, " must give a tangent for each of its ", pair.results.size(), " results; got ",
                      pair.tangents.size());
    JvpResult out{std::move(pair.results), {}};
    for (size_t i = 0; i < pair.tangents.size(); ++i) {
      const ShapedArray wanted = tangent_aval(out.primals[i].aval());
      const ShapedArray got = pair.tangents[i].aval();
      if (wanted.dtype.code() == DType::kFloat0) {
        out.tangents.push_back(Tangent::zero(wanted));
        continue;
      }
      if (wanted.shape != got.shape || wanted.dtype != got.dtype)
        fail<TypeError>(rule_name, "the tangent of result ", i, " of ", name, " is ", wanted, "; the rule gave ", got);
      out.tangents.emplace_back(std::move(pair.tangents[i]));
    }
    return out;
  }

 private:
  Ref<const CustomJvpCall> call_;
};

class UserCustomVjp final : public CustomVjp {
 public:
  explicit UserCustomVjp(Ref<const CustomVjpCall> call) : call_(std::move(call)) {
    name = call_->options.name;
    forward_name = call_->options.forward_name;
    backward_name = call_->options.backward_name;
    record = record_custom_vjp;
    record_linear = record_custom_linear;
  }
  Arrays call(const Arrays& operands) const override {
    SiteReset site;
    return call_->call(operands);
  }
  Forward forward(const Arrays& operands) const override {
    SiteReset site;
    CustomVjpCall::Pair pair = call_->forward(operands);
    return {std::move(pair.results), std::move(pair.residuals)};
  }
  Cotangents backward(const Arrays& residuals, const Arrays& cotangents) const override {
    SiteReset site;
    Cotangents out;
    for (Array& x : call_->backward(residuals, cotangents)) {
      if (x.is_empty()) out.push_back(Cotangent::zero(tangent_aval(call_->leaves[out.size()].aval())));
      else out.emplace_back(std::move(x));
    }
    return out;
  }

 private:
  Ref<const CustomVjpCall> call_;
};

}  // namespace

Arrays call_custom(Ref<const CustomJvpCall> call) {
  const Arrays leaves = call->leaves;
  SiteScope site(call->loc);
  return current_trace().process_custom_jvp(CustomJvpRef(make_ref<UserCustomJvp>(std::move(call))), leaves);
}
Arrays call_custom(Ref<const CustomVjpCall> call) {
  const Arrays leaves = call->leaves;
  SiteScope site(call->loc);
  return current_trace().process_custom_vjp(CustomVjpRef(make_ref<UserCustomVjp>(std::move(call))), leaves);
}

}  // namespace tenon::detail
