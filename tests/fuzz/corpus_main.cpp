// SPDX-License-Identifier: MIT
// main() of a target where libFuzzer has none, with any compiler.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "burst.h"
#include "fuzz.h"

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Each file whole, and as a stranger may send it: cut off anywhere, and with one byte wrong.
int run_corpus(const fs::path& folder) {
  const auto files = files_of(folder);
  std::size_t runs = 0;
  for (const auto& path : files) {
    const std::string whole = bytes_of(path);
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);
    feed(whole);
    ++runs;
    const std::size_t step = whole.size() / 64 + 1;
    for (std::size_t at = 0; at < whole.size(); at += step) {
      feed(whole.substr(0, at));
      for (const char wrong : {'\0', '\xff', '"', '9'}) {
        std::string changed = whole;
        changed[at] = wrong;
        feed(changed);
      }
      runs += 5;
    }
  }
  std::printf("%zu files, %zu runs\n", files.size(), runs);
  return files.empty() ? 1 : 0;
}

/// A number from the environment.
double setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtod(text, nullptr) : otherwise;
}

int burst(const std::string& program, const fs::path& folder, const std::string& faults) {
  kbv::fuzz::Burst burst;
  burst.target = fs::path(program).filename().string().substr(std::strlen("fuzz_"));
  for (const auto& path : files_of(folder)) burst.corpus.push_back(bytes_of(path));
  if (burst.corpus.empty()) return std::fprintf(stderr, "%s: no files\n", folder.c_str()), 2;
  const char* seed = std::getenv("KBV_FUZZ_SEED");
  burst.seed = seed && *seed ? std::strtoull(seed, nullptr, 10) : std::random_device()();
  burst.seconds = setting("KBV_FUZZ_SECONDS", burst.seconds);
  burst.hang_s = setting("KBV_FUZZ_HANG_SECONDS", burst.hang_s);
  burst.faults = faults;
  return kbv::fuzz::run_burst(burst);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::strcmp(arguments[1], "--burst") == 0) return burst(arguments[0], arguments[2], arguments[3]);
  if (count == 2 && fs::is_directory(arguments[1])) return run_corpus(arguments[1]);
  if (count == 2 && fs::is_regular_file(arguments[1]))
    return feed(bytes_of(arguments[1])), std::printf("no fault\n"), 0;
  std::fprintf(stderr,
               "usage: %s CORPUS_FOLDER | FILE | --burst CORPUS_FOLDER FAULTS_FOLDER\n"
               "A burst changes the corpus at random for KBV_FUZZ_SECONDS (3) from KBV_FUZZ_SEED (any).\n",
               arguments[0]);
  return 2;
}
