// SPDX-License-Identifier: MIT
// How well this machine's times are known, as `kbv bench timing --write` measured it: the judge's clock against the events of
// honest workers.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace kbv {

struct Instrument {
  std::string device_uuid;  ///< of the GPU it is true of; "" for a CPU
  std::string device;       ///< its name
  std::string measured_at;  ///< UTC, ISO 8601
  int operators = 0;        ///< how many it is made of
  double floor_us = 0;      ///< the judge differs from the events by at most this, in 9 of 10 operators shorter than 100 us
  double part = 0;          ///< the same of longer ones, as a part of their time
};

/// One operator: what the judge's clock and the worker's events say of one call.
struct InstrumentSample {
  double judge_us = 0, events_us = 0;
};

/// floor_us and part from what was measured; `operators` counts those that are finite. With no short operator the floor is
/// what `part` is of 100 us.
Instrument instrument_of(std::span<const InstrumentSample> samples);

std::string instrument_to_json(const Instrument& instrument);
/// Fault usage, code "bad_instrument", naming `where` and the field.
Result<Instrument> instrument_from_json(const std::string& text, const std::string& where);

/// Where it lies if nobody says otherwise: $XDG_STATE_HOME or ~/.local/state, kbv/instrument-UUID.json (or -cpu).
std::string instrument_path(const std::string& device_uuid);

}  // namespace kbv
