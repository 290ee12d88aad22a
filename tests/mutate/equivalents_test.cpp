// SPDX-License-Identifier: MIT
#include "mutate/equivalents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Result<std::vector<EquivalentMutant>> read(const std::string& text) {
  std::string name = (fs::temp_directory_path() / "kbv-equivalents-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const std::string path = (folder / "e.toml").string();
  EXPECT_TRUE(write_file(path, text));
  auto all = read_equivalent_mutants(path);
  fs::remove_all(folder);
  return all;
}

const std::string k_good =
    "[[mutant]]\nfile = \"honest/a.py\"\nfamily = \"bound\"\nold = \"a > b\"\nnew = \"a >= b\"\nreason = \"why\"\n";

TEST(EquivalentMutants, AreFoundByWhatTheyChange) {
  const auto all = read(k_good + "occurrence = 2\n");
  ASSERT_TRUE(all) << all.error().message;
  Mutant mutant;
  mutant.family = Family::bound;
  mutant.old_text = "a > b";
  mutant.new_text = "a >= b";
  mutant.occurrence = 2;
  mutant.line = 77;
  ASSERT_TRUE(find_equivalent(*all, "honest/a.py", mutant));
  EXPECT_EQ(find_equivalent(*all, "honest/a.py", mutant)->reason, "why");
  EXPECT_FALSE(find_equivalent(*all, "honest/b.py", mutant));
  mutant.occurrence = 1;
  EXPECT_FALSE(find_equivalent(*all, "honest/a.py", mutant));
  EXPECT_TRUE(find_equivalent(*read(k_good), "honest/a.py", mutant)) << "without occurrence: each";
  mutant.family = Family::index;
  EXPECT_FALSE(find_equivalent(*read(k_good), "honest/a.py", mutant));
}

TEST(EquivalentMutants, ErrorsNameTheEntryAndTheField) {
  EXPECT_TRUE(read("# none\n"));
  for (const auto& [text, says] :
       {std::pair<std::string, const char*>{"x = 1", "[[mutant]]"},
        {"mutant = [3]", "mutant 1: not a table"},
        {"[[mutant", "line 1"},
        {k_good + "line = 3\n", "line"},
        {k_good + "[[mutant]]\nfile = \"b\"\n", "mutant 2: old is missing"},
        {"[[mutant]]\nfile = \"a\"\nfamily = \"x\"\nold = \"a\"\nnew = \"b\"\nreason = \"c\"\n", "family"}}) {
    const auto all = read(text);
    ASSERT_FALSE(all) << text;
    EXPECT_EQ(all.error().fault, Fault::usage);
    EXPECT_THAT(all.error().message, HasSubstr(says)) << text;
  }
}

/// An entry that no mutant of its file is like any more would excuse nothing and mislead.
TEST(EquivalentMutants, OfTheOwnZooAreMutantsOfTheirFiles) {
  const fs::path zoo = fs::path(KBV_SOURCE) / "zoo";
  const auto all = read_equivalent_mutants((zoo / "equivalent_mutants.toml").string());
  ASSERT_TRUE(all) << all.error().message;
  for (const EquivalentMutant& one : *all) {
    const auto file = read_file((zoo / one.file).string(), "candidate");
    ASSERT_TRUE(file) << one.file;
    const auto mutants = all_mutants(*file);
    EXPECT_TRUE(std::any_of(mutants->begin(), mutants->end(),
                            [&](const Mutant& mutant) { return find_equivalent({one}, one.file, mutant) != nullptr; }))
        << one.file << ": " << one.old_text << " -> " << one.new_text;
  }
}

}  // namespace
}  // namespace kbv
