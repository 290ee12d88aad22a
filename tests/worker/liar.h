// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kbv::test {

/// A worker that says hello as it should, and answers the next request as `behaviour` says (see liar.cpp).
int lie(const std::string& behaviour);

}  // namespace kbv::test
