// SPDX-License-Identifier: MIT
#include "device/cuda_compare.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "device/compare.h"
#include "device/cuda_buffer.h"

namespace kbv {

extern const std::string_view compare_kernels_ptx;  // by kbv_embed

namespace cuda {
namespace {

// As in compare_kernels.cu.
constexpr unsigned k_block_threads = 256;
constexpr unsigned k_blocks_per_multiprocessor = 4;
constexpr unsigned k_max_blocks = 1024;
constexpr std::uint64_t k_vector_bytes = 16;

const char* kernel_name(DType real_dtype) {
  switch (real_dtype) {
    case DType::float64:
      return "kbv_compare_float64";
    case DType::float32:
      return "kbv_compare_float32";
    case DType::float16:
      return "kbv_compare_float16";
    case DType::bfloat16:
      return "kbv_compare_bfloat16";
    case DType::int64:
      return "kbv_compare_int64";
    case DType::int32:
      return "kbv_compare_int32";
    case DType::int16:
      return "kbv_compare_int16";
    case DType::int8:
      return "kbv_compare_int8";
    case DType::uint8:
      return "kbv_compare_uint8";
    case DType::boolean:
      return "kbv_compare_bool";
    case DType::complex64:
    case DType::complex128:
      break;
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<CompareKernels>> CompareKernels::load(const std::shared_ptr<DeviceContext>& context) {
  std::unique_ptr<CompareKernels> self(new CompareKernels(context));
  KBV_TRY_ASSIGN(self->module_, KernelModule::load(context, compare_kernels_ptx));
  KBV_TRY_ASSIGN(self->results_, allocate(context, k_max_blocks * sizeof(compare_core::Partial), Sharing::none));
  return self;
}

unsigned CompareKernels::blocks_for(std::uint64_t bytes) const {
  // As many as are resident at once, by the kernels' launch bounds: each thread then walks with a stride.
  const unsigned resident = k_blocks_per_multiprocessor * static_cast<unsigned>(context_->multiprocessors());
  const std::uint64_t useful = bytes / (k_vector_bytes * k_block_threads) + 1;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(useful, 1, std::clamp(resident, 1u, k_max_blocks)));
}

Result<void> CompareKernels::run(const char* name, unsigned blocks, const Buffer& a, const Buffer& b,
                                 std::uint64_t count) {
  DevicePointer a_address = a.address();
  DevicePointer b_address = b.address();
  unsigned long long elements = count;
  DevicePointer results = results_->address();
  void* parameters[] = {&a_address, &b_address, &elements, &results};
  return module_->launch(name, blocks, k_block_threads, parameters);
}

Result<CompareStats> CompareKernels::compare(DType dtype, const Buffer& expected, const Buffer& got,
                                             std::uint64_t count) {
  const Api& api = context_->api();
  const RealElements elements = real_elements(dtype, count);
  std::vector<compare_core::Partial> partials;
  if (count != 0) {
    const unsigned blocks = blocks_for(elements.count * elements.bytes);
    partials.resize(blocks);
    KBV_TRY(run(kernel_name(elements.dtype), blocks, expected, got, elements.count));
    KBV_TRY(context_->check(api.copy_device_to_host(partials.data(), results_->address(),
                                                    blocks * sizeof(compare_core::Partial), context_->stream()),
                            "cuMemcpyDtoHAsync"));
    KBV_TRY(context_->sync());
  }
  return finish_compare(
      elements, partials.data(), partials.size(), [&](bool of_got, std::uint64_t index) -> Result<double> {
        unsigned char element[8] = {};
        const DevicePointer from = (of_got ? got : expected).address() + index * elements.bytes;
        KBV_TRY(context_->check(api.copy_device_to_host(element, from, elements.bytes, context_->stream()),
                                "cuMemcpyDtoHAsync"));
        KBV_TRY(context_->sync());
        return element_value(elements.dtype, element);
      });
}

Result<bool> CompareKernels::bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes) {
  const Api& api = context_->api();
  unsigned differ = 0;
  KBV_TRY(context_->check(api.set_words(results_->address(), 0, 1, context_->stream()), "cuMemsetD32Async"));
  KBV_TRY(run("kbv_bytes_equal", blocks_for(bytes), a, b, bytes));
  KBV_TRY(context_->check(api.copy_device_to_host(&differ, results_->address(), sizeof differ, context_->stream()),
                          "cuMemcpyDtoHAsync"));
  KBV_TRY(context_->sync());
  return differ == 0;
}

}  // namespace cuda
}  // namespace kbv
