// Whether threads stay at work while networks run elsewhere.
#pragma once

#include <cstdint>
#include <vector>

namespace telltale::bench {

// Checks the files (one at least), round and round, for `budget_ms`, by 16 callers at once on an engine of a
// GPU's thread plan with `threads` for decoding. Each run of its networks waits 5 ms and computes nothing. In
// turn with it an engine of the CPU's plan, whose networks answer at once: no thread of it ever waits, which
// is the upper bound. Prints the checks a second of both, and their ratio.
void RunOverlap(const std::vector<std::vector<uint8_t>>& files, int threads, int budget_ms);

}  // namespace telltale::bench
