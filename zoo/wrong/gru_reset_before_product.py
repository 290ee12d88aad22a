# SPDX-License-Identifier: MIT
"""The GRU of the first paper: the reset gate multiplies the state before the recurrent product, not the product after it. Another
function. Wrong values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, batch_first=True)

    def forward(self, x, h0):
        hidden = self.gru.hidden_size
        weight_rz, weight_n = self.gru.weight_hh_l0.split([2 * hidden, hidden])
        bias_rz, bias_n = self.gru.bias_hh_l0.split([2 * hidden, hidden])
        from_input = F.linear(x, self.gru.weight_ih_l0, self.gru.bias_ih_l0)
        h = h0[0]
        states = []
        for step in range(x.shape[1]):
            input_rz, input_n = from_input[:, step].split([2 * hidden, hidden], dim=1)
            reset, update = torch.sigmoid(input_rz + F.linear(h, weight_rz, bias_rz)).chunk(2, dim=1)
            new = torch.tanh(input_n + F.linear(reset * h, weight_n, bias_n))
            h = new + update * (h - new)
            states.append(h)
        return torch.stack(states, dim=1), h.unsqueeze(0)
