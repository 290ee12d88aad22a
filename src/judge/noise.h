// SPDX-License-Identifier: MIT
// Forwards that draw random numbers in training: what is asked of the reference, for a candidate and for an audit's stand-ins alike.
#pragma once

#include "base/secret.h"
#include "judge/reference.h"

namespace kbv {

/// Pairs of calls on one draw. A bound that holds for any distribution can reject nothing with fewer than about 45.
inline constexpr int k_noise_calls = 64;

/// The draws of inputs on which random outputs are looked at.
struct NoiseInputs {
  const char* id;
  bool twins;  ///< every sample is the first one: what samples share, a mask for one, shows whatever the inputs are like
};
inline constexpr std::array k_noise_inputs{NoiseInputs{"noise-D1", false}, NoiseInputs{"noise-twins", true}};

/// Seeds of the forwards of one side: "first" (what is normal, only the reference's), "reference" or "candidate".
std::vector<std::uint64_t> noise_seeds(const Secret& secret, const std::string& id, const std::string& side);

/// Begins the draw `id`; see Reference::begin_noise().
Result<NoiseStart> begin_noise(Device& device, Reference& reference, const Secret& secret, const NoiseInputs& inputs);

/// How far two right outputs are on fresh inputs: what trials and timed calls of own random numbers are held to.
Result<std::vector<NoiseSpread>> noise_spreads(Reference& reference, const Secret& secret);

}  // namespace kbv
