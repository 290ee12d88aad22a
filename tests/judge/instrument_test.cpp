// SPDX-License-Identifier: MIT
#include "judge/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kbv {
namespace {

using ::testing::HasSubstr;

TEST(Instrument, FloorOfShortOperatorsAndPartOfLongOnes) {
  const std::vector<InstrumentSample> samples{{12, 10}, {54, 50}, {20, 20}, {1010, 1000}, {196, 200}, {std::nan(""), 5}, {3, 0}};
  const Instrument instrument = instrument_of(samples);
  EXPECT_EQ(instrument.operators, 5);
  EXPECT_NEAR(instrument.floor_us, 3.6, 1e-9);   // 0, 2, 4: the 90th percentile
  EXPECT_NEAR(instrument.part, 0.019, 1e-9);     // 1 %, 2 %
  EXPECT_NEAR(instrument_of(std::vector<InstrumentSample>{{1010, 1000}}).floor_us, 1.0, 1e-9) << "1 % of 100 us";
  EXPECT_EQ(instrument_of({}).operators, 0);
}

TEST(Instrument, RoundTrip) {
  const Instrument written{"GPU-1", "NVIDIA H200", "2026-12-01T12:00:00Z", 18, 8.125, 0.0175};
  const auto read = instrument_from_json(instrument_to_json(written), "file");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->device_uuid, written.device_uuid);
  EXPECT_EQ(read->device, written.device);
  EXPECT_EQ(read->measured_at, written.measured_at);
  EXPECT_EQ(read->operators, 18);
  EXPECT_EQ(read->floor_us, 8.125);
  EXPECT_EQ(read->part, 0.0175);
}

TEST(Instrument, WhatIsWrongIsNamed) {
  const auto error = [](const std::string& text) {
    const auto read = instrument_from_json(text, "f.json");
    return read ? std::string("accepted") : read.error().message;
  };
  const std::string head = R"({"schema": "kbv-instrument/1", "operators": 3, )";
  EXPECT_THAT(error("[]"), HasSubstr("f.json: not a JSON object"));
  EXPECT_THAT(error("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error("{}"), HasSubstr("schema: expected"));
  EXPECT_THAT(error(head + R"("part": 0})"), HasSubstr("floor_us: expected a number"));
  EXPECT_THAT(error(head + R"("floor_us": -1, "part": 0})"), HasSubstr("floor_us"));
  EXPECT_THAT(error(head + R"("floor_us": 1, "part": "x"})"), HasSubstr("part"));
  EXPECT_THAT(error(R"({"schema": "kbv-instrument/1", "floor_us": 1, "part": 0, "operators": -3})"), HasSubstr("operators"));
  EXPECT_EQ(error(head + R"("floor_us": 1, "part": 0})"), "accepted");
}

TEST(Instrument, OneFileForEachDevice) {
  EXPECT_NE(instrument_path("GPU-1"), instrument_path("GPU-2"));
  EXPECT_THAT(instrument_path(""), HasSubstr("/kbv/instrument-cpu.json"));
  EXPECT_THAT(instrument_path("../../x"), HasSubstr("/kbv/instrument-_.._.._x.json"));
}

}  // namespace
}  // namespace kbv
