// SPDX-License-Identifier: MIT
// Hostile names of runs, problems, candidates and files, in all that the verbs print, write and export.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "../report/made.h"
#include "base/file.h"
#include "base/printable.h"
#include "cli/run_progress.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "problem/flat_yaml.h"
#include "report/text.h"
#include "store/campaign.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using test::hostile_texts;
using testing::Each;
using testing::HasSubstr;

template <typename T>
concept CanBeSaid = requires(const T& value) { say_detail::shown(value); };
static_assert(CanBeSaid<std::string> && CanBeSaid<const char*> && CanBeSaid<int> && CanBeSaid<double>);
static_assert(!CanBeSaid<std::vector<std::string>>, "a list would get past printable()");

/// A campaign with a run for each hostile text, which also is what its candidate, its problem and its outputs are
/// called.
class HostileNames : public testing::Test {
 protected:
  HostileNames() {
    std::string name = (fs::temp_directory_path() / "kbv-hostile-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~HostileNames() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void fill() {
    auto campaign = Campaign::open(path("c.kbv"));
    ASSERT_TRUE(campaign) << campaign.error().message;
    for (std::size_t i = 0; i < hostile_texts().size(); ++i) {
      const std::string& text = hostile_texts()[i];
      const std::string problem = fmt::format("# problem {}\n", i), source = text + "\n";
      const auto id = (*campaign)->add_problem(
          {0, 1, static_cast<int>(i) + 1, fmt::format("{}_{}", i + 1, text), sha256_hex(problem), problem});
      ASSERT_TRUE(id) << id.error().message;
      const auto candidate =
          (*campaign)->add_candidate({0, text, *id, 0, "runs/" + text + "/x.py", sha256_hex(source), source});
      ASSERT_TRUE(candidate) << candidate.error().message;
      Observation observation = test::made_observation(static_cast<int>(i % 10), 2, 1, text);
      for (CaseResult& result : observation.cases)
        for (OutputCheck& output : result.outputs) output.path = "output['" + text + "']";
      ASSERT_TRUE((*campaign)->add_observation(*candidate, observation));
      ASSERT_TRUE((*campaign)->add_failure(*candidate, {Fault::machine, "gpu_lost", text, text}));
      last_ = *candidate;
    }
  }

  template <typename Verb>
  int captured(Verb verb) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = verb();
    std::fflush(nullptr);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }
  std::string score(const std::string& format) {
    ScoreOptions options;
    options.campaigns = {path("c.kbv")};
    options.format = format;
    EXPECT_EQ(captured([&] { return run_score(options); }), 0) << err;
    return out;
  }
  /// Every file below `folder`.
  std::vector<fs::path> files(const std::string& folder) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
      if (!entry.is_directory()) found.push_back(entry.path());
    return found;
  }

  std::string out, err;
  std::int64_t last_ = 0;
  fs::path folder_;
};

/// As RFC 4180 says: fields of each record.
std::vector<std::vector<std::string>> csv_records(const std::string& text) {
  std::vector<std::vector<std::string>> records{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (quoted && text[i] == '"' && text.substr(i + 1, 1) == "\"")
      field += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      records.back().emplace_back();
    else if (!quoted && text.substr(i, 2) == "\r\n")
      records.push_back({""}), ++i;
    else
      field += text[i];
  }
  EXPECT_FALSE(quoted) << "a quote that does not end";
  records.pop_back();
  return records;
}

TEST_F(HostileNames, WhatAVerbSaysIsPrintable) {
  for (const std::string& text : hostile_texts()) {
    captured([&] { return say(stdout, "{:>8}|{}|{:.1f}|{}", text, text.c_str(), 1.5, std::string_view(text)), 0; });
    EXPECT_EQ(out, printable(out)) << "one line, and nothing that a terminal obeys";
    EXPECT_THAT(out, HasSubstr(printable(text.c_str()) + "|1.5|" + printable(text)));
    captured([&] { return print_error({Fault::usage, "x", text, text + "\n" + text}); });
    EXPECT_EQ(err, printable(err, true));
    captured([&] { return say_lines(stdout, text), 0; });
    EXPECT_EQ(out, printable(text, true));
  }
}

TEST_F(HostileNames, TheLinesOfARunArePrintable) {
  for (const bool terminal : {false, true})
    for (const std::string& text : hostile_texts()) {
      std::FILE* file = std::tmpfile();
      RunProgress progress(2, file, terminal);
      progress.stage(0, text);
      Verdict verdict;
      verdict.code = text;
      progress.judged(text, verdict, test::good_observation());
      progress.tried(text, {Fault::machine, text, text, text});
      progress.failed(text, {Fault::machine, text, text, text});
      std::rewind(file);
      std::string shown(1u << 20, '\0');
      shown.resize(std::fread(shown.data(), 1, shown.size(), file));
      std::fclose(file);
      for (std::size_t at = 0; (at = shown.find("\r\x1b[K")) != shown.npos;) shown.erase(at, 4);  // ours
      EXPECT_EQ(shown, printable(shown, true));
    }
}

TEST_F(HostileNames, ShowPrintsNothingThatATerminalObeys) {
  fill();
  ShowOptions options;
  options.campaign = path("c.kbv");
  ASSERT_EQ(captured([&] { return run_show(options); }), 0) << err;
  EXPECT_EQ(out, printable(out, true));
  EXPECT_EQ(split_lines(out).size(), hostile_texts().size() + 1) << "a line for each candidate";
  for (options.id = 1; *options.id <= last_; ++*options.id)
    for (const bool source : {false, true}) {
      options.source = source;
      options.verbose = true;
      ASSERT_EQ(captured([&] { return run_show(options); }), 0) << err;
      EXPECT_EQ(out, printable(out, true));
    }
}

TEST_F(HostileNames, ShowsFilesAreInTheirFolder) {
  fill();
  ShowOptions options;
  options.campaign = path("c.kbv");
  for (options.id = 1; *options.id <= last_; ++*options.id) {
    options.files = path(fmt::format("files/{}", *options.id));
    ASSERT_EQ(captured([&] { return run_show(options); }), 0) << err;
  }
  for (const fs::path& file : files("files"))
    EXPECT_THAT(file.filename().string(), testing::AnyOf("problem.py", "candidate.py", "observation.json"));
  EXPECT_EQ(files("files").size(), 3 * hostile_texts().size());
  EXPECT_EQ(files("").size(), 3 * hostile_texts().size() + 1) << "and nothing beside it but the campaign";
}

TEST_F(HostileNames, CsvHasSevenFieldsAndNoFormula) {
  fill();
  const auto records = csv_records(score("csv"));
  ASSERT_GT(records.size(), 10 * hostile_texts().size());
  for (std::size_t i = 1; i < records.size(); ++i) {
    ASSERT_EQ(records[i].size(), 7u);
    const std::string run = records[i][0].substr(std::min(records[i][0].find_first_not_of(' '), records[i][0].size()));
    EXPECT_TRUE(run.empty() || std::string_view("=+-@\t\r").find(run[0]) == std::string_view::npos) << run;
    EXPECT_EQ(records[i][0], printable(records[i][0]));
    for (const std::size_t number : {1u, 3u, 4u, 5u, 6u})
      EXPECT_EQ(records[i][number].find_first_not_of("0123456789.e+-"), std::string::npos);
  }
}

TEST_F(HostileNames, MarkdownTablesKeepTheirColumns) {
  fill();
  std::size_t columns = 0;
  for (const std::string& line : split_lines(score("md"))) {
    EXPECT_EQ(line, printable(line));
    std::string plain = line;
    for (std::size_t at = 0; (at = plain.find("<!-- -->")) != plain.npos;) plain.erase(at, 8);
    EXPECT_EQ(plain.find('<'), plain.npos) << line;
    std::size_t pipes = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (plain[i] == '\\')
        ++i;  // what follows is itself
      else if (plain[i] == '|')
        ++pipes;
      else
        EXPECT_EQ(std::string_view("`[]!~").find(plain[i]), std::string_view::npos) << line;
    }
    if (line.starts_with('|') && columns > 0) EXPECT_EQ(pipes, columns) << line;
    columns = line.starts_with('|') ? pipes : 0;
  }
}

TEST_F(HostileNames, TablesAndJsonAreHarmless) {
  fill();
  const std::string table = score("table");
  EXPECT_EQ(table, printable(table, true));
  const std::string json = score("json");
  EXPECT_EQ(nlohmann::json::parse(json)["runs"].size(), hostile_texts().size());
  EXPECT_THAT(json, Each(testing::AnyOf('\n', testing::AllOf(testing::Ge(' '), testing::Le('~'))))) << "ASCII";
}

TEST_F(HostileNames, ExportsStayInTheirFolderAndReadBack) {
  fill();
  ExportOptions options;
  options.campaign = path("c.kbv");
  options.folder = path("out");
  options.protocol = "kernelbench";
  ASSERT_EQ(captured([&] { return run_export(options); }), 0) << err;
  EXPECT_EQ(out, printable(out, true));
  std::size_t runs = 0;
  for (const auto& run : fs::directory_iterator(path("out/runs"))) {
    ASSERT_TRUE(run.is_directory()) << run;
    ++runs;
    const auto text = read_file((run.path() / "generation_config.yaml").string(), "config");
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr("level: 1\n"));
    const auto values = read_flat_yaml(*text, "config");
    ASSERT_TRUE(values);
    EXPECT_EQ(values->size(), 3u) << "no key of a stranger's: " << *text;
    EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 3);
    EXPECT_EQ(file_name_of(run.path().filename().string()), run.path().filename().string());
  }
  EXPECT_EQ(runs, hostile_texts().size());
  std::size_t outside = 0;
  for (const fs::path& file : files("")) outside += file.string().rfind(path("out") + "/", 0) != 0;
  EXPECT_EQ(outside, 1u) << "the campaign, and nothing else";
}

}  // namespace
}  // namespace kbv
