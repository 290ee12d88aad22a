// SPDX-License-Identifier: MIT
// What both backends' compare_exact() share around exact_core.h. Private to this layer.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "device/compare.h"
#include "device/device.h"
#include "device/exact_core.h"
#include "device/exact_stats.h"

namespace kbv {

/// Bounds of the three buffers, in dtypes' own elements as Device::compare_exact() counts them.
Result<void> check_exact(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got, std::uint64_t count,
                         std::uint64_t slice_elements);

/// Cuts slices into parts of at most `part_limit` elements or a little more. Neither count may be 0.
exact_core::Split split_slices(std::uint64_t elements, std::uint64_t slice_elements, std::uint64_t part_limit);
inline std::uint64_t items(const exact_core::Split& split) { return split.slices * split.parts; }

/// Folds partial results in the order given and looks up the worst element through `read_element`. Where slices have
/// several parts, `sums` holds each item's sum of d^2 and `rho` is as the caller gave it; else neither is read.
Result<ExactStats> finish_exact(const exact_core::Split& split, const std::vector<exact_core::Partial>& partials,
                                const double* sums, const double* rho,
                                const std::function<Result<double>(bool of_got, std::uint64_t index)>& read_element);

/// The host backend's, of buffers that check_exact() accepts.
Result<ExactStats> compare_exact_on_host(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got,
                                         std::uint64_t count, std::uint64_t slice_elements);

}  // namespace kbv
