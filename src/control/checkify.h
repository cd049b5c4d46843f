// Checks as values: what may fail in a program, and the error that says what did.
#pragma once

#include "core/trace.h"
#include "tenon/checkify.h"

namespace tenon::detail {

/// What one check says when it fails. Its number, the code, is its place in a list.
struct CheckMessage {
  checkify::Checks category;
  std::string text;      // the user's format, or the name of the operation
  Shape operand_shape;   // of what is indexed
  std::string location;  // "main.cpp:12"
  bool operator==(const CheckMessage&) const = default;
};
/// Checks of one category whose messages need values of the same types share one place in the error.
struct CheckKind {
  checkify::Checks category;
  Avals payload;
  bool operator==(const CheckKind&) const = default;
};
/// What the arrays of an error mean: for each kind failed (bool), code (int32) and payload.
struct CheckFacts final : RefCounted {
  std::vector<CheckKind> kinds;
  std::vector<CheckMessage> messages;
  std::string key() const;
};

/// The arrays of an error of one kind.
struct CheckState {
  Array failed, code;
  Arrays payload;
};
/// Waits. The first check that failed, of an error that is none of a batch; null: none. It lives as long as the error.
const CheckMessage* failed_check(const checkify::Error& error);
std::vector<CheckState> states_of(const std::vector<CheckKind>& kinds, const Arrays& values);
Arrays values_of(const std::vector<CheckState>& states);

/// EqnParams: facts (CheckFactsParam: of one kind), debug (bool). Operands: failed, code, payload. No results.
extern constinit const Primitive check_p;
struct CheckFactsParam {
  Ref<const CheckFacts> facts;
  bool operator==(const CheckFactsParam& other) const { return facts == other.facts || facts->key() == other.facts->key(); }
  std::string str() const { return facts->messages.empty() ? "" : facts->messages[0].text; }
};

/// One thing that went wrong, or not.
struct Failure {
  Array failed;  // bool scalar
  Arrays payload;
};
/// Does the operation hand numbers on, and make none? A NaN in its result is that of an operand.
bool hands_on(const Primitive& primitive);
/// Which checks of `wanted` an operation needs, and one of them made. Inside of programs that it calls it may need others.
checkify::Checks checks_of(const Eqn& eqn, checkify::Checks wanted);
Failure check_operation(checkify::Checks category, const Eqn& eqn, const Arrays& operands, const Arrays& results);
Avals payload_of(checkify::Checks category);

/// The results of `jaxpr`, and the error. Under the current trace.
struct CheckedResults {
  checkify::Error error;
  Arrays results;
};
CheckedResults eval_checked(const Jaxpr& jaxpr, const Arrays& arguments, checkify::Checks checks);

}  // namespace tenon::detail
