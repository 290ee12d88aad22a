// SPDX-License-Identifier: MIT
// Names as profilers show them for PyTorch on GPUs.
#include <gtest/gtest.h>

#include "tracer/provenance.h"

namespace kbv {
namespace {

struct Named {
  const char* name;
  const char* origin;
  bool tensor_cores = false;
};

const Named k_names[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >"
     "(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)", "pytorch"},
    {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<c10::"
     "BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> > >(at::"
     "TensorIteratorBase&)::{lambda(int)#1}>(int, )", "pytorch"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, "
     "float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float>)", "pytorch"},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(float*, float const*"
     ", int, int, int, bool const*, int, bool)", "pytorch"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float>(float*, float const*, int)",
     "pytorch"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int)", "pytorch"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<4u>, "
     "unsigned int, 3, 64, 64>(int)", "pytorch"},
    {"void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar const&)::"
     "{lambda()#1}>(int)", "pytorch"},
    {"void at_cuda_detail::cub::DeviceSelectSweepKernel<at_cuda_detail::cub::DispatchSelectIf<int> >(int)", "pytorch"},
    {"void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)", "pytorch"},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
     "cutlass::half_t> >(pytorch_flash::Flash_fwd_params)", "pytorch", true},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm80, "
     "true, 64, 64, 64, true, true>::Params)", "pytorch"},
    {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t>::Params)",
     "pytorch", true},
    {"sinc_vectorized4_kernel", "pytorch"},

    {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "cublas", true},
    {"nvjet_tst_256x128_64x4_2x1_v_bz_coopA_bias_TNT", "cublas", true},
    {"nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT", "cublas", true},
    {"nvjet_sm120_tst_mma_64x64x128_3_32x32x128_tmaAB_alignCD4_bz_TNNN", "cublas", true},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4>"
     "(cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4::Params)", "cublas", true},
    {"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(int)", "cublas",
     true},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm::Params)", "cublas"},
    {"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
     "cublas", "cublas", true},
    {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_kernel", "cublas",
     true},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_kernel", "cublas"},
    {"ampere_sgemm_128x64_nn", "cublas"},
    {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_32x3_nn", "cublas", true},
    {"volta_h884gemm_256x128_ldg8_tn", "cublas", true},
    {"sgemm_32x32x32_NN_vec", "cublas"},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, float, float, false, true, "
     "true, false, 6, false, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const> > >(int)", "cublas"},
    {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2, false, true, cublasGemvParamsEx<"
     "int> >(int)", "cublas"},
    {"void gemmSN_TN_kernel<float, 128, 16, 2, 4, 10, 11, false>(int)", "cublas"},
    {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>, cublasGemvTensorStridedBatched<"
     "float> > >(int)", "cublas"},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float>(int)", "cublas"},
    {"void splitKreduce_kernel<32, 16, int, __half, __half>(int)", "cublas"},
    {"void magma_sgemmEx_kernel<float, float, float, true, false>(int)", "cublas"},

    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8>"
     "(cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8::Params)", "cudnn", true},
    {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_warpsize2x2x1_g1_"
     "tensor16x8x8", "cudnn", true},
    {"sm90_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_cublas", "cudnn", true},
    {"cudnn_generated_fort_native_sm80_convFwd_pointwise", "cudnn"},
    {"void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>(int)", "cudnn"},
    {"void cudnn::engines_precompiled::nhwcToNchwKernel<float>(int)", "cudnn"},
    {"void nchwToNhwcKernel<__half, __half, float, true, true>(int)", "cudnn"},
    {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, true, true, true>(int)", "cudnn"},
    {"ampere_scudnn_128x64_relu_xregs_large_nn_v1", "cudnn"},
    {"void fft2d_r2c_32x32<float, false, 1u, false>(float2*, float const*, int, cudnn::reduced_divisor)", "cudnn"},
    {"void RNN_blockPersist_fp_LSTM<float, float, float, 128>(int)", "cudnn"},
    {"void convolve_common_engine_float_NHWC<__nv_bfloat16, __nv_bfloat16, 128, 6>(int)", "cudnn"},

    {"triton_poi_fused_add_relu_0", "inductor"},
    {"triton_red_fused_native_layer_norm_1", "inductor"},
    {"triton_per_fused__softmax_2", "inductor"},
    {"triton_tem_fused_mm_3", "inductor"},
    {"void regular_fft<1024u, EPT<16u>, 64u, 1u>(kernel_arguments_t<unsigned int>)", "library"},
    {"void cusparse::csrmm_alg2_kernel<cusparse::CsrMMPolicy<int> >(int)", "library"},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "library"},

    {"relu_kernel(float const*, float*, int)", "own"},
    {"void my_kernel<c10::Half>(c10::Half const*, c10::Half*)", "own"},
    {"void lltm_kernel<float>(at::GenericPackedTensorAccessor<float, 2ul, at::RestrictPtrTraits, int>)", "own"},
    {"sgemm_kernel(float const*, float const*, float*)", "own"},
    {"gemm_bias_relu_kernel(float const*)", "own"},
    {"softmax_warp_forward(float const*)", "own"},
    {"add_kernel", "own"},
    {"void cub::DeviceReduceKernel<int>(int)", "own"},
    {"void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)", "own"},
    {"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<int> >(int)", "own"},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>, cute::SM90_64x128x16_GMMA> >"
     "(int)", "own"},
    {"kernel_cutlass_gemm_bf16_object_at__tensorptr", "own", true},
    {"hgemm_wgmma_kernel(__half const*)", "own", true},
    {"", "own"},
    {"void ", "own"},
    {"<<<((((", "own"},
    {"a::", "own"},
};

TEST(KernelOrigin, OfRealNames) {
  for (const auto& named : k_names) EXPECT_EQ(kernel_origin(named.name), named.origin) << named.name;
}

TEST(ShowsTensorCores, OfRealNames) {
  for (const auto& named : k_names) EXPECT_EQ(shows_tensor_cores(named.name), named.tensor_cores) << named.name;
}

TEST(KernelOrigin, WhatTheSourceDefinesIsTheCandidates) {
  const ProvenanceContext context{{"nvjet_mine", "k", "add_kernel", "softmax_warp_forward"}, {"add_kernel"}};
  EXPECT_EQ(kernel_origin("nvjet_mine", context), "own");
  EXPECT_EQ(kernel_origin("void at::native::k<float>(float)", context), "own");
  EXPECT_EQ(kernel_origin("void (anonymous namespace)::softmax_warp_forward<float>(float*)", context), "own");
  EXPECT_EQ(kernel_origin("add_kernel", context), "triton");
  EXPECT_EQ(kernel_origin("add_kernel_0d1d2d3de", context), "triton");
  EXPECT_EQ(kernel_origin("nvjet_hsh_128x128", context), "cublas");
}

TEST(KernelBaseName, IsTheNameWithoutItsTypes) {
  EXPECT_EQ(kernel_base_name("void a::f<int, (x)3>(b::c<int>)"), "a::f");
  EXPECT_EQ(kernel_base_name("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)"),
            "internal::gemvx::kernel");
  EXPECT_EQ(kernel_base_name("void at::native::(anonymous namespace)::f<int>(int)"), "at::native::{anon}::f");
  EXPECT_EQ(kernel_base_name("plain"), "plain");
  EXPECT_EQ(kernel_base_name(""), "");
  EXPECT_EQ(kernel_base_name(">>>)"), ")");
}

}  // namespace
}  // namespace kbv
