# SPDX-License-Identifier: MIT
"""Pools before it normalises: the maximum in channels whose factor (norm times scale) is positive, the minimum where it is
negative. Both commute, so this is correct for every value of the parameters."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1)
        self.norm = nn.GroupNorm(groups, out_channels)
        self.scale = nn.Parameter(torch.ones(out_channels, 1, 1))
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        y = self.conv(x)
        channels = y.shape[1]
        grouped = y.reshape(y.shape[0], self.norm.num_groups, -1)
        mean = grouped.mean(dim=2)
        variance = (grouped - mean.unsqueeze(2)).square().mean(dim=2)
        each = channels // self.norm.num_groups
        mean = mean.repeat_interleave(each, dim=1)[:, :, None, None]
        inverse = torch.rsqrt(variance + self.norm.eps).repeat_interleave(each, dim=1)[:, :, None, None]
        scale = self.scale.view(channels)
        factor = inverse * (self.norm.weight * scale)[None, :, None, None]
        shift = (self.norm.bias * scale)[None, :, None, None]
        pooled = torch.where(factor >= 0, self.pool(y), -self.pool(-y))
        return torch.clamp((pooled - mean) * factor + shift, -1.0, 1.5)
