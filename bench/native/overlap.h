// Test of whether threads stay busy while networks run on another device.
#pragma once

#include <cstdint>
#include <vector>

namespace telltale::bench {

// Checks the files repeatedly for `budget_ms`, with 16 concurrent callers. Requires at least one file.
// Compares two engines in turn. The first has a GPU's thread plan, `threads` for decoding, and networks that
// wait 5 ms and compute nothing. The second has the CPU's plan and networks that return at once, so that its
// threads never wait; its speed is the upper bound. Prints the checks per second of both engines, and their
// ratio.
void RunOverlap(const std::vector<std::vector<uint8_t>>& files, int threads, int budget_ms);

}  // namespace telltale::bench
