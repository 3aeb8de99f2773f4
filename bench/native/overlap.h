// Measuring whether the engine's threads stay busy while networks run on another device, such as a GPU.
#pragma once

#include <cstdint>
#include <vector>

namespace telltale::bench {

// Checks the files repeatedly for `budget_ms`, with 16 concurrent callers. Requires at least one file. Two
// engines alternate. The first is set up for a GPU, with `threads` threads for decoding, and its fake
// networks wait 5 ms. The second is set up for the CPU, and its fake networks return immediately. Its threads
// never wait, so its speed is the upper bound. Prints the checks per second of both engines, and their ratio.
void RunOverlap(const std::vector<std::vector<uint8_t>>& files, int threads, int budget_ms);

}  // namespace telltale::bench
