// The trials of the native bench program: each prints one JSON line a row on standard output.
#pragma once

#include <string>
#include <vector>

namespace telltale::bench {

// What the command line gave.
struct TrialOptions {
  std::vector<std::string> files;
  int budget_ms = 1000;  // for one row
  int threads = 1;
  std::vector<int> batches;  // rows of a run
};

// Whether each file can be compared: decoded by us and by the bare loop, and how many rows its check has.
void RunProbe(const TrialOptions& options);

// A file a row: our decoder and the bare codec in turn.
void RunDecodeTrial(const TrialOptions& options);

// A file a row: every step of an inspection.
void RunStageTrial(const TrialOptions& options);

// A network and batch size a row: our session and bare ONNX Runtime in turn. Each runs on one thread and on
// options.threads, split within a run or a run a thread.
void RunInferenceTrial(const TrialOptions& options);

// What the engine does against what was tried instead, a pair a row, on the files and on options.threads
// threads.
void RunAttemptsTrial(const TrialOptions& options);

// One row: options.threads threads do nothing but bare decoding and bare inference for the checks of the
// files, round and round, for the budget.
void RunLimitTrial(const TrialOptions& options);

}  // namespace telltale::bench
