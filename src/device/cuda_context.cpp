// SPDX-License-Identifier: MIT
#include "device/cuda_context.h"

namespace kbv::cuda {
namespace {

int attribute(const Api& api, Attribute which, DeviceHandle device) {
  int value = 0;
  return api.device_attribute(&value, which, device) == k_success ? value : 0;
}

}  // namespace

Result<std::shared_ptr<DeviceContext>> DeviceContext::open(int index) {
  KBV_TRY_ASSIGN(const Api* api, driver());
  KBV_TRY_ASSIGN(DeviceInfo info, describe_device(*api, index));
  if (info.compute_capability < 75)
    return fail(Fault::machine, "no_gpu",
                info.name + " is too old: compute capability 7.5 (Turing) or later is needed");
  // Shared from the start, so that whatever was acquired before a failure is given back by the destructor.
  std::shared_ptr<DeviceContext> self(new DeviceContext);
  self->api_ = api;
  self->info_ = std::move(info);
  if (const Status status = api->device_get(&self->device_, index); status != k_success)
    return fail_cuda(*api, status, "cuDeviceGet");
  self->multiprocessors_ = attribute(*api, k_multiprocessor_count, self->device_);
  if (attribute(*api, k_virtual_memory_management_supported, self->device_) == 0 ||
      attribute(*api, k_posix_file_descriptor_supported, self->device_) == 0)
    return fail(Fault::machine, "no_gpu",
                self->info_.name + " can't share memory between processes by file descriptor (a virtual GPU, perhaps)");
  if (const Status status = api->primary_context_retain(&self->context_, self->device_); status != k_success) {
    self->context_ = nullptr;
    return fail_cuda(*api, status, "cuDevicePrimaryCtxRetain");
  }
  KBV_TRY(self->enter());
  // Non-blocking: not ordered with the legacy default stream, should anything else in this process use that.
  if (const Status status = api->stream_create(&self->stream_, k_stream_non_blocking); status != k_success) {
    self->stream_ = nullptr;
    return fail_cuda(*api, status, "cuStreamCreate");
  }
  return self;
}

DeviceContext::~DeviceContext() {
  if (context_ == nullptr) return;
  if (stream_ != nullptr && enter()) (void)api_->stream_destroy(stream_);
  // The last release destroys the context, which must then be nobody's current one.
  Context current = nullptr;
  if (api_->context_get_current(&current) == k_success && current == context_) (void)api_->context_set_current(nullptr);
  (void)api_->primary_context_release(device_);
}

Result<void> DeviceContext::enter() const {
  Context current = nullptr;
  if (api_->context_get_current(&current) == k_success && current == context_) return {};
  return check(api_->context_set_current(context_), "cuCtxSetCurrent");
}

Result<void> DeviceContext::check(Status status, const char* what) const {
  if (status == k_success) return {};
  return fail_cuda(*api_, status, what);
}

Result<void> DeviceContext::sync() const { return check(api_->stream_synchronize(stream_), "cuStreamSynchronize"); }

}  // namespace kbv::cuda
