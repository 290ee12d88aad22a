// SPDX-License-Identifier: MIT
// A lock by name among all processes of this machine (of its network namespace), whoever's they are.
#pragma once

#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace kbv {

/// Held until destroyed or until the process ends, in whatever way: it is the address of a socket, of which the kernel gives one
/// owner and no file is left. Not for a fork() without exec: a child would hold it too.
class NamedLock {
 public:
  /// Waits until the lock is free; `waiting` is called once if it has to. A holder that takes it again at once
  /// comes after one that waited; among several that wait none is preferred. Fault machine: code
  /// "interrupted" if interrupted() meanwhile, "lock" if the system has no such sockets. `name`: at most 100 bytes.
  static Result<NamedLock> acquire(const std::string& name, const std::function<void()>& waiting = {});

 private:
  explicit NamedLock(Fd socket) : socket_(std::move(socket)) {}
  Fd socket_;
};

}  // namespace kbv
