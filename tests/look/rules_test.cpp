// SPDX-License-Identifier: MIT
#include "look/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "look/cuda_names.h"

namespace kbv {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(KBV_SOURCE "/" + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST(LookRules, EachIdIsThereOnceAndHasWords) {
  std::set<std::string_view> ids;
  for (const LookRule& rule : look_rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.words.empty() || rule.why.empty() || rule.group.empty()) << rule.id;
    EXPECT_EQ(find_look_rule(rule.id), &rule);
  }
  EXPECT_EQ(find_look_rule("no_such_rule"), nullptr);
}

TEST(LookRules, GroupsStandTogether) {
  std::set<std::string_view> over;
  std::string_view group;
  for (const LookRule& rule : look_rules()) {
    if (rule.group == group) continue;
    EXPECT_TRUE(over.insert(rule.group).second) << rule.group << " begins twice";
    group = rule.group;
  }
}

TEST(LookRules, TheHelperNamesNoOthers) {
  std::set<std::string> named = matches(file_text("src/look/look_rules.py"), R"x(add\("([a-z0-9_]+)")x");
  named.merge(matches(file_text("src/look/look.py"), R"x(add\("([a-z0-9_]+)")x"));
  named.merge(matches(file_text("src/look/look_tables.py"), R"x(\n    "([a-z0-9_]+)":)x"));
  EXPECT_GT(named.size(), 40u);
  for (const std::string& id : named) EXPECT_NE(find_look_rule(id), nullptr) << id;
}

TEST(LookRules, TheTableOfCudaNamesHasNoOthers) {
  for (const auto id : rules_of_cuda_names()) EXPECT_NE(find_look_rule(id), nullptr) << id;
}

TEST(LookRules, TheDocumentHasTheSameTable) {
  const std::string text = file_text("docs/static-look.md");
  std::string expected;
  for (const LookRule& rule : look_rules())
    expected += "| `" + std::string(rule.id) + "` | " + std::string(rule.group) + " | " + std::string(rule.words) +
                " | " + std::string(rule.why) + " |\n";
  EXPECT_NE(text.find(expected), std::string::npos) << "docs/static-look.md should have\n" << expected;
}

}  // namespace
}  // namespace kbv
