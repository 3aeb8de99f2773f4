// telltale_bench TRIAL [--ms N] [--threads N] [--batches A,B,...] FILE...: the native trials of bench/.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <opencv2/core.hpp>
#include <sstream>
#include <string>

#include "trials.h"

namespace {

using telltale::bench::TrialOptions;

const std::map<std::string, void (*)(const TrialOptions&)> kTrials = {
    {"probe", telltale::bench::RunProbe},
    {"decode", telltale::bench::RunDecodeTrial},
    {"stages", telltale::bench::RunStageTrial},
    {"inference", telltale::bench::RunInferenceTrial},
    {"attempts", telltale::bench::RunAttemptsTrial},
    {"limit", telltale::bench::RunLimitTrial}};

int Usage() {
  std::fprintf(stderr,
               "usage: telltale_bench probe|decode|stages|inference|attempts|limit [--ms N] [--threads N] "
               "[--batches A,B,...] FILE...\n");
  return 2;
}

std::vector<int> ReadList(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream cells(text);
  for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::atoi(cell.c_str()));
  return numbers;
}

}  // namespace

int main(int count, char** words) {
  const auto trial = kTrials.find(count > 1 ? words[1] : "");
  if (trial == kTrials.end()) return Usage();
  TrialOptions options;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--", 0) != 0) {
      options.files.push_back(word);
      continue;
    }
    if (i + 1 == count) return Usage();
    const std::string value = words[++i];
    if (word == "--ms")
      options.budget_ms = std::atoi(value.c_str());
    else if (word == "--threads")
      options.threads = std::atoi(value.c_str());
    else if (word == "--batches")
      options.batches = ReadList(value);
    else
      return Usage();
  }
  cv::setNumThreads(0);  // as in the engine
  try {
    trial->second(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "telltale_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
