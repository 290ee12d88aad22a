// SPDX-License-Identifier: MIT
// The attested call: the clock starts before the judge begins to reveal fresh inputs, and stops after the judge has
// copied the outputs into its own memory. Only that snapshot is ever compared. So nothing can be computed before the
// start, nothing after the end counts, and no timer that a worker could patch is used.
#pragma once

#include "judge/buffer_set.h"
#include "judge/observation.h"
#include "worker/worker.h"

namespace kbv {

/// The buffers of a worker that is called; shared with that worker only.
struct CallBuffers {
  BufferSet in, out;
};

struct CallOptions {
  std::string model = "model";  ///< "model", "null", "compiled"
  std::uint64_t forward_seed = 0;
  bool evict_cache = false;  ///< empty the last-level cache after the inputs are there, before the hand-over
  bool wake = false;         ///< an untimed empty call in the same worker just before; see wakes_worker()
  bool watch_memory = false;
  double timeout_s = 60;
};

struct CallResult {
  double attested_us = 0;
  CallClaims claims;
  std::optional<std::uint64_t> observed_growth_bytes;  ///< with watch_memory
};

Result<CallBuffers> allocate_call_buffers(Device& device, const nlohmann::json& inputs, const nlohmann::json& outputs);

/// Maps the buffers in the worker.
Result<void> bind_call_buffers(Worker& worker, const CallBuffers& buffers);

/// One call on the inputs in `pristine`. The outputs are in `snapshot`, which is the judge's alone, afterwards.
Result<CallResult> attested_call(Device& device, Worker& worker, CallBuffers& buffers, BufferSet& snapshot,
                                 const BufferSet& pristine, const CallOptions& options);

}  // namespace kbv
