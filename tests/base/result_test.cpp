// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

#include "base/fd.h"

namespace kbv {
namespace {

Result<std::unique_ptr<int>> make(bool good) {
  if (!good) return fail(Fault::candidate, "code", "message", "detail");
  return std::make_unique<int>(7);
}

Result<int> twice(bool good) {
  KBV_TRY_ASSIGN(const auto value, make(good));  // a value that can only be moved
  KBV_TRY(make(good));
  return *value * 2;
}

TEST(Result, ErrorsGoUpUnchanged) {
  EXPECT_EQ(*twice(true), 14);
  const auto failed = twice(false);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().fault, Fault::candidate);
  EXPECT_EQ(failed.error().code, "code");
  EXPECT_EQ(failed.error().message, "message");
  EXPECT_EQ(failed.error().detail, "detail");
}

TEST(Result, ErrnoIsTheMachinesFaultAndQuoted) {
  errno = ENOSPC;
  const Error error = fail_errno("write").value();
  EXPECT_EQ(error.fault, Fault::machine);
  EXPECT_THAT(error.message, testing::AllOf(testing::HasSubstr("write"), testing::HasSubstr("No space left")));
}

TEST(Fd, ClosesOnceAndMoves) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Fd a(ends[0]);
  const Fd other(ends[1]);
  Fd b(std::move(a));
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), ends[0]);
  b = Fd();
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace kbv
