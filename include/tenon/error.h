// Every exception that Tenon throws. A message reads
//   <what the user called>: <what is wrong>; got <values, shapes, dtypes>; <way out>
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace tenon {

/// Base of everything that Tenon throws.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An argument has a type (dtype, shape, tree) that the operation does not take.
struct TypeError : Error {
  using Error::Error;
};
/// Shapes do not fit together, or a shape is not what the operation needs.
struct ShapeError : TypeError {
  using TypeError::TypeError;
};
/// A traced value was used where a concrete value is needed.
struct ConcretizationTypeError : TypeError {
  using TypeError::TypeError;
};
/// A traced value steers a C++ `if`, `while`, `&&`, ...
struct TracerBoolConversionError : ConcretizationTypeError {
  using ConcretizationTypeError::ConcretizationTypeError;
};
/// A traced value was asked for its elements (item, to_vector, conversion to a number).
struct TracerArrayConversionError : TypeError {
  using TypeError::TypeError;
};
/// A traced value was used after the trace that made it had ended.
struct UnexpectedTracerError : Error {
  using Error::Error;
};
/// An index that is known while tracing lies outside its axis.
struct IndexError : Error {
  using Error::Error;
};
/// An argument has the right type and a wrong value.
struct ValueError : Error {
  using Error::Error;
};
/// Text or a file is malformed.
struct ParseError : ValueError {
  using ValueError::ValueError;
};
/// Something failed while running: I/O, memory, a device, user code called by a program.
struct RuntimeError : Error {
  using Error::Error;
};
/// Memory could not be had.
struct OutOfMemoryError : RuntimeError {
  using RuntimeError::RuntimeError;
};
/// A program could not be compiled.
struct CompileError : RuntimeError {
  using RuntimeError::RuntimeError;
};
/// Something compiled inside a NoCompileScope.
struct CompileForbiddenError : RuntimeError {
  using RuntimeError::RuntimeError;
};
/// With debug_nans or debug_infs: an operation gave a NaN or an infinity.
struct FloatingPointError : Error {
  using Error::Error;
};
/// A check of a program did not hold (checkify.h).
struct CheckError : ValueError {
  using ValueError::ValueError;
};
/// A rule, dtype or feature that does not exist; the message says where it would go.
struct UnimplementedError : Error {
  using Error::Error;
};
/// A mistake of Tenon's own. Please report it.
struct InternalError : Error {
  using Error::Error;
};

}  // namespace tenon

#pragma GCC visibility pop
