// SPDX-License-Identifier: MIT
// The attested call: the clock starts before the judge begins to reveal fresh inputs, and stops after the judge has
// copied the outputs into its own memory. Only that snapshot is ever compared. So nothing can be computed before the
// start, nothing after the end counts, and no timer that a worker could patch is used.
//
// A hand-over costs hundreds of microseconds, most of them for the switch between two processes' contexts. Where a call is
// short, one hand-over therefore takes several calls, each on its own fresh inputs in a slot of its own. More slots are
// filled than are called, and the worker is told which one is next only when the last call is done: to compute all of them
// ahead costs more than it spares.
//
// Within it, each forward has an interval of its own, and the outputs are asked for only when that is over. Its end is the
// worker's word, so this interval alone proves nothing; but it is free of all that a hand-over costs besides, and so it is the
// more accurate figure for a worker whose two figures agree. Work that is put off beyond that end makes the whole longer.
#pragma once

#include <span>

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
  double null_us = 0;                ///< of "null": see Worker::HandOver
  std::uint64_t forward_seed = 0;
  bool evict_cache = false;  ///< empty the last-level cache after the inputs are there, before the hand-over
  /// Calls of the smallest kernel in the same hand-over before those that count. A process that has waited is slow at first, by 0.2 ms
  /// beside a GPU and by milliseconds on the CPU, and one implementation may wait longer than another.
  int warm_calls = 0;
  bool watch_memory = false;
  /// The worker waits for the device between forward and outputs, so that an honest one's forward_us is all of it. Where
  /// correctness alone counts it does not: work on another stream that nobody waits for must show in the outputs.
  bool settle = false;
  bool hold = false;         ///< the worker keeps the outputs besides, for op "held"
  double timeout_s = 60;     ///< of one call
};

/// What a hand-over reveals: pristine[i] is copied to slots[i]. Call k is on the inputs of slot order[k]; its outputs are put
/// into slot outputs[k], which the worker is told when its forward is over, and end in snapshots[k].
struct CallPlan {
  std::span<CallBuffers> slots;
  std::span<BufferSet> pristine;
  std::span<BufferSet> snapshots;
  std::span<const int> order, outputs;
};

struct CallResult {
  double attested_us = 0;  ///< of the whole hand-over
  /// Of it, from each go to what the worker called the end of the forward, by the judge's clock; the median of the calls.
  double forward_us = 0;
  CallClaims claims;
  std::optional<std::uint64_t> observed_growth_bytes;  ///< with watch_memory
};

Result<CallBuffers> allocate_call_buffers(Device& device, const nlohmann::json& inputs, const nlohmann::json& outputs);

/// Maps the buffers in the worker, as slot `slot`.
Result<void> bind_call_buffers(Worker& worker, const CallBuffers& buffers, int slot);

/// One hand-over. The outputs are in the snapshots, which are the judge's alone, afterwards.
Result<CallResult> attested_calls(Device& device, Worker& worker, const CallPlan& plan, const CallOptions& options);

}  // namespace kbv
