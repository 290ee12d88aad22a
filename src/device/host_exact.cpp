// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "device/exact.h"
#include "device/host_threads.h"

namespace kbv {
namespace {

// Of one thread's turn: large enough that taking it does not matter.
constexpr std::uint64_t k_chunk_elements = 1u << 18;

template <typename T>
const T* begin_of(const Buffer& buffer) {
  return reinterpret_cast<const T*>(static_cast<std::uintptr_t>(buffer.address()));  // NOLINT(*-no-int-to-ptr)
}

struct Inputs {
  const double* exact;
  const double* rho;
  const unsigned char* got;
};

/// One partial result a chunk of items, and, where slices have several parts, each item's sum.
template <typename Element>
std::vector<exact_core::Partial> compare_items(const exact_core::Split& split, const Inputs& inputs,
                                               std::vector<double>& sums) {
  const auto* got = reinterpret_cast<const typename Element::Stored*>(inputs.got);
  const std::uint64_t chunk_items = std::max<std::uint64_t>(1, k_chunk_elements / split.part_elements);
  std::vector<exact_core::Partial> partials((items(split) - 1) / chunk_items + 1);
  for_each_chunk(items(split), chunk_items, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
    exact_core::Partial partial = exact_core::empty_partial();
    exact_core::Accumulator<Element> accumulator(partial);
    for (std::uint64_t i = begin; i < end; ++i) {
      const exact_core::Item item = exact_core::item_at(split, i);
      const double rho = inputs.rho[item.slice];
      accumulator.begin(item.slice, rho);
      for (std::uint64_t at = item.begin; at < item.end; ++at)
        if (!accumulator.add(inputs.exact[at], got[at])) accumulator.look(inputs.exact[at], got[at], at);
      accumulator.end();
      if (split.parts > 1)
        sums[i] = accumulator.sum_sq;
      else
        exact_core::raise(partial.e_rms, partial.rms_slice,
                          exact_core::rms_error(accumulator.sum_sq, item.slice_size, rho), item.slice);
    }
    partials[chunk] = partial;
  });
  return partials;
}

}  // namespace

Result<ExactStats> compare_exact_on_host(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got,
                                         std::uint64_t count, std::uint64_t slice_elements) {
  if (count == 0) return ExactStats{};
  const RealElements elements = real_elements(dtype, count);
  const exact_core::Split split = split_slices(elements.count, slice_elements, k_chunk_elements);
  const Inputs inputs{begin_of<double>(exact), begin_of<double>(rho), begin_of<unsigned char>(got)};
  std::vector<double> sums(split.parts > 1 ? items(split) : 0);
  const auto partials =
      with_element(elements.dtype, [&](auto element) { return compare_items<decltype(element)>(split, inputs, sums); });
  return finish_exact(split, partials, sums.data(), inputs.rho,
                      [&](bool of_got, std::uint64_t index) -> Result<double> {
                        if (!of_got) return inputs.exact[index];
                        return element_value(elements.dtype, inputs.got + index * elements.bytes);
                      });
}

}  // namespace kbv
