// SPDX-License-Identifier: MIT
#include "gpu.h"

#include <string_view>

namespace kbv {
extern const std::string_view probe_kernels_ptx;
}

namespace kbv::cuda::probes {
namespace {

constexpr unsigned k_threads = 256;

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::open() {
  std::unique_ptr<Gpu> self(new Gpu);
  KBV_TRY_ASSIGN(self->context_, DeviceContext::open(0));
  KBV_TRY_ASSIGN(self->more_, more_calls());
  KBV_TRY_ASSIGN(self->kernels_, KernelModule::load(self->context_, probe_kernels_ptx));
  KBV_TRY_ASSIGN(self->out_, allocate(self->context_, 64, Sharing::none));
  return self;
}

Result<void> Gpu::spin(unsigned long long ns, unsigned blocks) const {
  void* parameters[] = {&ns};
  return kernels_->launch("kbv_probe_spin", blocks, k_threads, parameters);
}

Result<std::vector<unsigned long long>> Gpu::results() const {
  std::vector<unsigned long long> words(2);
  KBV_TRY(context_->check(api().copy_device_to_host(words.data(), out_->address(), 16, context_->stream()),
                          "cuMemcpyDtoHAsync"));
  KBV_TRY(context_->sync());
  return words;
}

Result<Gpu::Time> Gpu::time() const {
  DevicePointer out = out_->address();
  void* parameters[] = {&out};
  KBV_TRY(kernels_->launch("kbv_probe_time", 1, k_threads, parameters));
  KBV_TRY_ASSIGN(const auto words, results());
  return Time{words[0], words[1] - words[0]};
}

Result<void> Gpu::read(DevicePointer data, std::uint64_t bytes) const {
  unsigned long long words = bytes / 4;
  DevicePointer sink = out_->address() + 32;
  void* parameters[] = {&data, &words, &sink};
  KBV_TRY(kernels_->launch("kbv_probe_read", 4 * static_cast<unsigned>(context_->multiprocessors()), k_threads,
                           parameters));
  return context_->sync();
}

Result<double> Gpu::chase(DevicePointer chain, unsigned steps) const {
  DevicePointer out = out_->address();
  void* parameters[] = {&chain, &steps, &out};
  KBV_TRY(kernels_->launch("kbv_probe_chase", 1, k_threads, parameters));
  KBV_TRY_ASSIGN(const auto words, results());
  return static_cast<double>(words[0]) / steps;
}

Result<Gpu::Counted> Gpu::count(DevicePointer data, std::uint64_t bytes, unsigned pattern) const {
  unsigned long long words = bytes / 4;
  DevicePointer out = out_->address();
  KBV_TRY(context_->check(api().set_words(out, 0, 4, context_->stream()), "cuMemsetD32Async"));
  void* parameters[] = {&data, &words, &pattern, &out};
  KBV_TRY(kernels_->launch("kbv_probe_count", 8 * static_cast<unsigned>(context_->multiprocessors()), k_threads,
                           parameters));
  KBV_TRY_ASSIGN(const auto counted, results());
  return Counted{counted[0], counted[1]};
}

}  // namespace kbv::cuda::probes
