// SPDX-License-Identifier: MIT
// Which kernels ran, and whose they are: what the tracer wrote, read with care, and the labels that it bears out.
// A label is advice for a person. It never decides a verdict: the trace comes from the process of the untrusted code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

/// All launches of one kernel in the traced call.
struct TracedKernel {
  std::string name;  ///< demangled, printable ASCII, at most k_max_traced_name_bytes
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0, min_ns = 0, max_ns = 0;  ///< on the device
  std::array<std::int64_t, 3> grid{}, block{};         ///< of the last launch
  std::uint32_t registers = 0;                         ///< a thread
  std::uint64_t shared_bytes = 0;                      ///< a block, static and dynamic
};

/// All copies, or all sets, of device memory in the traced call.
struct TracedTransfers {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t total_ns = 0;
};

/// What ran on the device in one call of a forward pass.
struct KernelTrace {
  std::uint32_t cupti_version = 0;
  std::string problem;  ///< why the trace is empty or lacks something; "" if all went well. Printable ASCII
  std::vector<TracedKernel> kernels;
  TracedTransfers copies, sets;
  std::uint64_t dropped = 0;  ///< records that were lost: other kernels may have run

  /// The device time of all kernels, without copies and sets.
  std::uint64_t total_ns() const;
  /// Whether what is not in `kernels` did not run.
  bool complete() const { return problem.empty() && dropped == 0; }
};

constexpr std::size_t k_max_trace_bytes = 16u << 20;
constexpr std::size_t k_max_traced_kernels = 4096;
constexpr std::size_t k_max_traced_name_bytes = 512;

/// Reads what kbv_trace_end() wrote. The bytes are hostile: every size and number is bounded, nothing throws.
/// Fails with the candidate's "bad_trace".
Result<KernelTrace> parse_kernel_trace(std::string_view bytes);

/// What is known of a candidate beside its trace.
struct ProvenanceContext {
  std::vector<std::string> source_kernels;  ///< kernel_names_in_source(): what the candidate itself defines
  std::vector<std::string> triton_kernels;  ///< those of them that Triton compiles: triton_names_in_source()
};

/// A kernel's name without return type, template arguments and parameters: "void a::f<int>(int)" is "a::f". An
/// anonymous namespace is "{anon}".
std::string kernel_base_name(const std::string& name);

/// Whose a kernel is, by its name alone:
///   "pytorch"   ATen, and the flash attention and cub that PyTorch compiles in
///   "inductor"  Triton code that torch.compile wrote
///   "cublas", "cudnn"
///   "library"   another library of NVIDIA's: cuFFT, cuSPARSE, cuSOLVER, cuRAND, NCCL
///   "own"       all others: CUDA, CUTLASS, cub and Triton of the candidate's
std::string kernel_origin(const std::string& name);

/// The same, knowing the candidate: "triton" for a name in triton_kernels, "own" for one in source_kernels, even where
/// the name looks like a library's.
std::string kernel_origin(const std::string& name, const ProvenanceContext& context);

/// Whether the name shows that the kernel uses tensor cores. Own kernels mostly do not show it.
bool shows_tensor_cores(const std::string& name);

/// `kernel`'s share of the device time of all kernels, 0 to 1.
double kernel_share(const TracedKernel& kernel, const KernelTrace& trace);

/// Labels for a candidate's trace, in this order:
///   "no_kernel"         nothing ran on the device
///   "library_only"      all kernels are libraries' or torch.compile's
///   "no_custom_kernel"  no kernel is the candidate's own or its Triton (so always beside library_only)
///   "decoy_kernel"      the source defines kernels, but none of them ran, or own kernels had less than 1 % of the
///                       device time beside library kernels
///   "tensor_cores"      a kernel's name shows tensor cores
///   "same_as_baseline"  the same kernels, each as often, as in the reference's trace
/// All but "tensor_cores" say that something did not run, so an incomplete trace does not get them.
std::vector<std::string> provenance_labels(const KernelTrace& candidate, const KernelTrace* baseline,
                                           const ProvenanceContext& context);

/// Names of __global__ functions (CUDA, also within Python strings) and of functions under @triton.jit and its like.
/// Advisory: a scan of text, not a parser. Linear time; at most 256 names, in order, each once.
std::vector<std::string> kernel_names_in_source(const std::string& source);

/// Only those under @triton.jit, @triton.autotune, @triton.heuristics or @gluon.jit.
std::vector<std::string> triton_names_in_source(const std::string& source);

}  // namespace kbv
