// Priorities of work.
#pragma once

#include <cstddef>

namespace telltale {

// kCaller: somebody waits for the result; runs first. kBackground: nobody waits; runs when a thread is free
// and gets a small guaranteed share.
enum class Priority { kCaller, kBackground };

inline constexpr size_t kPriorities = 2;

// Number of caller pieces after which one waiting background piece runs. Chosen: one piece in nine costs
// callers little, and a background scan still makes progress under full load.
inline constexpr int kCallersInARow = 8;

}  // namespace telltale
