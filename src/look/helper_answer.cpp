// SPDX-License-Identifier: MIT
#include "look/helper_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "look/cuda_tokens.h"

namespace kbv {
namespace {

using nlohmann::json;

constexpr int k_max_depth = 6;
constexpr std::size_t k_max_values = 2'000'000;

auto bad(const std::string& what) { return fail(Fault::machine, "bad_look", "the helper's answer: " + what); }

/// No exception, and no more values than the bound.
std::optional<json> parse(std::string_view bytes) {
  std::size_t values = 0;
  bool too_much = false;
  const auto bound = [&](int depth, json::parse_event_t, json&) {
    too_much = too_much || depth > k_max_depth || ++values > k_max_values;
    return !too_much;
  };
  json value = json::parse(bytes, bound, /*allow_exceptions=*/false);
  if (too_much || !value.is_object()) return std::nullopt;
  return value;
}

const json* field(const json& object, const char* name, json::value_t type) {
  const auto found = object.find(name);
  return found != object.end() && found->type() == type ? &*found : nullptr;
}

std::int64_t whole(const json& value) {
  if (value.is_number_unsigned())
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value.get<std::uint64_t>(), 1u << 30));
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

bool read_label(const json& entry, HelperLabel& label) {
  if (!entry.is_array() || entry.size() != 4 || !entry[0].is_string() || !entry[3].is_string()) return false;
  label.rule = entry[0].get_ref<const std::string&>().substr(0, 64);
  label.line = whole(entry[1]);
  label.column = whole(entry[2]);
  label.detail = entry[3].get_ref<const std::string&>().substr(0, k_max_label_detail);
  return true;
}

bool read_text(const json& entry, SourceText& text) {
  if (!entry.is_object()) return false;
  const json* bytes = field(entry, "text", json::value_t::string);
  const json* places = field(entry, "places", json::value_t::array);
  if (!bytes || !places) return false;
  text.text = bytes->get_ref<const std::string&>();
  for (const json& place : *places) {
    if (!place.is_array() || place.size() != 3 || !place[0].is_number_unsigned()) return false;
    const TextPlace next{place[0].get<std::uint64_t>(), std::clamp<std::int64_t>(whole(place[1]), 1, 1 << 28),
                         std::clamp<std::int64_t>(whole(place[2]), 1, 1 << 28)};
    if (next.offset > text.text.size() || (!text.places.empty() && next.offset < text.places.back().offset))
      return false;
    text.places.push_back(next);
  }
  return true;
}

}  // namespace

Result<HelperAnswer> read_helper_answer(std::string_view bytes) {
  if (bytes.size() > k_max_answer_bytes) return bad("too large");
  const auto object = parse(bytes);
  if (!object) return bad("not a JSON object");
  HelperAnswer answer;
  const json* state = field(*object, "state", json::value_t::string);
  const json* why = field(*object, "why", json::value_t::string);
  if (!state || !why) return bad("it has no state");
  answer.state = *state;
  answer.why = why->get_ref<const std::string&>().substr(0, k_max_look_why);
  if (answer.state != "looked at" && answer.state != "looked at in part" && answer.state != "not looked at")
    return bad("an unknown state");
  if (answer.state == "not looked at") return answer;
  const json* labels = field(*object, "labels", json::value_t::array);
  const json* left_out = field(*object, "left_out", json::value_t::object);
  const json* texts = field(*object, "texts", json::value_t::array);
  if (!labels || !left_out || !texts) return bad("a list is missing");
  if (labels->size() > k_max_answer_labels || left_out->size() > k_max_answer_labels ||
      texts->size() > k_max_answer_texts)
    return bad("a list is too long");
  for (const json& entry : *labels)
    if (!read_label(entry, answer.labels.emplace_back())) return bad("a label is not one");
  for (const auto& [rule, count] : left_out->items())
    answer.left_out[rule.substr(0, 64)] = static_cast<std::uint64_t>(std::max<std::int64_t>(whole(count), 0));
  std::size_t all_bytes = 0;
  for (const json& entry : *texts) {
    if (!read_text(entry, answer.texts.emplace_back())) return bad("a text is not one");
    all_bytes += answer.texts.back().text.size();
    if (all_bytes > k_max_answer_text_bytes) return bad("its texts are too long");
  }
  return answer;
}

SourceLabels conclude_look(const HelperAnswer& answer) {
  SourceLabels labels;
  labels.state = answer.state;
  labels.why = answer.why;
  if (answer.state == "not looked at") return labels;
  const auto in_part = [&](const std::string& why) {
    labels.state = "looked at in part";
    if (labels.why.empty()) labels.why = why;
  };
  LabelCollector collector;
  for (const HelperLabel& label : answer.labels) collector.add(label.rule, label.line, label.column, label.detail);
  for (const auto& [rule, count] : answer.left_out) collector.leave_out(rule, count);
  for (const SourceText& text : answer.texts)
    if (!look_at_cuda(text, collector)) in_part(fmt::format("a text in it has more than {} words", k_max_look_tokens));
  if (collector.unknown_rules() > 0) in_part(fmt::format("{} labels had no rule", collector.unknown_rules()));
  collector.finish(labels);
  return labels;
}

}  // namespace kbv
