// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "device/cuda_driver.h"
#include "device/device.h"

namespace kbv::cuda {

/// A device's primary context and one stream in it. Buffers share it, so that they may outlive their Device.
class DeviceContext {
 public:
  static Result<std::shared_ptr<DeviceContext>> open(int index);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const Api& api() const { return *api_; }
  const DeviceInfo& info() const { return info_; }
  DeviceHandle device() const { return device_; }
  Stream stream() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }

  /// Makes the context the calling thread's; the driver keeps one for each thread. Before any other call.
  Result<void> enter() const;
  /// An error that names `what`, or nothing.
  Result<void> check(Status status, const char* what) const;
  /// Waits for everything on the stream.
  Result<void> sync() const;

 private:
  DeviceContext() = default;

  const Api* api_ = nullptr;
  DeviceInfo info_;
  DeviceHandle device_ = 0;
  int multiprocessors_ = 0;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
};

/// What the driver tells of device `index`, without a context.
Result<DeviceInfo> describe_device(const Api& api, int index);

}  // namespace kbv::cuda
