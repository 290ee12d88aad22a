// SPDX-License-Identifier: MIT
// Runs a target on the files of its corpus, with any compiler: main() where libFuzzer has none.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz.h"

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", arguments[0]), 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t runs = 0;
  const auto run = [&](const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++runs;
  };
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    run(whole);
    // As a stranger may send it: cut off anywhere, and with one byte wrong.
    const std::size_t step = whole.size() / 64 + 1;
    for (std::size_t at = 0; at < whole.size(); at += step) {
      run(whole.substr(0, at));
      for (const char wrong : {'\0', '\xff', '"', '9'}) {
        std::string changed = whole;
        changed[at] = wrong;
        run(changed);
      }
    }
  }
  std::printf("%zu files, %zu runs\n", files.size(), runs);
  return files.empty() ? 1 : 0;
}
