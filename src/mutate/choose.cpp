// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "mutate/mutations.h"

namespace kbv {
namespace {

/// SplitMix64: the same on every machine, unlike the distributions of <random>.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace

std::vector<Mutant> choose_mutants(const std::vector<Mutant>& all, const std::vector<Family>& families,
                                   std::size_t count, std::uint64_t seed) {
  std::vector<bool> taken(all.size(), false);
  std::map<std::pair<Family, std::string>, int> of_rule;
  std::vector<Mutant> chosen;
  const auto rank = [&](std::size_t i) {
    std::size_t nearest = std::numeric_limits<std::size_t>::max();
    for (const Mutant& other : chosen) nearest = std::min(nearest, distance(other.begin, all[i].begin));
    const auto used = of_rule.find({all[i].family, all[i].rule});
    // A place far from those chosen before, but no farther than a few lines: beyond that, chance decides.
    constexpr std::size_t k_far_bytes = 160;
    return std::tuple(used == of_rule.end() ? 0 : -used->second, std::min(nearest, k_far_bytes),
                      mixed(seed ^ mixed(i + 1)));
  };
  for (bool any = true; any && chosen.size() < count;) {
    any = false;
    for (const Family family : families) {
      std::size_t best = all.size();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!taken[i] && all[i].family == family && (best == all.size() || rank(i) > rank(best))) best = i;
      if (best == all.size() || chosen.size() == count) continue;
      taken[best] = any = true;
      ++of_rule[{family, all[best].rule}];
      chosen.push_back(all[best]);
    }
  }
  return chosen;
}

}  // namespace kbv
