// SPDX-License-Identifier: MIT
#include "judge/output_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kbv {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json tensor(const std::vector<int>& shape, const std::vector<int>& stride) {
  return {{"t", "tensor"}, {"slot", 0u}, {"dtype", "float32"}, {"shape", shape}, {"stride", stride}};
}

Leaf leaf(const std::vector<int>& shape, const std::vector<int>& stride) {
  return tree_leaves(tensor(shape, stride), "output").value().front();
}

std::vector<std::uint64_t> extents(const Reorder& plan) { return {plan.extent, plan.extent + plan.dims}; }
std::vector<std::uint64_t> strides(const Reorder& plan) { return {plan.from_stride, plan.from_stride + plan.dims}; }

TEST(OutputOrder, ChannelsLast) {
  const Reorder plan = plan_reorder(leaf({2, 3, 4, 5}, {60, 20, 5, 1}), {0, 2, 3, 1});
  EXPECT_THAT(extents(plan), ElementsAre(2, 3, 20));  // the last two lie together on both sides
  EXPECT_THAT(strides(plan), ElementsAre(60, 1, 3));
}

TEST(OutputOrder, AReferenceThatIsChannelsLastItself) {
  const Reorder plan = plan_reorder(leaf({2, 3, 4, 5}, {60, 1, 15, 3}), {0, 1, 2, 3});
  EXPECT_THAT(extents(plan), ElementsAre(2, 20, 3));
  EXPECT_THAT(strides(plan), ElementsAre(60, 1, 20));
}

TEST(OutputOrder, NothingToDo) {
  EXPECT_EQ(plan_reorder(leaf({2, 3}, {3, 1}), {0, 1}).dims, 0u);
  EXPECT_EQ(plan_reorder(leaf({2, 1, 3}, {3, 3, 1}), {1, 0, 2}).dims, 0u);  // where a dimension of one lies does not matter
  EXPECT_EQ(plan_reorder(leaf({2, 3}, {1, 2}), {1, 0}).dims, 0u);
  EXPECT_EQ(plan_reorder(leaf({1, 1}, {1, 1}), {1, 0}).dims, 0u);
  EXPECT_EQ(plan_reorder(leaf({0, 3}, {3, 1}), {1, 0}).dims, 0u);
}

TEST(OutputOrder, RepliesAreRead) {
  const std::vector<Leaf> leaves{leaf({2, 3}, {3, 1}), leaf({2, 3, 4}, {12, 4, 1})};
  EXPECT_THAT(read_output_orders({{"ok", true}}, leaves).value(), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(read_output_orders(json::parse(R"({"orders": [[1, [2, 0, 1]]]})"), leaves).value(), ElementsAre(IsEmpty(), ElementsAre(2, 0, 1)));
}

TEST(OutputOrder, NonsenseIsTheCandidatesFault) {
  const std::vector<Leaf> leaves{leaf({2, 3}, {3, 1}), leaf({2}, {1})};
  for (const char* text : {"7", "null", "{}", "[7]", "[[0]]", "[[0, [1, 0], 1]]", "[[2, [1, 0]]]", "[[-1, [1, 0]]]", "[[0, [1, 1]]]", "[[0, [0, 2]]]",
                           "[[0, [0]]]", "[[0, [0, 1, 2]]]", "[[0, [0, -1]]]", "[[0, [0, 1.0]]]", "[[0, \"01\"]]", "[[0, [1, 0]], [0, [1, 0]]]",
                           "[[0, [18446744073709551615, 0]]]", "[[0, [1, 0]], [1, [0]], [0, [1, 0]]]"}) {
    const auto read = read_output_orders({{"orders", json::parse(text)}}, leaves);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().fault, Fault::candidate);
    EXPECT_EQ(read.error().code, "crash");
  }
}

TEST(OutputOrder, BuffersArePutRight) {
  auto device = open_host_device().value();
  std::vector<BufferSet> sets;
  for (int i = 0; i < 3; ++i) {
    sets.push_back(BufferSet::allocate(*device, tensor({2, 3}, {3, 1}), "output", BufferSet::Kind::private_to_judge).value());
    const float lies[6] = {0, 3, 1, 4, 2, 5};  // column by column
    ASSERT_TRUE(device->write(*sets.back().buffers[0], 0, lies, sizeof lies));
  }
  ASSERT_TRUE(put_in_order(*device, {&sets[0], &sets[1], &sets[2]}, {{1, 0}}));
  for (const BufferSet& set : sets) {
    float got[6];
    ASSERT_TRUE(device->read(got, *set.buffers[0], 0, sizeof got));
    EXPECT_THAT(got, ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

}  // namespace
}  // namespace kbv
