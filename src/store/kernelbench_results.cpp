// SPDX-License-Identifier: MIT
#include "store/kernelbench_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "base/json_text.h"
#include "store/python_json.h"

namespace kbv {
namespace {

using Kind = PythonJson::Kind;

/// Where an error is: file, entry, field.
struct Place {
  const std::string& where;
  std::string entry;
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Fault::usage, "bad_results", fmt::format("{}: {}{}{}", where, entry, entry.empty() ? "" : ": ", what));
  }
  tl::unexpected<Error> expected(const char* field, const char* what, const PythonJson& got) const {
    return wrong(
        fmt::format("{}: expected {}, got {}", field, what,
                    got.kind == Kind::number || got.kind == Kind::string ? shown(got.text) : to_string(got.kind)));
  }
};

std::optional<int> whole_number(std::string_view text, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!digits || error != std::errc() || end != text.data() + text.size() || value > largest) return std::nullopt;
  return value;
}

/// A number, or a string that holds one: some harnesses turn all of an entry into strings.
std::optional<double> number_in(const PythonJson& json) {
  if (json.kind == Kind::number) return json.number;
  if (json.kind != Kind::string) return std::nullopt;
  double value = 0;
  const std::string& text = json.string;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<bool> read_truth(const PythonJson& entry, const char* field, const Place& place) {
  const PythonJson* json = entry.find(field);
  if (!json) return place.wrong(fmt::format("{}: missing", field));
  if (json->kind == Kind::boolean) return json->truth;
  if (json->kind == Kind::number && (json->number == 0 || json->number == 1)) return json->number == 1;
  if (json->kind == Kind::string && (json->string == "true" || json->string == "True")) return true;
  if (json->kind == Kind::string && (json->string == "false" || json->string == "False")) return false;
  return place.expected(field, "true or false", *json);
}

/// A field whose absence is told by null or a number that is not above 0; `note` says so of any other value that is no
/// measurement.
Result<std::optional<double>> read_measured(const PythonJson& entry, const char* field, const Place& place,
                                            std::vector<std::string>& notes) {
  const PythonJson* json = entry.find(field);
  if (!json || json->kind == Kind::null) return std::nullopt;
  const auto value = number_in(*json);
  if (!value) return place.expected(field, "a number", *json);
  if (*value > 0 && std::isfinite(*value)) return value;
  if (!(*value < 0) || !std::isfinite(*value))
    notes.push_back(fmt::format("{}: {} is {}: taken as not measured", place.entry, field, shown(json->text)));
  return std::nullopt;
}

Result<std::optional<std::uint64_t>> read_bytes(const PythonJson& entry, const char* field, const Place& place,
                                                std::vector<std::string>& notes) {
  KBV_TRY_ASSIGN(const auto value, read_measured(entry, field, place, notes));
  if (!value) return std::nullopt;
  if (*value >= 0x1p62) return place.wrong(fmt::format("{}: more than any memory", field));
  return std::optional(static_cast<std::uint64_t>(std::llround(*value)));
}

/// The text of a value, on one line or several, as it was.
std::string copy_of(const PythonJson& json) { return std::string(json.text); }

class ResultsReader {
 public:
  ResultsReader(const ResultsSource& source, ResultsRead& read) : source_(source), read_(read) {}

  Result<void> file(const PythonJson& top) {
    const Place place{source_.where, ""};
    if (top.kind != Kind::object) return place.wrong(fmt::format("expected an object, got {}", to_string(top.kind)));
    if (const auto twice = top.repeated_key()) return place.wrong(fmt::format("'{}' is there twice", shown(*twice)));
    for (std::size_t i = 0; i < top.items.size(); ++i) KBV_TRY(problem(top.keys[i], top.items[i]));
    return {};
  }

 private:
  Result<void> problem(const std::string& key, const PythonJson& value) {
    const Place place{source_.where, fmt::format("'{}'", shown(key))};
    const std::size_t line = key.find('_');
    const auto number = whole_number(std::string_view(key).substr(0, line), k_largest_number);
    std::optional<int> sample;
    if (line != std::string::npos) sample = whole_number(std::string_view(key).substr(line + 1), k_largest_number);
    if (!number || (line != std::string::npos && !sample))
      return place.wrong("expected the number of a problem (\"12\"), or of a problem and a sample (\"12_0\")");
    if (value.kind == Kind::null || (value.kind == Kind::array && value.items.empty())) {
      read_.notes.push_back(fmt::format("{}: no result", place.entry));
      return {};
    }
    if (value.kind != Kind::array) return entry(value, *number, sample, place);
    if (sample) return place.wrong("expected an object, got a list");
    for (std::size_t i = 0; i < value.items.size(); ++i)
      KBV_TRY(entry(value.items[i], *number, std::nullopt, {source_.where, fmt::format("'{}'[{}]", shown(key), i)}));
    return {};
  }

  Result<void> entry(const PythonJson& json, int number, std::optional<int> sample, const Place& place) {
    if (json.kind != Kind::object) return place.wrong(fmt::format("expected an object, got {}", to_string(json.kind)));
    if (const auto twice = json.repeated_key()) return place.wrong(fmt::format("'{}' is there twice", shown(*twice)));
    RecordedResult result;
    result.run = source_.run;
    result.level = source_.level;
    result.number = number;
    result.harness = sample ? "verified" : "kernelbench";
    result.tests = source_.tests;
    KBV_TRY_ASSIGN(result.sample, sample_of(json, sample, place));
    KBV_TRY_ASSIGN(result.compiled, read_truth(json, "compiled", place));
    KBV_TRY_ASSIGN(result.correct, read_truth(json, "correctness", place));
    KBV_TRY_ASSIGN(result.runtime_ms, read_measured(json, "runtime", place, read_.notes));
    KBV_TRY_ASSIGN(result.peak_bytes, read_bytes(json, "peak_memory", place, read_.notes));
    if (!seen_.emplace(number, result.sample).second)
      return place.wrong(fmt::format("problem {}, sample {} is there twice", number, result.sample));
    result.json = copy_of(json);
    read_.results.push_back(std::move(result));
    return {};
  }

  static Result<int> sample_of(const PythonJson& entry, std::optional<int> from_key, const Place& place) {
    const PythonJson* json = entry.find("sample_id");
    if (!json) return from_key.value_or(0);
    const auto value =
        whole_number(json->kind == Kind::string ? std::string_view(json->string) : json->text, k_largest_number);
    if (!value) return place.expected("sample_id", "a whole number", *json);
    if (from_key && *from_key != *value)
      return place.wrong(fmt::format("sample_id: {}, but the key says {}", *value, *from_key));
    return *value;
  }

  const ResultsSource& source_;
  ResultsRead& read_;
  std::set<std::pair<int, int>> seen_;
};

auto order_of(const RecordedResult& r) { return std::pair(r.number, r.sample); }

auto facts_of(const RecordedResult& r) {
  return std::tie(r.number, r.sample, r.harness, r.compiled, r.correct, r.runtime_ms, r.peak_bytes, r.json);
}

/// `name` without `end`; empty if it ends otherwise.
std::string_view without_end(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.substr(name.size() - end.size()) == end
             ? name.substr(0, name.size() - end.size())
             : std::string_view();
}

bool is_plain_name(std::string_view text) {
  constexpr std::string_view k_others = "_-.+";
  return !text.empty() && text.size() <= 100 && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  k_others.find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t k_longest = 60;
  std::string out(text.substr(0, k_longest));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > k_longest ? out + "..." : out;
}

std::string tests_of_file(std::string_view file) {
  const bool backup = file.size() > 4 && file.substr(file.size() - 4) == ".bak";
  const std::string_view name = without_end(backup ? file.substr(0, file.size() - 4) : file, ".json");
  constexpr std::string_view k_begin = "eval_results";
  if (name.substr(0, k_begin.size()) != k_begin) return {};
  const std::string_view rest = name.substr(k_begin.size());
  if (rest.empty()) return backup ? "bak" : "standard";
  const std::string tests(rest.substr(1));
  // These two names stand for something else already.
  if (rest[0] != '_' || !is_plain_name(tests) || tests == "standard" || tests == "bak" ||
      without_end(tests, ".bak") != "")
    return {};
  return backup ? tests + ".bak" : tests;
}

Result<std::string> file_of_tests(const std::string& tests) {
  const std::string_view inner = without_end(tests, ".bak");
  std::string file = tests == "standard" ? "eval_results.json"
                     : tests == "bak"    ? "eval_results.json.bak"
                     : inner.empty()     ? "eval_results_" + tests + ".json"
                                         : fmt::format("eval_results_{}.json.bak", inner);
  if (tests.empty() || tests_of_file(file) != tests)
    return fail(Fault::usage, "bad_results", fmt::format("'{}' names no file of results", shown(tests)));
  return file;
}

std::string baseline_of_file(std::string_view file) {
  constexpr std::string_view k_begin = "baseline_time_";
  const std::string_view name = without_end(file, ".json");
  if (name.substr(0, k_begin.size()) != k_begin || !is_plain_name(name.substr(k_begin.size()))) return {};
  return std::string(name.substr(k_begin.size()));
}

Result<ResultsRead> read_results(std::string_view text, const ResultsSource& source) {
  KBV_TRY_ASSIGN(const PythonJson top, parse_python_json(text, source.where));
  ResultsRead read;
  KBV_TRY(ResultsReader(source, read).file(top));
  std::sort(read.results.begin(), read.results.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  return read;
}

Result<std::string> write_results(std::vector<RecordedResult> results) {
  std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  std::string text = "{";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RecordedResult& result = results[i];
    if (result.harness == "verified") {
      text += fmt::format("{}\n    \"{}_{}\": {}", i > 0 ? "," : "", result.number, result.sample, result.json);
      continue;
    }
    const bool first = i == 0 || results[i - 1].number != result.number;
    const bool last = i + 1 == results.size() || results[i + 1].number != result.number;
    if (first) text += fmt::format("{}\n    \"{}\": [", i > 0 ? "," : "", result.number);
    text += fmt::format("{}\n        {}{}", first ? "" : ",", result.json, last ? "\n    ]" : "");
  }
  text += "\n}\n";
  // A campaign is a file that anybody may have edited: what is written must say what its rows say.
  ResultsSource source;
  source.where = "the campaign's recorded results";
  KBV_TRY_ASSIGN(const ResultsRead again, read_results(text, source));
  const bool same = std::equal(results.begin(), results.end(), again.results.begin(), again.results.end(),
                               [](const auto& a, const auto& b) { return facts_of(a) == facts_of(b); });
  if (!same) return fail(Fault::usage, "bad_results", source.where + ": a result and its entry do not say the same");
  return text;
}

Result<BaselinesRead> read_baselines(std::string_view text, const std::string& hardware, const std::string& name,
                                     const std::string& where) {
  KBV_TRY_ASSIGN(const PythonJson top, parse_python_json(text, where));
  const Place file{where, ""};
  if (top.kind != Kind::object) return file.wrong(fmt::format("expected an object, got {}", to_string(top.kind)));
  if (const auto twice = top.repeated_key()) return file.wrong(fmt::format("'{}' is there twice", shown(*twice)));
  BaselinesRead read;
  for (std::size_t i = 0; i < top.items.size(); ++i) {
    const Place place{where, fmt::format("'{}'", shown(top.keys[i]))};
    const PythonJson& problems = top.items[i];
    constexpr std::string_view k_level = "level";
    const auto level = top.keys[i].rfind(k_level, 0) == 0
                           ? whole_number(std::string_view(top.keys[i]).substr(k_level.size()), k_largest_level)
                           : std::nullopt;
    if (!level) return place.wrong("expected a level (\"level1\")");
    if (problems.kind != Kind::object)
      return place.wrong(fmt::format("expected an object, got {}", to_string(problems.kind)));
    std::set<std::string> seen;
    for (std::size_t j = 0; j < problems.items.size(); ++j) {
      const PythonJson& entry = problems.items[j];
      const Place here{where, fmt::format("'{}'.'{}'", shown(top.keys[i]), shown(problems.keys[j]))};
      RecordedBaseline baseline;
      baseline.hardware = hardware;
      baseline.name = name;
      baseline.level = *level;
      baseline.problem = problems.keys[j];
      if (const auto bare = without_end(baseline.problem, ".py"); !bare.empty()) baseline.problem = std::string(bare);
      if (baseline.problem.empty()) return here.wrong("a problem without a name");
      if (!seen.insert(baseline.problem).second) return here.wrong("the problem is there twice");
      if (entry.kind == Kind::object) {
        if (const auto twice = entry.repeated_key())
          return here.wrong(fmt::format("'{}' is there twice", shown(*twice)));
        KBV_TRY_ASSIGN(baseline.mean_ms, read_measured(entry, "mean", here, read.notes));
        KBV_TRY_ASSIGN(baseline.peak_bytes, read_bytes(entry, "peak_memory", here, read.notes));
      } else if (entry.kind != Kind::null) {
        return here.wrong(fmt::format("expected an object or null, got {}", to_string(entry.kind)));
      }
      baseline.json = copy_of(entry);
      read.baselines.push_back(std::move(baseline));
    }
  }
  return read;
}

Result<std::string> write_baselines(std::vector<RecordedBaseline> baselines) {
  // By number within a level, as KernelBench's own files are.
  const auto order = [](const RecordedBaseline& b) {
    return std::tuple(b.level,
                      whole_number(std::string_view(b.problem).substr(0, b.problem.find('_')), k_largest_number)
                          .value_or(k_largest_number),
                      b.problem);
  };
  std::sort(baselines.begin(), baselines.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  std::string text = "{";
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    const RecordedBaseline& baseline = baselines[i];
    const bool first = i == 0 || baselines[i - 1].level != baseline.level;
    const bool last = i + 1 == baselines.size() || baselines[i + 1].level != baseline.level;
    if (first) text += fmt::format("{}\n    \"level{}\": {{", i > 0 ? "," : "", baseline.level);
    text += fmt::format("{}\n        {}: {}{}", first ? "" : ",", quoted_text(baseline.problem + ".py"), baseline.json,
                        last ? "\n    }" : "");
  }
  text += "\n}\n";
  const std::string where = "the campaign's recorded baselines";
  KBV_TRY_ASSIGN(BaselinesRead again, read_baselines(text, "", "", where));
  const auto facts = [](const RecordedBaseline& b) {
    return std::tie(b.level, b.problem, b.mean_ms, b.peak_bytes, b.json);
  };
  const bool same = std::equal(baselines.begin(), baselines.end(), again.baselines.begin(), again.baselines.end(),
                               [&](const auto& a, const auto& b) { return facts(a) == facts(b); });
  if (!same) return fail(Fault::usage, "bad_results", where + ": a baseline and its entry do not say the same");
  return text;
}

}  // namespace kbv
