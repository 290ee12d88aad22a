// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "device/cuda_context.h"

namespace kbv::cuda {

enum class Sharing {
  none,
  by_descriptor,  ///< a worker can map it
};

/// Device memory, zeroed. It is overwritten before it is given back.
Result<std::unique_ptr<Buffer>> allocate(const std::shared_ptr<DeviceContext>& context, std::uint64_t bytes,
                                         Sharing sharing);

}  // namespace kbv::cuda
