#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The zoo's candidates for every fault that must be survived, and one right and one wrong for each family of problems.
# usage: zoo_test.sh KBV
set -euo pipefail
kbv=$1
"$kbv" doctor --json 2>/dev/null | grep -qE '"torch": "[0-9]' || {
  echo "skipped: no Python with PyTorch (KBV_PYTHON)"
  exit 77
}
only=()
for name in honest/relu_clamp honest/relu_cpp honest/conv2d_unfold honest/cross_entropy_logsumexp honest/cumsum_doubling \
  honest/gru_list_output honest/layer_norm_two_pass honest/linear_gelu_scale_erf honest/masked_mean honest/matmul_split_k \
  honest/max_pool2d_separable honest/row_sum_halving honest/softmax_online honest/matmul_transposed_output \
  wrong/conv2d_no_bias wrong/cross_entropy_shifted wrong/cumsum_exclusive wrong/gru_h_n_missing wrong/layer_norm_no_eps \
  wrong/linear_gelu_scale_tanh wrong/masked_mean_mask wrong/matmul_last_row wrong/max_pool2d_zero wrong/row_sum_last \
  wrong/softmax_zeros wrong/relu_cpp_compile_error wrong/relu_no_model_new wrong/relu_syntax_error wrong/relu_unknown_module \
  wrong/relu_half_output wrong/relu_nan wrong/relu_writes_past wrong/matmul_forward_raises wrong/relu_constructor_raises \
  hostile/relu_segfault hostile/relu_abort hostile/relu_exit hostile/relu_endless_loop hostile/relu_host_memory \
  hostile/relu_stdout_flood hostile/relu_thread_bomb hostile/relu_fork_bomb hostile/relu_disk_full hostile/relu_stopped \
  hostile/relu_identity_shape_guard hostile/relu_huge_exception hostile/relu_background_thread hostile/relu_kill_parent \
  hostile/matmul_forged hostile/matmul_wire hostile/matmul_false_order hostile/matmul_nonsense_order hostile/matmul_closes hostile/matmul_cache_pointer hostile/relu_lazy; do
  only+=(--only "$name")
done
exec "$kbv" zoo --device cpu --jobs 2 --max-calls 3 --time-budget 0 "${only[@]}"
