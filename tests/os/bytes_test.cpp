// SPDX-License-Identifier: MIT
#include "os/bytes.h"

#include <gtest/gtest.h>

#include "os/box_spec.h"

namespace kbv {
namespace {

LaunchSpec full_spec() {
  LaunchSpec spec;
  spec.label = "label";
  spec.argv = {"/a", "", "c d"};
  spec.env = {"A=1"};
  spec.files = {{"f", std::string("\0x", 2), true}, {"g", "", false}};
  spec.fds = {{7, 3}, {8, 5}};
  spec.read_only_paths = {"/x", "/y"};
  spec.device_nodes = {"/dev/z"};
  spec.limits.processes = 11;
  spec.limits.output_bytes = 12;
  spec.profile = IsolationProfile::basic;
  return spec;
}

TEST(BoxSpecTest, ArrivesWhole) {
  const auto spec = decode_spec(encode_spec(full_spec()));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->label, "label");
  EXPECT_EQ(spec->argv, full_spec().argv);
  EXPECT_EQ(spec->env, full_spec().env);
  ASSERT_EQ(spec->files.size(), 2u);
  EXPECT_EQ(spec->files[0].bytes, std::string("\0x", 2));
  EXPECT_TRUE(spec->files[0].writable);
  ASSERT_EQ(spec->fds.size(), 2u);
  EXPECT_EQ(spec->fds[1].as_number, 5);
  EXPECT_EQ(spec->read_only_paths, full_spec().read_only_paths);
  EXPECT_EQ(spec->device_nodes, full_spec().device_nodes);
  EXPECT_EQ(spec->limits.processes, 11u);
  EXPECT_EQ(spec->limits.output_bytes, 12u);
  EXPECT_EQ(spec->profile, IsolationProfile::basic);
}

TEST(BoxSpecTest, AnyCutIsNoticed) {
  const std::string bytes = encode_spec(full_spec());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode_spec(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_spec(bytes + "x"));
}

TEST(BoxSpecTest, AHugeCountIsNotBelieved) {
  std::string bytes = encode_spec(full_spec());
  for (std::size_t at = 0; at + 8 < bytes.size(); ++at) {
    std::string spoiled = bytes;
    for (std::size_t i = 0; i < 8; ++i) spoiled[at + i] = '\xff';
    [[maybe_unused]] const auto spec = decode_spec(spoiled);  // must neither crash nor take all memory
  }
}

TEST(StatusMessageTest, ArrivesWhole) {
  StatusMessage message;
  message.kind = StatusMessage::Kind::ended;
  message.report = {"basic", {"pid"}, {"net: no"}};
  message.box = "/tmp/b";
  message.error = {Fault::usage, "code", "message", "detail"};
  message.exit = {3, 9, false, true};
  const auto got = decode_status(encode_status(message));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, message.kind);
  EXPECT_EQ(got->report.missing, message.report.missing);
  EXPECT_EQ(got->box, "/tmp/b");
  EXPECT_EQ(got->error.code, "code");
  EXPECT_EQ(got->exit.signal, 9);
  EXPECT_TRUE(got->exit.broke_freeze);
}

}  // namespace
}  // namespace kbv
