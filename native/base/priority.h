// Priorities of the engine's work: work that somebody waits for, and background work.
#pragma once

#include <cstddef>

namespace telltale {

// kCaller: somebody waits for the result, so this work runs first. kBackground: nobody waits for the result.
// Background work runs when a thread is free, and in addition gets a small guaranteed share.
enum class Priority { kCaller, kBackground };

inline constexpr size_t kPriorities = 2;

// Number of callers' work items in a row after which one waiting background item runs. One item in nine
// costs callers little, and a background scan still makes progress under full load.
inline constexpr int kCallersInARow = 8;

}  // namespace telltale
