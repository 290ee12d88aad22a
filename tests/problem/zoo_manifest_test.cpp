// SPDX-License-Identifier: MIT
#include "problem/zoo_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

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
                                   {good + "needs = [7]\n", "needs"},
                                   {good + "[[candidate]]\nfile = \"b.py\"\n", "candidate 2: b.py: problem"},
                                   {"[[candidate]]\nproblem = \"p\"\nexpect = \"correct\"\n", "file"},
                                   {"[[candidate]]\nfile = 7\nproblem = \"p\"\nexpect = \"correct\"\n", "file"}}) {
    const auto entries = read(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().fault, Fault::usage);
    EXPECT_THAT(entries.error().message, HasSubstr(says)) << text;
  }
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
