// SPDX-License-Identifier: MIT
#include "os/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "box.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

std::string code_of(const Result<Received>& result) { return result ? "" : result.error().code; }

class SocketTest : public testing::Test {
 protected:
  SocketTest() {
    auto pair = Socket::pair().value();
    ours_ = std::move(pair.first);
    theirs_ = std::move(pair.second);
  }
  ~SocketTest() override { clear_interrupt(); }

  Socket ours_, theirs_;
};

TEST_F(SocketTest, CarriesPackets) {
  ASSERT_TRUE(theirs_.send("one"));
  ASSERT_TRUE(theirs_.send(std::string("two\0", 4)));
  EXPECT_TRUE(ours_.readable());
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, "one");
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, std::string("two\0", 4));
  EXPECT_FALSE(ours_.readable());
}

TEST_F(SocketTest, CarriesTheLargestPacketBothWays) {
  const std::string large(k_max_packet, 'k');
  ASSERT_TRUE(theirs_.send(large));
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, large);
  ASSERT_TRUE(ours_.send(large));
  EXPECT_EQ(theirs_.receive(after_seconds(1))->bytes, large);
}

TEST_F(SocketTest, TimesOut) {
  const auto start = Clock::now();
  EXPECT_EQ(code_of(ours_.receive(after_seconds(0.05))), "timeout");
  EXPECT_GE(seconds_since(start), 0.05);
  EXPECT_LT(seconds_since(start), 2);
  EXPECT_EQ(code_of(ours_.receive(Clock::now())), "timeout");
}

TEST_F(SocketTest, TellsTheEnd) {
  ASSERT_TRUE(theirs_.send("last words"));
  theirs_.close();
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, "last words");
  EXPECT_EQ(code_of(ours_.receive(after_seconds(1))), "closed");
  EXPECT_TRUE(ours_.readable());
  EXPECT_EQ(ours_.send("x").error().code, "closed");
}

TEST_F(SocketTest, AnEmptyPacketIsNotTheEnd) {
  ASSERT_EQ(::send(theirs_.get(), "", 0, 0), 0);
  ASSERT_TRUE(theirs_.send("next"));
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, "");
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, "next");
}

TEST_F(SocketTest, RefusesALongPacketAndGoesOn) {
  const std::string long_text(k_max_packet + 1, 'x');
  ASSERT_EQ(::send(theirs_.get(), long_text.data(), long_text.size(), 0), static_cast<ssize_t>(long_text.size()));
  ASSERT_TRUE(theirs_.send("next"));
  EXPECT_EQ(code_of(ours_.receive(after_seconds(1))), "packet_too_long");
  EXPECT_EQ(ours_.receive(after_seconds(1))->bytes, "next");
  EXPECT_EQ(ours_.send(long_text).error().code, "packet_too_long");
  EXPECT_EQ(ours_.send("").error().code, "packet_too_long");
}

TEST_F(SocketTest, PassesDescriptors) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  Fd read_end(fds[0]), write_end(fds[1]);
  ASSERT_TRUE(theirs_.send("take", {write_end.get()}));
  write_end.reset();
  auto received = ours_.receive(after_seconds(1));
  ASSERT_EQ(received->fds.size(), 1u);
  EXPECT_EQ(::fcntl(received->fds[0].get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::write(received->fds[0].get(), "x", 1), 1);
  received->fds.clear();
  char text[2];
  EXPECT_EQ(::read(read_end.get(), text, 1), 1);
  EXPECT_EQ(::read(read_end.get(), text, 1), 0) << "the passed end is still open somewhere";
}

TEST_F(SocketTest, RefusesTooManyDescriptorsWithoutLeakingThem) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  Fd read_end(fds[0]), write_end(fds[1]);
  const std::vector<int> sixteen(16, write_end.get());
  ASSERT_TRUE(theirs_.send("16", sixteen));
  EXPECT_EQ(ours_.receive(after_seconds(1))->fds.size(), 16u);
  EXPECT_EQ(theirs_.send("17", std::vector<int>(17, write_end.get())).error().code, "packet_too_long");

  // A hostile peer sends as many as the kernel allows.
  std::vector<int> many(253, write_end.get());
  std::vector<char> control(CMSG_SPACE(many.size() * sizeof(int)));
  char byte = 'x';
  iovec vector{&byte, 1};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(many.size() * sizeof(int));
  std::copy(many.begin(), many.end(), reinterpret_cast<int*>(CMSG_DATA(part)));
  ASSERT_EQ(::sendmsg(theirs_.get(), &header, 0), 1);
  EXPECT_EQ(code_of(ours_.receive(after_seconds(1))), "too_many_fds");
  write_end.reset();
  EXPECT_EQ(::read(read_end.get(), &byte, 1), 0) << "a refused descriptor is still open";
}

TEST_F(SocketTest, ReturnsEarlyWhenInterrupted) {
  std::thread later([] {
    ::usleep(30'000);
    interrupt();
  });
  const auto start = Clock::now();
  EXPECT_EQ(code_of(ours_.receive(after_seconds(30))), "interrupted");
  EXPECT_LT(seconds_since(start), 10);
  later.join();
}

TEST_F(SocketTest, ASignalInterrupts) {
  catch_interrupts();
  EXPECT_FALSE(interrupted());
  std::thread later([] {
    ::usleep(30'000);
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_EQ(code_of(ours_.receive(after_seconds(30))), "interrupted");
  EXPECT_TRUE(interrupted());
  later.join();
  clear_interrupt();
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(code_of(ours_.receive(after_seconds(0.01))), "timeout");
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

TEST_F(SocketTest, SendingToAFullPeerIsBounded) {
  Result<void> sent;
  std::thread later([] {
    ::usleep(200'000);
    interrupt();
  });
  for (int i = 0; i < 100 && sent; ++i) sent = ours_.send(std::string(k_max_packet, 'x'));
  later.join();
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, "interrupted");
}

class BoxedSocketTest : public EachProfile {};

TEST_P(BoxedSocketTest, TheSenderIsKnownByOurNumbering) {
  auto pair = Socket::pair().value();
  LaunchSpec spec = with_profile(program_spec("talk", {"pid"}));
  spec.fds = {{pair.second.get(), 3}};
  const auto process = start_box(spec);
  pair.second.close();
  ASSERT_TRUE(process);
  const auto received = pair.first.receive(after_seconds(20));
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_GT(received->pid, 0);
  if (process->isolation().level == "none") {
    EXPECT_EQ(received->bytes, std::to_string(received->pid));
  }
  if (process->isolation().level == "strict") {
    EXPECT_NE(received->bytes, std::to_string(received->pid));
  }
  EXPECT_EQ(code_of(pair.first.receive(after_seconds(20))), "closed");
}

TEST_P(BoxedSocketTest, TalksToABox) {
  auto pair = Socket::pair().value();
  LaunchSpec spec = with_profile(program_spec("talk", {"echo"}));
  spec.fds = {{pair.second.get(), 3}};
  const auto process = start_box(spec);
  pair.second.close();
  ASSERT_TRUE(pair.first.send("ping"));
  EXPECT_EQ(pair.first.receive(after_seconds(20))->bytes, "ping");
}

KBV_EACH_PROFILE(BoxedSocketTest);

}  // namespace
}  // namespace kbv
