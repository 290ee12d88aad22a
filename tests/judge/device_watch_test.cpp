// SPDX-License-Identifier: MIT
// Whether a candidate gets a device: on one that is slow to answer or does not keep what it is given, as another's work and a
// driver after a fault make it.
#include "judge/device_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace kbv {
namespace {

/// The host's memory, said to be a GPU's that no NVML knows.
class StrangeDevice : public Device {
 public:
  int busy_syncs = 0;    ///< so many waits take as long as beside another's kernel
  bool forgets = false;  ///< copies do nothing
  bool lost = false;     ///< as the driver tells when this process can't use the device any more

  StrangeDevice() : host_(std::move(*open_host_device())), info_(host_->info()) {
    info_.backend = "cuda";
    info_.pci_bus_id = "0000:ff:ff.7";
  }
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Buffer>> allocate_shared(std::uint64_t bytes) override { return host_->allocate_shared(bytes); }
  Result<std::unique_ptr<Buffer>> allocate_private(std::uint64_t bytes) override {
    if (lost) return fail(Fault::machine, "device_lost", "an illegal address was met");
    return host_->allocate_private(bytes);
  }
  Result<void> copy(Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    return forgets ? Result<void>() : host_->copy(to, from, bytes);
  }
  Result<void> fill(Buffer& buffer, unsigned char byte) override { return host_->fill(buffer, byte); }
  Result<void> reorder(Buffer& to, const Buffer& from, std::uint64_t bytes, const Reorder& plan) override {
    return host_->reorder(to, from, bytes, plan);
  }
  Result<void> evict_cache() override { return host_->evict_cache(); }
  Result<void> sync() override {
    if (busy_syncs > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    busy_syncs -= busy_syncs > 0;
    return host_->sync();
  }
  Result<void> read(void* to, const Buffer& from, std::uint64_t offset, std::uint64_t bytes) override {
    return host_->read(to, from, offset, bytes);
  }
  Result<void> write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    return host_->write(to, offset, from, bytes);
  }
  Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count) override {
    return host_->compare(dtype, expected, got, count);
  }
  Result<ExactStats> compare_exact(DType got, const Buffer& exact, const Buffer& rho, const Buffer& got_buffer, std::uint64_t count,
                                   std::uint64_t slice_elements) override {
    return host_->compare_exact(got, exact, rho, got_buffer, count, slice_elements);
  }
  Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes) override { return host_->bytes_equal(a, b, bytes); }
  Result<std::uint64_t> memory_used_bytes() override { return host_->memory_used_bytes(); }

 private:
  std::unique_ptr<Device> host_;
  DeviceInfo info_;
};

constexpr int k_for_ever = 1 << 30;

TEST(DeviceWatch, AnIdleDeviceThatKeepsWhatItIsGivenIsReady) {
  StrangeDevice device;
  EXPECT_TRUE(DeviceWatch(device).check_ready(true, 1));
}

TEST(DeviceWatch, ABusyDeviceIsAwaited) {
  StrangeDevice device;
  device.busy_syncs = 30;
  EXPECT_TRUE(DeviceWatch(device).check_ready(true, 10));
  EXPECT_LT(device.busy_syncs, 3);
}

TEST(DeviceWatch, NoCandidateGetsADeviceThatStaysBusy) {
  StrangeDevice device;
  device.busy_syncs = k_for_ever;
  const auto ready = DeviceWatch(device).check_ready(true, 0.05);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().fault, Fault::machine);
  EXPECT_EQ(ready.error().code, "device_busy");
  EXPECT_TRUE(DeviceWatch(device).check_ready(false, 0.05)) << "only times need a device of one's own";
}

TEST(DeviceWatch, NoCandidateGetsADeviceThatForgets) {
  StrangeDevice device;
  device.forgets = true;
  for (const bool times : {true, false}) {
    const auto ready = DeviceWatch(device).check_ready(times, 1);
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().fault, Fault::machine);
    EXPECT_EQ(ready.error().code, "device_faulty");
  }
}

TEST(DeviceWatch, WhatTheDriverSaysOfALostDeviceStays) {
  StrangeDevice device;
  device.lost = true;
  const auto ready = DeviceWatch(device).check_ready(false, 1);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, "device_lost");
}

TEST(DeviceWatch, WorkThatACandidateLeavesIsItsOwnFault) {
  StrangeDevice device;
  device.busy_syncs = k_for_ever;
  const auto idle = DeviceWatch(device).wait_until_idle(0.05);
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().fault, Fault::candidate);
  EXPECT_EQ(idle.error().code, "timeout");
}

TEST(BlameForBusy, WhatEndsWithTheCandidateWasItsWork) {
  for (const bool candidates : {true, false}) {
    StrangeDevice device;
    device.busy_syncs = k_for_ever;
    DeviceWatch watch(device);
    Error error{Fault::machine, "device_busy", "another program", {}};
    blame_for_busy(error, watch, [&] { device.busy_syncs = candidates ? 0 : k_for_ever; }, 0.05);
    EXPECT_EQ(error.fault, candidates ? Fault::candidate : Fault::machine);
    EXPECT_EQ(error.code, candidates ? "timeout" : "device_busy");
  }
  StrangeDevice device;
  DeviceWatch watch(device);
  Error other{Fault::candidate, "crash", "gone", {}};
  blame_for_busy(other, watch, [] { FAIL() << "it is to blame already"; }, 0.05);
  EXPECT_EQ(other.code, "crash");
}

Error short_of_memory(Fault fault) { return {fault, "out_of_memory", "too little", {}}; }

TEST(BlameForMemory, ACandidateIsToBlameUnlessOthersHoldAGoodPart) {
  constexpr std::uint64_t k_gib = 1ull << 30;
  for (const auto& [foreign, fault, code] : {std::tuple{0 * k_gib, Fault::candidate, "out_of_memory"},
                                             std::tuple{1 * k_gib, Fault::candidate, "out_of_memory"},
                                             std::tuple{100 * k_gib, Fault::machine, "device_memory"}}) {
    Error error = short_of_memory(Fault::candidate);
    blame_for_memory(error, {false, foreign, 140 * k_gib});
    EXPECT_EQ(error.fault, fault) << foreign;
    EXPECT_EQ(error.code, code) << foreign;
  }
}

TEST(BlameForMemory, HostMemoryIsNoMatterOfTheDevice) {
  Error error = short_of_memory(Fault::candidate);
  blame_for_memory(error, {true, 100, 140});
  EXPECT_EQ(error.fault, Fault::candidate);
  EXPECT_EQ(error.message, "too little");
}

TEST(BlameForMemory, AProblemThatDoesNotFitIsTheMachines) {
  Error error = short_of_memory(Fault::problem);
  blame_for_memory(error, {false, 0, 140});
  EXPECT_EQ(error.fault, Fault::machine);
  EXPECT_EQ(error.code, "device_memory");
}

TEST(BlameForMemory, OtherErrorsStay) {
  Error error{Fault::candidate, "crash", "gone", {}};
  blame_for_memory(error, {false, 100, 140});
  EXPECT_EQ(error.code, "crash");
}

}  // namespace
}  // namespace kbv
