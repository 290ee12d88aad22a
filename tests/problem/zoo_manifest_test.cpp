// SPDX-License-Identifier: MIT
#include "problem/zoo_manifest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Result<std::vector<ZooEntry>> read(const std::string& text) {
  std::string name = (fs::temp_directory_path() / "kbv-zoo-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const std::string path = (folder / "zoo.toml").string();
  EXPECT_TRUE(write_file(path, text));
  auto entries = read_zoo_manifest(path);
  fs::remove_all(folder);
  return entries;
}

TEST(ZooManifest, EveryField) {
  const auto entries = read(R"([[candidate]]
file = "wrong/a.py"
problem = "relu"
expect = "wrong_output"
kernelbench = "correct"
needs = ["cuda", "cxx"]
limits = {timeout_s = 5}
note = "why"
)");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1u);
  const ZooEntry& entry = entries->front();
  EXPECT_EQ(entry.file, "wrong/a.py");
  EXPECT_EQ(entry.group, "wrong");
  EXPECT_EQ(entry.problem, "relu");
  EXPECT_FALSE(entry.must_pass());
  EXPECT_EQ(entry.under.at("kernelbench"), "correct");
  EXPECT_THAT(entry.needs, testing::ElementsAre("cuda", "cxx"));
  EXPECT_EQ(entry.timeout_s, 5);
}

TEST(ZooManifest, AGroupOfItsOwn) {
  const auto entries = read("[[candidate]]\nfile = \"mutants/a.py\"\ngroup = \"bound\"\nproblem = \"p\"\nexpect = \"rejected\"\n");
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(entries->front().group, "bound");
}

TEST(ZooManifest, ErrorsNameTheEntryAndTheField) {
  const std::string good = "[[candidate]]\nfile = \"a.py\"\nproblem = \"p\"\nexpect = \"correct\"\n";
  ASSERT_TRUE(read(good));
  for (const auto& [text, says] : {std::pair<std::string, const char*>{"", "no [[candidate]]"},
                                   {"candidate = 3", "no [[candidate]]"},
                                   {"candidate = [3]", "not a table"},
                                   {"[[candidate", "line 1"},
                                   {good + "nonsense = 1\n", "nonsense"},
                                   {good + "needs = [\"tpu\"]\n", "needs"},
                                   {good + "needs = [7]\n", "a.py: needs: a list of texts"},
                                   {good + "needs = \"gpu\"\n", "a.py: needs: a list of texts"},
                                   {good + "needs = {gpu = true}\n", "a.py: needs: a list of texts"},
                                   {good + "attack = \"T1\"\n", "a.py: attack: a list of texts"},
                                   {good + "kernelbench = true\n", "a.py: kernelbench: a text"},
                                   {good + "note = [\"x\"]\n", "a.py: note: a text"},
                                   {good + "group = 1\n", "a.py: group: a text"},
                                   {good + "stopped_by = 1\n", "a.py: stopped_by: a text"},
                                   {good + "limits = 5\n", "a.py: limits: {timeout_s"},
                                   {good + "limits = {timeout_s = \"5\"}\n", "a.py: limits: {timeout_s"},
                                   {good + "limits = {timeout_s = -1}\n", "a.py: limits: {timeout_s"},
                                   {good + "limits = {memory = 5}\n", "a.py: limits: {timeout_s"},
                                   {good + "attack = \"T1\"\n", "attack"},
                                   {good + "attack = []\n", "attack"},
                                   {good + "attack = [\"T1\", \"timing\"]\n", "timing is not an id"},
                                   {good + "looks_like = [7]\n", "looks_like"},
                                   {good + "stopped_by = \"luck\"\n", "luck is no layer"},
                                   {good + "stopped_by = \"mount: open\"\n", "no layer"},
                                   {good + "[[candidate]]\nfile = \"b.py\"\n", "candidate 2: b.py: problem"},
                                   {"[[candidate]]\nproblem = \"p\"\nexpect = \"correct\"\n", "file"},
                                   {"[[candidate]]\nfile = 7\nproblem = \"p\"\nexpect = \"correct\"\n", "file"}}) {
    const auto entries = read(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().fault, Fault::usage);
    EXPECT_THAT(entries.error().message, HasSubstr(says)) << text;
  }
}

TEST(ZooManifest, PathsStayInTheirFolders) {
  for (const char* name : {"../a.py", "/tmp/a.py", "x/../../a.py", ".."}) {
    const auto file = read(fmt::format("[[candidate]]\nfile = \"{}\"\nproblem = \"p\"\nexpect = \"correct\"\n", name));
    ASSERT_FALSE(file) << name;
    EXPECT_THAT(file.error().message, HasSubstr("file: a path within its folder"));
    const auto problem = read(fmt::format("[[candidate]]\nfile = \"a.py\"\nproblem = \"{}\"\nexpect = \"correct\"\n", name));
    ASSERT_FALSE(problem) << name;
    EXPECT_THAT(problem.error().message, HasSubstr("a.py: problem: a path within its folder"));
  }
}

// docs/attacks.md is the catalogue: a row for each attack, with the candidates that express it and those that look like it.
TEST(ZooManifest, TheAttacksAreThoseOfTheDocument) {
  const fs::path source(KBV_SOURCE);
  const auto entries = read_zoo_manifest((source / "zoo" / "zoo.toml").string());
  ASSERT_TRUE(entries) << entries.error().message;
  std::map<std::string, std::set<std::string>> express, look_like, said, said_to_look;
  int hostile = 0, look_alikes = 0;
  for (const auto& entry : *entries) {
    const std::string name = entry.file.substr(0, entry.file.rfind('.'));
    for (const auto& id : entry.attack) express[id].insert(name);
    for (const auto& id : entry.looks_like) look_like[id].insert(name.substr(name.find('/') + 1));
    look_alikes += !entry.looks_like.empty();
    EXPECT_TRUE(entry.looks_like.empty() || (entry.file.starts_with("honest/") && entry.must_pass())) << entry.file;
    if (!entry.file.starts_with("hostile/")) continue;
    ++hostile;
    EXPECT_FALSE(entry.attack.empty()) << entry.file;
    EXPECT_FALSE(entry.stopped_by.empty()) << entry.file;
  }
  EXPECT_GE(hostile, 110);
  EXPECT_GE(look_alikes, 25);

  std::ifstream document(source / "docs" / "attacks.md");
  std::set<std::string> ids;
  for (std::string line; std::getline(document, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
    if (cells.size() < 5 || cells[1].size() < 4 || !std::isdigit(static_cast<unsigned char>(cells[1][2]))) continue;
    const std::string id = cells[1].substr(1, cells[1].size() - 2);
    EXPECT_TRUE(ids.insert(id).second) << id;
    for (const auto& [cell, names] : {std::pair{cells[3], &said[id]}, std::pair{cells[4], &said_to_look[id]}})
      for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', cell.find('`', at + 1) + 1))
        names->insert(cell.substr(at + 1, cell.find('`', at + 1) - at - 1));
    EXPECT_TRUE(!said[id].empty() || cells[3].find("not expressed: ") != cells[3].npos) << id;
    EXPECT_EQ(said[id], express[id]) << id;
    EXPECT_EQ(said_to_look[id], look_like[id]) << id;
  }
  EXPECT_EQ(ids.size(), 97u);
  for (const auto& [id, names] : express) EXPECT_TRUE(ids.count(id)) << id << " is no row of the document";
  for (const auto& [id, names] : look_like) EXPECT_TRUE(ids.count(id)) << id << " is no row of the document";
}

TEST(ZooManifest, TheOwnZooIsWholeAndHasNoStrays) {
  const fs::path zoo = fs::path(KBV_SOURCE) / "zoo";
  const auto entries = read_zoo_manifest((zoo / "zoo.toml").string());
  ASSERT_TRUE(entries) << entries.error().message;
  std::set<std::string> listed, found;
  for (const auto& entry : *entries) {
    EXPECT_TRUE(listed.insert(entry.file).second) << entry.file << " is listed twice";
    EXPECT_TRUE(fs::exists(fs::path(KBV_SOURCE) / "suite" / (entry.problem + ".py"))) << entry.file;
    EXPECT_FALSE(entry.note.empty()) << entry.file;
    EXPECT_EQ(entry.must_pass(), entry.file.starts_with("honest/") || entry.expect == "correct") << entry.file;
  }
  for (const char* kind : {"honest", "wrong", "hostile"})
    for (const auto& file : fs::directory_iterator(zoo / kind))
      if (file.path().extension() == ".py") found.insert(std::string(kind) + "/" + file.path().filename().string());
  EXPECT_EQ(listed, found);
}

}  // namespace
}  // namespace kbv
