// SPDX-License-Identifier: MIT
#include "store/kernelbench_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ResultsSource k_source{"run a", 2, "standard", "f.json"};

/// Of KernelBench today: a list for each problem.
const std::string k_current =
    R"J({"1": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "GPU", "correctness_trials": "(5 / 5)"},
  "runtime": 26.3, "runtime_stats": {"mean": 26.3, "std": NaN}},
 {"sample_id": 3, "compiled": true, "correctness": false, "metadata": {"max_difference": ["Infinity", Infinity]}, "runtime": -1.0, "runtime_stats": {}}],
 "12": [{"sample_id": 0, "compiled": false, "correctness": false, "metadata": {"compilation_error": "d\u00e9j\udcff"}, "runtime": -1.0, "runtime_stats": {}}]})J";
/// Of 2025: one for each problem.
const std::string k_legacy =
    R"({"7": {"sample_id": 0, "compiled": true, "correctness": true, "metadata": {}, "runtime": 0.5, "runtime_stats": {}}})";
/// Of KernelBench-Verified.
const std::string k_verified =
    R"({"10_0": {"sample_id": 0, "compiled": true, "correctness": true, "metadata": {}, "runtime": 1.5, "runtime_stats": {},
 "peak_memory": 1048576.0, "memory_stats": {"peak_bytes": 1048576}}, "9_4": {"sample_id": 4, "compiled": true, "correctness": false, "metadata": {},
 "runtime": -1.0, "runtime_stats": {}, "peak_memory": -1.0, "memory_stats": {}}})";

ResultsRead read(const std::string& text) {
  auto read = read_results(text, k_source);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? std::move(*read) : ResultsRead();
}

std::string complaint(const std::string& text) {
  const auto read = read_results(text, k_source);
  if (read) return "no complaint";
  EXPECT_EQ(read.error().fault, Fault::usage);
  EXPECT_LT(read.error().message.size(), 300u);
  return read.error().message;
}

/// One entry with `from` replaced.
std::string entry_with(const std::string& from, const std::string& to) {
  std::string text =
      R"({"5": [{"sample_id": 1, "compiled": true, "correctness": true, "runtime": 2.5, "peak_memory": 7}]})";
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no such text: " + from);
  return text.replace(at, from.size(), to);
}

bool same(const RecordedResult& a, const RecordedResult& b) {
  return a.run == b.run && a.level == b.level && a.number == b.number && a.sample == b.sample &&
         a.harness == b.harness && a.tests == b.tests && a.compiled == b.compiled && a.correct == b.correct &&
         a.runtime_ms == b.runtime_ms && a.peak_bytes == b.peak_bytes && a.json == b.json;
}

TEST(KernelBenchResults, ReadsAllThreeShapes) {
  const auto current = read(k_current);
  ASSERT_EQ(current.results.size(), 3u);
  EXPECT_THAT(current.notes, IsEmpty());
  const RecordedResult& first = current.results[0];
  EXPECT_EQ(first.run, "run a");
  EXPECT_EQ(first.level, 2);
  EXPECT_EQ(first.harness, "kernelbench");
  EXPECT_TRUE(first.compiled && first.correct);
  EXPECT_EQ(first.runtime_ms, 26.3);
  EXPECT_EQ(first.peak_bytes, std::nullopt);
  EXPECT_THAT(first.json, HasSubstr("\"std\": NaN}}")) << "the text as it was";
  EXPECT_EQ(current.results[1].sample, 3);
  EXPECT_FALSE(current.results[1].correct);
  EXPECT_EQ(current.results[1].runtime_ms, std::nullopt);
  EXPECT_FALSE(current.results[2].compiled);
  EXPECT_THAT(current.results[2].json, HasSubstr(R"(d\u00e9j\udcff)"));

  const auto legacy = read(k_legacy);
  ASSERT_EQ(legacy.results.size(), 1u);
  EXPECT_EQ(legacy.results[0].number, 7);
  EXPECT_EQ(legacy.results[0].harness, "kernelbench");

  const auto verified = read(k_verified);
  ASSERT_EQ(verified.results.size(), 2u);
  EXPECT_EQ(verified.results[0].number, 9) << "by number, not as text";
  EXPECT_EQ(verified.results[0].sample, 4);
  EXPECT_EQ(verified.results[0].peak_bytes, std::nullopt);
  EXPECT_EQ(verified.results[1].harness, "verified");
  EXPECT_EQ(verified.results[1].peak_bytes, 1048576u);
}

TEST(KernelBenchResults, TakesNumbersInStringsAndTellsOfWhatIsNoMeasurement) {
  EXPECT_EQ(read(entry_with("2.5", "\"2.5\"")).results[0].runtime_ms, 2.5);
  EXPECT_EQ(read(entry_with("7", "\"7\"")).results[0].peak_bytes, 7u);
  EXPECT_EQ(read(entry_with("\"sample_id\": 1", "\"sample_id\": \"1\"")).results[0].sample, 1);
  EXPECT_TRUE(read(entry_with("true, \"corr", "\"True\", \"corr")).results[0].compiled);
  EXPECT_FALSE(read(entry_with("true, \"corr", "0, \"corr")).results[0].compiled);
  EXPECT_EQ(read(entry_with("\"sample_id\": 1, ", "")).results[0].sample, 0);
  for (const char* none : {"-1.0", "null", "-1", "\"-1.0\""}) {
    const auto quiet = read(entry_with("2.5", none));
    EXPECT_EQ(quiet.results[0].runtime_ms, std::nullopt) << none;
    EXPECT_THAT(quiet.notes, IsEmpty()) << none;
  }
  for (const char* odd : {"NaN", "Infinity", "-Infinity", "0", "1e999"}) {
    const auto told = read(entry_with("2.5", odd));
    EXPECT_EQ(told.results[0].runtime_ms, std::nullopt) << odd;
    EXPECT_THAT(told.notes, ElementsAre(HasSubstr(std::string("'5'[0]: runtime is ") + odd))) << odd;
  }
  EXPECT_THAT(read(R"({"5": null, "6": []})").notes, ElementsAre("'5': no result", "'6': no result"));
}

TEST(KernelBenchResults, NamesFileEntryAndField) {
  const struct {
    std::string text, complaint;
  } cases[] = {
      {"[]", "f.json: expected an object, got a list"},
      {"{\"x\": {}}", "f.json: 'x': expected the number of a problem"},
      {"{\"1_\": {}}", "'1_': expected the number"},
      {"{\"-1\": {}}", "'-1': expected the number"},
      {"{\"1_2_3\": {}}", "'1_2_3': expected the number"},
      {"{\"9999999999\": {}}", "'9999999999': expected the number"},
      {"{\"1\": 5}", "'1': expected an object, got a number"},
      {"{\"1\": [5]}", "'1'[0]: expected an object, got a number"},
      {"{\"1_0\": [{}]}", "'1_0': expected an object, got a list"},
      {"{\"1\": [], \"1\": []}", "'1' is there twice"},
      {entry_with("\"compiled\": true, ", ""), "'5'[0]: compiled: missing"},
      {entry_with("\"correctness\": true", "\"correctness\": \"yes\""),
       "correctness: expected true or false, got \"yes\""},
      {entry_with("\"correctness\": true", "\"correctness\": 2"), "correctness: expected true or false, got 2"},
      {entry_with("2.5", "\"fast\""), "runtime: expected a number, got \"fast\""},
      {entry_with("2.5", "{}"), "runtime: expected a number, got an object"},
      {entry_with("7", "1e300"), "peak_memory: more than any memory"},
      {entry_with("\"sample_id\": 1", "\"sample_id\": -1"), "sample_id: expected a whole number, got -1"},
      {entry_with("\"sample_id\": 1", "\"sample_id\": 1.5"), "sample_id: expected a whole number, got 1.5"},
      {entry_with("\"runtime\"", "\"compiled\""), "'compiled' is there twice"},
      {R"({"1_0": {"sample_id": 1, "compiled": true, "correctness": true}})", "sample_id: 1, but the key says 0"},
      {R"({"1": [{"compiled": true, "correctness": true}, {"compiled": true, "correctness": true}]})",
       "problem 1, sample 0 is there twice"},
      {R"({"\u001b[2J": 1})", "'?[2J': expected the number"},
  };
  for (const auto& c : cases) EXPECT_THAT(complaint(c.text), HasSubstr(c.complaint)) << c.text;
}

TEST(KernelBenchResults, WrittenAndReadAgainTheyAreTheSame) {
  for (const std::string& text : {k_current, k_legacy, k_verified}) {
    const auto before = read(text).results;
    const auto written = write_results(before);
    ASSERT_TRUE(written) << written.error().message;
    const auto after = read(*written).results;
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(same(before[i], after[i])) << *written;
    EXPECT_EQ(*write_results(after), *written);
  }
  EXPECT_TRUE(read(write_results({}).value()).results.empty());
}

TEST(KernelBenchResults, DoesNotWriteWhatItsRowsDoNotSay) {
  auto rows = read(k_current).results;
  rows[0].correct = false;
  EXPECT_THAT(write_results(rows).error().message, HasSubstr("do not say the same"));
  rows = read(k_current).results;
  rows[0].json += "}, {";
  EXPECT_EQ(write_results(rows).error().fault, Fault::usage);
  rows = read(k_current).results;
  rows[0].json =
      R"({"compiled": true, "correctness": true, "runtime": 26.3}, {"sample_id": 9, "compiled": true, "correctness": true})";
  EXPECT_THAT(write_results(rows).error().message, HasSubstr("do not say the same"))
      << "an entry that smuggles another one in";
}

TEST(KernelBenchResults, NamesOfFiles) {
  for (const auto& [file, tests] :
       std::vector<std::pair<std::string, std::string>>{{"eval_results.json", "standard"},
                                                        {"eval_results_hidden.json", "hidden"},
                                                        {"eval_results_pre_memory.json", "pre_memory"},
                                                        {"eval_results.json.bak", "bak"},
                                                        {"eval_results_hidden.json.bak", "hidden.bak"}}) {
    EXPECT_EQ(tests_of_file(file), tests);
    EXPECT_EQ(file_of_tests(tests).value(), file);
  }
  for (const char* file :
       {"eval_results", "eval_results.yaml", "eval_resultsx.json", "eval_results_.json", "eval_results_standard.json",
        "my_eval_results.json", "eval_results_a b.json", "eval_results_bak.json", "pass_at_k_results.json"})
    EXPECT_EQ(tests_of_file(file), "") << file;
  for (const char* tests : {"", "a/b", "..", "a.bak.bak/x"}) EXPECT_FALSE(file_of_tests(tests)) << tests;
  EXPECT_EQ(baseline_of_file("baseline_time_torch_tf32.json"), "torch_tf32");
  for (const char* file :
       {"baseline_time_.json", "baseline_time_torch.txt", "baseline_time_a/b.json", "time_torch.json"})
    EXPECT_EQ(baseline_of_file(file), "") << file;
}

const std::string k_baselines =
    R"({"level1": {"2_B.py": {"mean": 2.66, "std": 0.01, "num_trials": 100, "hardware": "GPU"}, "10_A.py": null,
 "1_C": {"mean": "1.5", "peak_memory": 1024}}, "level12": {"1_é.py": {"mean": null}}})";

TEST(KernelBenchBaselines, ReadWrittenAndReadAgain) {
  const auto read = read_baselines(k_baselines, "H100", "torch", "b.json");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->baselines.size(), 4u);
  EXPECT_EQ(read->baselines[0].problem, "2_B");
  EXPECT_EQ(read->baselines[0].hardware, "H100");
  EXPECT_EQ(read->baselines[0].mean_ms, 2.66);
  EXPECT_EQ(read->baselines[1].mean_ms, std::nullopt);
  EXPECT_EQ(read->baselines[1].json, "null");
  EXPECT_EQ(read->baselines[2].problem, "1_C");
  EXPECT_EQ(read->baselines[2].mean_ms, 1.5);
  EXPECT_EQ(read->baselines[2].peak_bytes, 1024u);
  EXPECT_EQ(read->baselines[3].level, 12);
  const auto written = write_baselines(read->baselines);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_LT(written->find("1_C.py"), written->find("2_B.py"));
  EXPECT_LT(written->find("2_B.py"), written->find("10_A.py")) << "by number";
  const auto again = read_baselines(*written, "H100", "torch", "b.json");
  EXPECT_EQ(*write_baselines(again->baselines), *written);
}

TEST(KernelBenchBaselines, NamesFileEntryAndField) {
  const auto complaint_of = [](const std::string& text) {
    const auto read = read_baselines(text, "H100", "torch", "b.json");
    return read ? "no complaint" : read.error().message;
  };
  EXPECT_THAT(complaint_of("{\"levels\": {}}"), HasSubstr("b.json: 'levels': expected a level"));
  EXPECT_THAT(complaint_of("{\"level1\": []}"), HasSubstr("'level1': expected an object, got a list"));
  EXPECT_THAT(complaint_of("{\"level1\": {\"1_A.py\": 3}}"),
              HasSubstr("'level1'.'1_A.py': expected an object or null, got a number"));
  EXPECT_THAT(complaint_of("{\"level1\": {\"1_A.py\": {\"mean\": []}}}"),
              HasSubstr("mean: expected a number, got a list"));
  EXPECT_THAT(complaint_of("{\"level1\": {\"1_A.py\": null, \"1_A\": null}}"), HasSubstr("the problem is there twice"));
  EXPECT_THAT(complaint_of("{\"level1\": {}, \"level1\": {}}"), HasSubstr("'level1' is there twice"));
}

bool is_complaint(const Error& error) {
  EXPECT_EQ(error.fault, Fault::usage);
  EXPECT_FALSE(error.message.empty());
  return false;
}

/// Any file ends in rows that can be written again, or in a usage error.
template <typename Read>
void mutate(const std::string& good, unsigned seed, Read read) {
  std::mt19937_64 random(seed);
  const std::string bits = "{}[]\",:_0123456789.eE-+ntrufalsN \\u\x80\xff\x01";
  int taken = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size(), length = std::min<std::size_t>(1 + random() % 8, text.size() - at);
      if (random() % 4 == 0)
        text.erase(at, length);
      else if (random() % 4 == 0)
        text.insert(at, text.substr(random() % text.size(), 1 + random() % 40));
      else
        text[at] = bits[random() % bits.size()];
      if (text.empty()) text = " ";
    }
    ++(read(text) ? taken : refused);
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

TEST(HostileResults, EditedFilesEndInRowsOrInAComplaint) {
  unsigned seed = 1;
  for (const std::string& good : {k_current, k_legacy, k_verified})
    mutate(good, seed++, [](const std::string& text) {
      const auto read = read_results(text, k_source);
      if (!read) return is_complaint(read.error());
      // Both harnesses in one file are never written: a folder holds one.
      std::vector<RecordedResult> own;
      for (const auto& result : read->results)
        if (result.harness == read->results[0].harness) own.push_back(result);
      const auto written = write_results(own);
      EXPECT_TRUE(written) << text << "\n" << written.error().message;
      return true;
    });
  mutate(k_baselines, seed, [](const std::string& text) {
    const auto read = read_baselines(text, "H100", "torch", "b.json");
    if (!read) return is_complaint(read.error());
    const auto written = write_baselines(read->baselines);
    EXPECT_TRUE(written) << text << "\n" << written.error().message;
    return true;
  });
}

TEST(HostileResults, EveryTruncationIsAComplaint) {
  for (std::size_t size = 0; size + 1 < k_current.size(); ++size)
    ASSERT_THAT(complaint(k_current.substr(0, size)), HasSubstr("not JSON")) << size;
}

}  // namespace
}  // namespace kbv
