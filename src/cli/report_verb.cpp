// SPDX-License-Identifier: MIT
// Campaigns as one page that a browser shows without a network.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/say.h"
#include "cli/verbs.h"
#include "report/campaign_page.h"
#include "report/units.h"

namespace kbv {
namespace {

Result<CampaignPage> report(const ReportVerbOptions& options) {
  for (const std::string& path : options.campaigns) {
    std::error_code error;
    if (std::filesystem::equivalent(path, options.out, error))
      return fail(Fault::usage, "same_file", options.out + ": the page would replace the campaign");
  }
  CampaignPageOptions page;
  page.title = options.title;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  if (terminal)
    page.progress = [](std::size_t done, std::size_t all) {
      if (done % 50 == 0 || done == all) say(stderr, "\r{} of {} candidates", done, all);
      if (done == all) say(stderr, "\n");
    };
  return write_campaign_page(options.campaigns, options.out, page);
}

}  // namespace

int run_report(const ReportVerbOptions& options) {
  const auto page = report(options);
  if (!page) return print_error(page.error());
  say(stdout, "{}: {} runs, {} candidates, {} judged; {}\n", options.out, page->runs, page->candidates, page->judged,
      show_bytes(page->bytes));
  return k_exit_correct;
}

}  // namespace kbv
