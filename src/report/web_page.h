// SPDX-License-Identifier: MIT
// One self-contained HTML file: a leaderboard with all that is behind it. docs/report-page.md describes it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/web_details.h"
#include "report/web_input.h"
#include "report/web_text.h"

namespace kbv {

/// The page while it is made. Details come first and go to a file without a name beside `path`, so that one candidate
/// at a time is in memory; finish() writes the page, and replaces `path` only then.
class WebPage {
 public:
  static constexpr std::size_t k_source_limit = 65536;  ///< bytes of a source that are shown

  /// A usage error if nothing can be written there.
  static Result<WebPage> begin(const std::string& path);
  ~WebPage();
  WebPage(WebPage&&) = default;

  /// Keeps a source, once however often it is given; its key, to be WebDetails::source_key. Empty for an empty source.
  Result<std::string> add_source(std::string_view source);
  /// The details of candidate `id`: once for each WebCandidate of the input.
  Result<void> add_details(std::int64_t id, const WebDetails& details);
  /// The size of the page in bytes.
  Result<std::uint64_t> finish(const WebInput& input);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;
  WebPage(std::string path, File data) : path_(std::move(path)), data_(std::move(data)) {}
  Result<void> put(std::string_view bytes, std::FILE* file) const;

  std::string path_;
  File data_;
  SharedTexts shared_;
  std::set<std::string> sources_;
};

/// What the page shows before its script runs: everything up to the data of single candidates.
std::string web_body(const WebInput& input);
/// The beginning of the page, with its policy and style; and its end, with its script.
std::string web_head(const WebInput& input);
std::string web_tail();
/// The page's one script: web_tools.js, web_candidate.js and web_page.js.
const std::string& web_script();

}  // namespace kbv
