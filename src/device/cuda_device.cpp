// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "device/compare.h"
#include "device/cuda_buffer.h"
#include "device/cuda_compare.h"
#include "device/cuda_context.h"
#include "device/cuda_exact.h"
#include "device/cuda_reorder.h"
#include "device/device.h"
#include "device/exact.h"

namespace kbv {
namespace cuda {
namespace {

constexpr std::uint64_t k_least_eviction_bytes = 256u << 20;

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }

  Result<std::unique_ptr<Buffer>> allocate_shared(std::uint64_t bytes) override {
    return allocate(context_, bytes, Sharing::by_descriptor);
  }

  Result<std::unique_ptr<Buffer>> allocate_private(std::uint64_t bytes) override {
    return allocate(context_, bytes, Sharing::none);
  }

  Result<void> copy(Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_range(to, 0, bytes, "copy to"));
    KBV_TRY(check_range(from, 0, bytes, "copy from"));
    if (bytes == 0) return {};
    return context_->check(api().copy_device_to_device(to.address(), from.address(), bytes, context_->stream()),
                           "cuMemcpyDtoDAsync");
  }

  Result<void> fill(Buffer& buffer, unsigned char byte) override {
    KBV_TRY(context_->enter());
    return set_bytes(buffer, byte);
  }

  Result<void> reorder(Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_reorder(to, from, element_bytes, plan));
    KBV_TRY_ASSIGN(ReorderKernels * kernels, loaded(reorder_kernels_));
    return kernels->reorder(to, from, element_bytes, plan);
  }

  Result<void> evict_cache() override {
    KBV_TRY(context_->enter());
    if (!eviction_) {
      const std::uint64_t bytes = std::max(2 * info().l2_bytes, k_least_eviction_bytes);
      KBV_TRY_ASSIGN(eviction_, allocate(context_, bytes, Sharing::none));
    }
    // Lines that a context asked to persist would outlive the eviction. Not every device has such lines.
    static_cast<void>(api().reset_persisting_l2());
    // Another value each time, so that no compression or elision of equal writes can spare the traffic.
    return set_bytes(*eviction_, ++eviction_byte_);
  }

  Result<void> sync() override {
    KBV_TRY(context_->enter());
    return context_->sync();
  }

  Result<void> read(void* to, const Buffer& from, std::uint64_t offset, std::uint64_t bytes) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_range(from, offset, bytes, "read"));
    if (bytes == 0) return context_->sync();
    KBV_TRY(context_->check(api().copy_device_to_host(to, from.address() + offset, bytes, context_->stream()),
                            "cuMemcpyDtoHAsync"));
    return context_->sync();
  }

  Result<void> write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_range(to, offset, bytes, "write"));
    if (bytes == 0) return context_->sync();
    KBV_TRY(context_->check(api().copy_host_to_device(to.address() + offset, from, bytes, context_->stream()),
                            "cuMemcpyHtoDAsync"));
    return context_->sync();
  }

  Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_elements(dtype, expected, got, count));
    KBV_TRY_ASSIGN(CompareKernels * kernels, loaded(kernels_));
    return kernels->compare(dtype, expected, got, count);
  }

  Result<ExactStats> compare_exact(DType got, const Buffer& exact, const Buffer& rho, const Buffer& got_buffer,
                                   std::uint64_t count, std::uint64_t slice_elements) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_exact(got, exact, rho, got_buffer, count, slice_elements));
    KBV_TRY_ASSIGN(ExactKernels * kernels, loaded(exact_kernels_));
    return kernels->compare(got, exact, rho, got_buffer, count, slice_elements);
  }

  Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes) override {
    KBV_TRY(context_->enter());
    KBV_TRY(check_range(a, 0, bytes, "bytes_equal"));
    KBV_TRY(check_range(b, 0, bytes, "bytes_equal"));
    KBV_TRY_ASSIGN(CompareKernels * kernels, loaded(kernels_));
    return kernels->bytes_equal(a, b, bytes);
  }

  Result<std::uint64_t> memory_used_bytes() override {
    KBV_TRY(context_->enter());
    std::size_t free = 0;
    std::size_t total = 0;
    KBV_TRY(context_->check(api().memory_info(&free, &total), "cuMemGetInfo"));
    return std::uint64_t{total - free};
  }

 private:
  const Api& api() const { return context_->api(); }

  Result<void> set_bytes(Buffer& buffer, unsigned char byte) {
    const unsigned word = 0x01010101u * byte;
    return context_->check(
        api().set_words(buffer.address(), word, buffer.mapped_bytes() / sizeof word, context_->stream()),
        "cuMemsetD32Async");
  }

  // Compiling takes the driver a moment, and not every user of a device compares.
  template <typename Kernels>
  Result<Kernels*> loaded(std::unique_ptr<Kernels>& kernels) {
    if (!kernels) {
      KBV_TRY_ASSIGN(kernels, Kernels::load(context_));
    }
    return kernels.get();
  }

  std::shared_ptr<DeviceContext> context_;
  std::unique_ptr<CompareKernels> kernels_;
  std::unique_ptr<ExactKernels> exact_kernels_;
  std::unique_ptr<ReorderKernels> reorder_kernels_;
  std::unique_ptr<Buffer> eviction_;
  unsigned char eviction_byte_ = 0;
};

}  // namespace
}  // namespace cuda

Result<std::unique_ptr<Device>> open_cuda_device(int index) {
  KBV_TRY_ASSIGN(auto context, cuda::DeviceContext::open(index));
  return std::make_unique<cuda::CudaDevice>(std::move(context));
}

}  // namespace kbv
