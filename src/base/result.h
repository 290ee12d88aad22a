// SPDX-License-Identifier: MIT
// Errors are values that name whose fault they are.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace kbv {

/// Whose fault a failure is. A machine's fault never costs a candidate its score.
enum class Fault {
  candidate,  ///< the code under judgement: wrong, crashed, timed out, out of memory
  problem,    ///< the reference itself fails
  machine,    ///< GPU lost, disk full, a worker that could not start
  usage,      ///< the user's input: a missing file, a bad option
};

const char* to_string(Fault fault);

struct Error {
  Fault fault = Fault::machine;
  std::string code;     ///< stable identifier, e.g. "wrong_output", "import_error"
  std::string message;  ///< one line for a person; names the file and the field where there is one
  std::string detail;   ///< whole log or traceback, may be empty
};

template <typename T>
using Result = tl::expected<T, Error>;

tl::unexpected<Error> fail(Fault fault, std::string code, std::string message, std::string detail = {});

/// A machine fault that quotes errno.
tl::unexpected<Error> fail_errno(const char* what);

}  // namespace kbv

/// Returns the error of `expression` from the enclosing function.
#define KBV_TRY(expression)                                                                  \
  do {                                                                                       \
    if (auto kbv_try_result = (expression); !kbv_try_result)                                 \
      return tl::make_unexpected(std::move(kbv_try_result).error());                         \
  } while (false)

#define KBV_CONCAT_INNER(a, b) a##b
#define KBV_CONCAT(a, b) KBV_CONCAT_INNER(a, b)
/// Declares `declaration` from the value of `expression`, or returns its error.
#define KBV_TRY_ASSIGN(declaration, expression)                                              \
  auto KBV_CONCAT(kbv_result_, __LINE__) = (expression);                                     \
  if (!KBV_CONCAT(kbv_result_, __LINE__))                                                    \
    return tl::make_unexpected(std::move(KBV_CONCAT(kbv_result_, __LINE__)).error());        \
  declaration = std::move(*KBV_CONCAT(kbv_result_, __LINE__))
