// SPDX-License-Identifier: MIT
#include "device/cuda_buffer.h"

#include <fcntl.h>

#include <string>

namespace kbv::cuda {
namespace {

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<DeviceContext> context, std::uint64_t bytes, std::uint64_t mapped)
      : context_(std::move(context)), bytes_(bytes), mapped_(mapped) {}
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  // Errors are ignored: after a device is lost, each of these calls fails and there is nothing to give back.
  ~CudaBuffer() override {
    if (!context_->enter()) return;
    const Api& api = context_->api();
    if (ready_) {
      // It may hold expected outputs. The driver gives memory of a dead process out clean, but promises nothing for
      // memory that this process frees and allocates again, such as a shared buffer for the next candidate.
      (void)api.set_words(address_, 0, mapped_ / 4, context_->stream());
    }
    if (is_mapped_) {
      (void)api.stream_synchronize(context_->stream());
      (void)api.memory_unmap(address_, mapped_);
    }
    if (address_ != 0) (void)api.address_free(address_, mapped_);
    if (has_handle_) (void)api.memory_release(handle_);
  }

  std::uint64_t address() const override { return address_; }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint64_t mapped_bytes() const override { return mapped_; }
  int export_fd() const override { return fd_.get(); }

  /// Each step's flag is set only once it has succeeded, so that the destructor undoes just what was done.
  Result<void> acquire(const AllocationProperties& properties) {
    const Api& api = context_->api();
    KBV_TRY(context_->check(api.memory_create(&handle_, mapped_, &properties, 0), "cuMemCreate"));
    has_handle_ = true;
    if (properties.requested_handle_types != k_handle_none) KBV_TRY(export_handle());
    DevicePointer address = 0;
    KBV_TRY(context_->check(api.address_reserve(&address, mapped_, 0, 0, 0), "cuMemAddressReserve"));
    address_ = address;
    KBV_TRY(context_->check(api.memory_map(address_, mapped_, 0, handle_, 0), "cuMemMap"));
    is_mapped_ = true;
    const AccessDescriptor access{properties.location, k_access_read_write};
    KBV_TRY(context_->check(api.memory_set_access(address_, mapped_, &access, 1), "cuMemSetAccess"));
    ready_ = true;
    KBV_TRY(context_->check(api.set_words(address_, 0, mapped_ / 4, context_->stream()), "cuMemsetD32Async"));
    return context_->sync();
  }

 private:
  Result<void> export_handle() {
    int fd = -1;
    KBV_TRY(context_->check(context_->api().memory_export(&fd, handle_, k_handle_posix_file_descriptor, 0),
                            "cuMemExportToShareableHandle"));
    fd_ = Fd(fd);
    // A process that the judge starts gets the descriptors meant for it, and no others.
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return fail_errno("FD_CLOEXEC");
    return {};
  }

  std::shared_ptr<DeviceContext> context_;
  std::uint64_t bytes_;
  std::uint64_t mapped_;
  AllocationHandle handle_ = 0;
  DevicePointer address_ = 0;
  Fd fd_;
  bool has_handle_ = false;
  bool is_mapped_ = false;
  bool ready_ = false;
};

AllocationProperties properties_for(const DeviceContext& context, Sharing sharing) {
  AllocationProperties properties{};
  properties.type = k_allocation_pinned;
  properties.requested_handle_types = sharing == Sharing::none ? k_handle_none : k_handle_posix_file_descriptor;
  properties.location = {k_location_device, context.device()};
  return properties;
}

std::string out_of_memory_text(const DeviceContext& context, std::uint64_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  (void)context.api().memory_info(&free, &total);
  return "cannot allocate " + std::to_string(bytes >> 20) + " MiB on " + context.info().name + ": " +
         std::to_string(free >> 20) + " of " + std::to_string(total >> 20) + " MiB free";
}

}  // namespace

Result<std::unique_ptr<Buffer>> allocate(const std::shared_ptr<DeviceContext>& context, std::uint64_t bytes,
                                         Sharing sharing) {
  KBV_TRY(context->enter());
  if (bytes > context->info().total_bytes)  // also keeps the rounding below from overflowing
    return fail(Fault::machine, "device_memory", out_of_memory_text(*context, bytes));
  const AllocationProperties properties = properties_for(*context, sharing);
  std::size_t granularity = 0;
  KBV_TRY(context->check(context->api().memory_granularity(&granularity, &properties, k_granularity_minimum),
                         "cuMemGetAllocationGranularity"));
  const std::uint64_t mapped = bytes == 0 ? granularity : (bytes + granularity - 1) / granularity * granularity;
  auto buffer = std::make_unique<CudaBuffer>(context, bytes, mapped);
  if (auto acquired = buffer->acquire(properties); !acquired) {
    Error error = std::move(acquired).error();
    if (error.code == "device_memory") error.message = out_of_memory_text(*context, bytes);
    return tl::make_unexpected(std::move(error));
  }
  return buffer;
}

}  // namespace kbv::cuda
