# SPDX-License-Identifier: MIT
"""The final state lacks its leading dimension. Wrong shape of the second output."""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, batch_first=True)

    def forward(self, x, h0):
        output, h_n = self.gru(x, h0)
        return output, h_n.squeeze(0)
