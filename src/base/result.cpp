// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace kbv {

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::candidate: return "candidate";
    case Fault::problem: return "problem";
    case Fault::machine: return "machine";
    case Fault::usage: return "usage";
  }
  return "?";
}

tl::unexpected<Error> fail(Fault fault, std::string code, std::string message, std::string detail) {
  return tl::make_unexpected(Error{fault, std::move(code), std::move(message), std::move(detail)});
}

tl::unexpected<Error> fail_errno(const char* what) {
  const int number = errno;
  return fail(Fault::machine, "system_call", std::string(what) + ": " + std::generic_category().message(number));
}

}  // namespace kbv
