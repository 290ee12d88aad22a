// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace kbv {

/// Calls body(chunk, begin, end) for each chunk of [0, count), on several threads where there are several chunks.
/// Chunks depend on `count` and `chunk_size` alone, so that results merged in their order do not depend on the
/// machine. `body` must not throw.
void for_each_chunk(std::uint64_t count, std::uint64_t chunk_size,
                    const std::function<void(std::uint64_t chunk, std::uint64_t begin, std::uint64_t end)>& body);

}  // namespace kbv
