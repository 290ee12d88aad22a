// SPDX-License-Identifier: MIT
// made_campaign FILE COUNT [RUNS [SAMPLES [FOLDER]]]: writes a made-up campaign, to measure pages with
// (docs/report-page.md). Correct candidates get the observations in FOLDER (as kbv eval --json writes them) in turn, so
// that their data is as large as real ones.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "made.h"
#include "store/observation_json.h"

int main(int argc, char** argv) {
  using namespace kbv;
  if (argc < 3) {
    fmt::print(stderr, "usage: made_campaign FILE COUNT [RUNS [SAMPLES [FOLDER]]]\n");
    return 2;
  }
  test::MadeCampaign made;
  made.candidates = std::atoi(argv[2]);
  if (argc > 3) made.runs = std::max(1, std::atoi(argv[3]));
  if (argc > 4) made.samples = std::max(1, std::atoi(argv[4]));
  if (argc > 5)
    for (const auto& entry : std::filesystem::directory_iterator(argv[5])) {
      const auto text = read_file(entry.path().string(), "observation");
      auto observation = text ? observation_from_json(*text, entry.path().string()) : tl::make_unexpected(text.error());
      if (observation)
        made.templates.push_back(std::move(*observation));
      else
        fmt::print(stderr, "made_campaign: {}\n", observation.error().message);
    }
  if (std::filesystem::exists(argv[1])) {
    fmt::print(stderr, "made_campaign: {} is there already\n", argv[1]);
    return 2;
  }
  auto campaign = Campaign::open(argv[1]);
  const auto filled = campaign ? test::fill_campaign(**campaign, made) : tl::make_unexpected(campaign.error());
  if (!filled) {
    fmt::print(stderr, "made_campaign: {}\n", filled.error().message);
    return 2;
  }
  fmt::print("{}: {} candidates of {} runs\n", argv[1], made.candidates, made.runs);
  return 0;
}
