# SPDX-License-Identifier: MIT
"""The reference in float64, from the same float32 values: what an output should be, and how far the reference is from it."""
import copy
import math

import torch

SLICE_ELEMENTS = 1000


class Oracle:
    def __init__(self, model, seed):
        """`seed(value)` sets every generator that a forward may draw from."""
        self.model, self.seed = copy.deepcopy(model).double(), seed

    def run(self, inputs, forward_seed):
        """The outputs for float64 inputs. Constants that the forward makes are float64 as well."""
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            self.seed(forward_seed)
            with torch.no_grad():
                return self.model(*inputs)
        finally:
            torch.set_default_dtype(before)


def slices(tensor):
    """A view of it as rows: one for each index of dimension 0, several together where one has few elements."""
    if tensor.dim() < 2 or tensor.numel() == 0:
        return tensor.reshape(1, -1)
    together = max(1, math.ceil(SLICE_ELEMENTS / max(1, tensor[0].numel())))
    rows = tensor.shape[0] // together * together
    return tensor[:rows].reshape(rows // together, -1) if rows else tensor.reshape(1, -1)


def errors(got, oracle):
    """Largest element's and largest slice's relative error. An element is measured by itself and the rms of its slice: neither one
    near zero nor a large output elsewhere makes it look better or worse than it is."""
    r = slices(oracle.double())
    d = slices(got.double()) - r
    if r.numel() == 0:
        return 0.0, 0.0
    rms, all_rms = r.square().mean(1, keepdim=True).sqrt(), r.square().mean().sqrt()
    rho = torch.maximum(rms, all_rms * 2.0**-10).clamp(min=2.0**-100)
    e_max = (d.abs() / (r.abs() + rho)).max()
    e_rms = (d.square().mean(1, keepdim=True).sqrt() / rho).max()
    return e_max.item(), e_rms.item()
