// SPDX-License-Identifier: MIT
// Whose a kernel is, by its name. The names are those that profilers show for PyTorch 2.x with CUDA 12 and 13. Own
// kernels are often named after what they do ("sgemm_naive", "softmax_kernel"), so only what is a library's for sure
// counts as such: a namespace, a type of its arguments, or a name that nobody would choose.
#include <algorithm>
#include <initializer_list>

#include "tracer/provenance.h"

namespace kbv {

namespace {

constexpr std::string_view k_anonymous = "(anonymous namespace)";

bool digit(char c) { return c >= '0' && c <= '9'; }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has(text, part); });
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.starts_with(part); });
}

std::string_view last_component(std::string_view base) {
  const auto colons = base.rfind("::");
  return colons == std::string_view::npos ? base : base.substr(colons + 2);
}

/// "sm80_xmma_..." and "xmma_...": what follows "xmma_", or "".
std::string_view xmma_kind(std::string_view base) {
  if (base.starts_with("sm") && base.size() > 2 && digit(base[2])) {
    const auto end = base.find('_');
    if (end == std::string_view::npos) return {};
    base.remove_prefix(end + 1);
  }
  return base.starts_with("xmma_") ? base.substr(5) : std::string_view{};
}

/// "cutlass_80_tensorop_..." and "cutlass_tensorop_...": an instance that NVIDIA's generator named. CUTLASS as a
/// candidate uses it has types of namespace cutlass there.
bool is_generated_cutlass(std::string_view text) {
  if (!text.starts_with("cutlass")) return false;
  text.remove_prefix(7);
  if (text.size() > 3 && text[0] == '_' && digit(text[1])) {
    const auto end = text.find('_', 1);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end);
  }
  return starts_with_any(text, {"_tensorop_", "_simt_", "_wmma_tensorop_"});
}

/// The first template argument of the kernel, or "": where cutlass::Kernel2<...> says what it is.
std::string_view first_template_argument(std::string_view name, std::string_view base) {
  const std::string open = std::string(last_component(base)) + "<";
  const auto at = name.find(open);
  return at == std::string_view::npos ? std::string_view{} : name.substr(at + open.size());
}

bool is_pytorch(std::string_view name, std::string_view base) {
  if (starts_with_any(base, {"at::", "at_cuda_detail::", "c10::", "torch::", "caffe2::", "pytorch_flash::",
                             "fmha_cutlassF_", "fmha_cutlassB_", "nvfuser", "CudaCodeGen::"}))
    return true;
  // c10:: and at:: in arguments do not count: own kernels take c10::Half and at::PackedTensorAccessor.
  if (has_any(name, {"at::native::", "PyTorchMemEffAttention"})) return true;
  if (base.starts_with("cutlass::") && has(name, "at::cuda::detail::")) return true;
  // ATen's file-scope kernels: PersistentSoftmax.cuh.
  if (base == "{anon}::softmax_warp_forward" || base == "{anon}::softmax_warp_backward") return true;
  // ATen's jiterator, which names what it compiles "<operator>_vectorized4_kernel".
  const auto vectorized = base.rfind("_vectorized");
  return vectorized != std::string_view::npos && base.size() == vectorized + 19 && digit(base[vectorized + 11]) &&
         base.ends_with("_kernel");
}

bool is_cudnn(std::string_view name, std::string_view base) {
  if (has(base, "cudnn") || has(name, "cudnn::")) return true;
  if (starts_with_any(xmma_kind(base), {"fprop_", "dgrad_", "wgrad_"})) return true;
  const std::string_view argument = first_template_argument(name, base);
  if (base.starts_with("cutlass") && is_generated_cutlass(argument) &&
      has_any(argument.substr(0, argument.find('>')), {"fprop", "dgrad", "wgrad"}))
    return true;
  return starts_with_any(
      last_component(base),
      {"implicit_convolve_sgemm", "explicit_convolve_sgemm", "precomputed_convolve_sgemm", "convolve_common_engine_",
       "wgrad_alg0_engine", "wgrad2d_grouped_direct_kernel", "dgrad_engine", "dgrad2d_alg", "dgrad2d_grouped_direct",
       "conv2d_grouped_direct_kernel", "conv2d_c1_k1_n", "nchwToNhwcKernel", "nhwcToNchwKernel",
       "nchwToFoldedNhwcKernel", "RNN_blockPersist_", "LSTM_elementWise_", "GRU_elementWise_", "elemWiseRNNcell",
       "pooling_fw_4d_kernel", "pooling_bw_4d_kernel", "bn_fw_tr_", "bn_fw_inf_", "bn_bw_", "fft2d_r2c_",
       "fft2d_c2r_"});
}

bool is_cublas(std::string_view name, std::string_view base) {
  if (starts_with_any(base, {"nvjet_", "internal::gemvx::", "gemv2T_kernel", "gemv2N_kernel", "gemvNSP_kernel",
                             "gemmk1_kernel", "gemmSN_", "splitKreduce_kernel", "magma_sgemmEx_kernel",
                             "sgemm_largek_lds64"}))
    return true;
  // cublasLt::, cublasGemvParamsEx, ..._5x_cublas
  const auto cublas = name.find("cublas");
  if (has(base, "cublas") ||
      (cublas != std::string_view::npos && cublas + 6 < name.size() && name[cublas + 6] >= 'A' &&
       name[cublas + 6] <= 'Z'))
    return true;
  if (xmma_kind(base).starts_with("gemm_")) return true;
  if (is_generated_cutlass(base) ||
      (base.starts_with("cutlass") && is_generated_cutlass(first_template_argument(name, base))))
    return true;
  // "sgemm_32x32x32_NN_vec"
  if (base.size() > 6 && base.substr(1).starts_with("gemm_") && digit(base[6]) &&
      has_any(base, {"_NN", "_NT", "_TN", "_TT"}))
    return true;
  // "ampere_sgemm_128x64_nn", "volta_h884gemm_64x64_ldg8_nn"
  return starts_with_any(base, {"maxwell_", "pascal_", "volta_", "turing_", "ampere_", "hopper_", "blackwell_"}) &&
         has(base, "gemm_");
}

bool is_other_library(std::string_view base) {
  return starts_with_any(base, {"ncclDevKernel", "ncclKernel", "cusparse::", "cusolver", "cufft", "curand",
                                "regular_fft", "vector_fft", "composite_2way_fft", "multi_bluestein_fft",
                                "regular_bluestein_fft"});
}

/// A name of the source, or one with the suffix that older Tritons add for its arguments: "add_kernel_0d1d2d3de".
bool is_named(std::string_view component, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (name.empty() || !component.starts_with(name)) return false;
    const std::string_view rest = component.substr(name.size());
    if (rest.empty()) return true;
    return rest.size() > 1 && rest[0] == '_' && digit(rest[1]) &&
           rest.substr(1).find_first_not_of("0123456789cde") == std::string_view::npos;
  });
}

}  // namespace

std::string kernel_base_name(const std::string& name) {
  std::string head;
  int angles = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (angles == 0 && name.compare(i, k_anonymous.size(), k_anonymous) == 0) {
      head += "{anon}";
      i += k_anonymous.size() - 1;
    } else if (c == '<') {
      ++angles;
    } else if (c == '>') {
      angles = std::max(angles - 1, 0);
    } else if (angles == 0) {
      if (c == '(') break;
      head += c;
    }
  }
  while (!head.empty() && head.back() == ' ') head.pop_back();
  return head.substr(head.rfind(' ') + 1);  // npos + 1 is 0: all of it
}

std::string kernel_origin(const std::string& name) {
  const std::string base = kernel_base_name(name);
  if (starts_with_any(base, {"triton_poi_", "triton_red_", "triton_per_", "triton_tem_", "triton_for_", "triton_unk_",
                             "triton_spl_", "triton_mm_"}))
    return "inductor";
  if (is_pytorch(name, base)) return "pytorch";
  if (is_cudnn(name, base)) return "cudnn";
  if (is_cublas(name, base)) return "cublas";
  if (is_other_library(base)) return "library";
  return "own";
}

std::string kernel_origin(const std::string& name, const ProvenanceContext& context) {
  const std::string base = kernel_base_name(name);
  const std::string_view component = last_component(base);
  if (is_named(component, context.triton_kernels)) return "triton";
  if (is_named(component, context.source_kernels)) return "own";
  return kernel_origin(name);
}

bool shows_tensor_cores(const std::string& name) {
  // The shape of a tensor-core instruction, its name, or a family that has nothing else.
  if (has_any(name, {"16816", "s1688", "h1688", "i16832", "s884", "h884", "tensorop", "tensor16x8x", "wgmma", "hmma",
                     "imma_", "nvjet_", "GMMA::", "SM80_16x8x", "SM100_MMA", "tcgen05", "pytorch_flash::flash_",
                     "fmha_cutlassF_f16", "fmha_cutlassF_bf16", "fmha_cutlassB_f16", "fmha_cutlassB_bf16"}))
    return true;
  const std::string base = kernel_base_name(name);
  if (!xmma_kind(base).empty())
    return has_any(base, {"tf32", "f16f16", "bf16bf16", "e4m3", "e5m2", "i8i8", "warpgroupsize"});
  return has_any(base, {"gemm", "fprop", "dgrad", "wgrad"}) && has_any(base, {"tf32", "bf16"});
}

}  // namespace kbv
