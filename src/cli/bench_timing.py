# SPDX-License-Identifier: MIT
"""Operators by which `kbv bench timing` measures its own clock: from a few microseconds to tens of milliseconds.

As a problem it is Model; as a candidate the same class under the name ModelNew. OPERATOR names the one to run.
"""
import torch
import torch.nn.functional as F

OPERATOR = "relu_1024"


def randn(*shape):
    return torch.randn(*shape)


# name: (inputs, forward)
OPERATORS = {
    "add_256": (lambda: [randn(256, 256), randn(256, 256)], torch.add),
    "relu_1024": (lambda: [randn(1024, 1024)], torch.relu),
    "row_sum_2048": (lambda: [randn(2048, 2048)], lambda x: x.sum(1)),
    "layer_norm_2048": (lambda: [randn(2048, 2048)], lambda x: F.layer_norm(x, (2048,))),
    "ten_small": (lambda: [randn(512, 512)], lambda x: ten_small(x)),
    "rms_norm_4096": (lambda: [randn(1024, 4096)], lambda x: x * torch.rsqrt(x.square().mean(1, keepdim=True) + 1e-5)),
    "gather_2048": (lambda: [randn(8192, 2048), torch.randint(0, 8192, (8192,))], lambda x, i: x[i]),
    "relu_4096": (lambda: [randn(4096, 4096)], torch.relu),
    "matmul_1024": (lambda: [randn(1024, 1024), randn(1024, 1024)], torch.matmul),
    "softmax_4096": (lambda: [randn(4096, 4096)], lambda x: torch.softmax(x, 1)),
    "transpose_8192": (lambda: [randn(8192, 8192)], lambda x: x.t().contiguous()),
    "batch_norm_64": (lambda: [randn(32, 64, 128, 128)], lambda x: F.batch_norm(x, None, None, training=True)),
    "attention_1024": (lambda: [randn(8, 16, 1024, 64) for _ in range(3)], F.scaled_dot_product_attention),
    "max_pool_256": (lambda: [randn(16, 64, 256, 256)], lambda x: F.max_pool2d(x, 2)),
    "matmul_2048": (lambda: [randn(2048, 2048), randn(2048, 2048)], torch.matmul),
    "gelu_16384": (lambda: [randn(16384, 16384)], F.gelu),
    "softmax_16384": (lambda: [randn(16384, 16384)], lambda x: torch.softmax(x, 1)),
    "conv_3x3": (lambda: [randn(32, 128, 128, 128), randn(128, 128, 3, 3)], lambda x, w: F.conv2d(x, w, padding=1)),
    "cumsum_16384": (lambda: [randn(16384, 16384)], lambda x: x.cumsum(1)),
    "matmul_4096": (lambda: [randn(4096, 4096), randn(4096, 4096)], torch.matmul),
    "sort_4096": (lambda: [randn(4096, 16384)], lambda x: x.sort(1).values),
    "matmul_8192": (lambda: [randn(8192, 8192), randn(8192, 8192)], torch.matmul),
    "matmul_10240": (lambda: [randn(10240, 10240), randn(10240, 10240)], torch.matmul),
    "matmul_13312": (lambda: [randn(13312, 13312), randn(13312, 13312)], torch.matmul),
}


def ten_small(x):
    for _ in range(10):
        x = x * 0.5 + 1.0
    return x


class Model(torch.nn.Module):
    def forward(self, *inputs):
        return OPERATORS[OPERATOR][1](*inputs)


ModelNew = Model


def get_inputs():
    return OPERATORS[OPERATOR][0]()
