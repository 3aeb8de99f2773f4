// Who waits for a piece of work.
#pragma once

#include <cstddef>

namespace telltale {

// Work of kCaller goes first. Work of kBackground, for which nobody waits, gets what is left and a small
// share.
enum class Priority { kCaller, kBackground };

inline constexpr size_t kPriorities = 2;

// Pieces of callers' work after which one of the background's is run, if one waits.
// Chosen: a ninth of the pieces is little to callers, and a scan that gets no more still goes on.
inline constexpr int kCallersInARow = 8;

}  // namespace telltale
