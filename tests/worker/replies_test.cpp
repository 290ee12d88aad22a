// SPDX-License-Identifier: MIT
// Whatever a worker answers, the judge has an error that names its owner, or a value; never a crash, never a wait
// beyond the limit, never a verdict that the worker chose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "worker/worker.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Replies : public testing::Test {
 protected:
  Replies() {
    std::string name = (fs::temp_directory_path() / "kbv-liar-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Replies() override { fs::remove_all(folder_); }

  std::unique_ptr<Worker> liar(const std::string& behaviour) {
    const fs::path link = folder_ / ("liar-" + behaviour);
    fs::remove(link);
    fs::create_symlink(fs::read_symlink("/proc/self/exe"), link);
    WorkerHost host;
    host.python.executable = link.string();
    host.device.backend = "host";
    WorkerSpec spec;
    spec.label = "candidate worker";
    spec.owner = Fault::candidate;
    auto worker = Worker::start(host, spec);
    EXPECT_TRUE(worker) << worker.error().message;
    auto hello = (*worker)->hello(20);
    EXPECT_TRUE(hello) << hello.error().message;
    return std::move(*worker);
  }
  Result<nlohmann::json> ask(const std::string& behaviour) {
    return liar(behaviour)->request({{"op", "load"}}, 2, "import_error");
  }
  fs::path folder_;
};

TEST_F(Replies, AGoodOneIsReturned) {
  const auto reply = ask("good");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)["value"], 7);
}

TEST_F(Replies, WhatIsNoReplyIsTheOwnersCrash) {
  for (const char* behaviour : {"text", "bytes", "number", "array", "half", "twice", "ok-text", "ok-missing", "deep", "huge"}) {
    const auto reply = ask(behaviour);
    ASSERT_FALSE(reply) << behaviour;
    EXPECT_EQ(reply.error().fault, Fault::candidate) << behaviour;
    EXPECT_EQ(reply.error().code, "crash") << behaviour << reply.error().message;
    EXPECT_THAT(reply.error().message, HasSubstr("broke the protocol")) << behaviour;
    EXPECT_LT(reply.error().message.size(), 300u) << behaviour;
  }
}

TEST_F(Replies, ItsOwnCodesAreTheOnlyOnesThatItMayClaim) {
  for (const char* behaviour : {"claims-verdict", "claims-interrupted", "code-number"}) {
    const auto reply = ask(behaviour);
    ASSERT_FALSE(reply) << behaviour;
    EXPECT_EQ(reply.error().fault, Fault::candidate) << behaviour;
    EXPECT_EQ(reply.error().code, "import_error") << behaviour;
  }
  EXPECT_EQ(ask("wrong-shape").error().code, "wrong_shape");
}

TEST_F(Replies, TextsAndPartsAreBounded) {
  EXPECT_LE(ask("long-text").error().message.size(), 16u << 10);
  EXPECT_EQ(ask("parts-negative").error().detail, "");
  EXPECT_EQ(ask("parts-absent").error().code, "runtime_error");
  EXPECT_EQ(ask("stops-sending-parts").error().detail, "first part ");
}

TEST_F(Replies, AnEndOrASilenceIsNamed) {
  const auto ended = ask("exit0");
  EXPECT_EQ(ended.error().code, "crash");
  EXPECT_THAT(ended.error().message, HasSubstr("exited with code 0 during load"));
  EXPECT_THAT(ask("closes").error().message, HasSubstr("closed its connection"));
  const auto start = Clock::now();
  const auto late = ask("silence");
  EXPECT_EQ(late.error().code, "timeout");
  EXPECT_LT(seconds_since(start), 10);
}

TEST_F(Replies, ARequestThatCanNotBeSentIsTheOwnersFault) {
  auto closed = liar("closes-early");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(closed->begin_calls({}, 5).error().fault, Fault::candidate);
  auto closed_too = liar("closes-early");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto reply = closed_too->request({{"op", "load"}}, 2, "import_error");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().fault, Fault::candidate);
  EXPECT_EQ(reply.error().code, "crash");
  EXPECT_THAT(reply.error().message, HasSubstr("closed its connection during load"));

  // Answers in advance, until nothing more goes through.
  auto deaf = liar("answers-unheard");
  const std::string filling(64 << 10, 'x');
  Result<nlohmann::json> answer = nlohmann::json();
  for (int i = 0; i < 1000 && answer; ++i) answer = deaf->request({{"op", "load"}, {"x", filling}}, 2, "import_error");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::candidate) << answer.error().message;
  EXPECT_EQ(answer.error().code, "crash");
  EXPECT_THAT(answer.error().message, HasSubstr("does not read"));
}

TEST_F(Replies, SentDescriptorsAreNotKept) {
  const auto count = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  (void)ask("descriptors");  // what the process opens once and for all
  const auto before = count();
  for (int i = 0; i < 3; ++i) (void)ask("descriptors");
  EXPECT_EQ(count(), before);
}

TEST_F(Replies, APageThatIsWrittenAtWillEndsNothingButTheCall) {
  auto worker = liar("page");
  auto begun = worker->begin_calls({}, 5);
  if (begun) {
    worker->go(0, 0);
    (void)worker->wait_done(0, 5);
    EXPECT_TRUE(std::isnan(worker->claims().event_us));
    EXPECT_FALSE(worker->end_calls(1));
  } else {
    EXPECT_EQ(begun.error().fault, Fault::candidate);
  }
}

TEST_F(Replies, AnAnswerInsteadOfTheHandOverIsACrash) {
  const auto begun = liar("answers-instead-of-running")->begin_calls({}, 5);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, "crash");
  EXPECT_THAT(begun.error().message, HasSubstr("left the hand-over"));
}

}  // namespace
}  // namespace kbv
