// Repeats work and keeps the times.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace telltale::bench {

// Milliseconds since some fixed moment.
inline double NowMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Median of `times`, which is not empty.
inline double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

// Runs all of `works` in turn, A B A B, until `budget_ms` has passed and each has run at least three times. A
// first run of each does not count. Gives the median milliseconds of each.
inline std::vector<double> MeasureInTurn(double budget_ms, const std::vector<std::function<void()>>& works) {
  for (const auto& work : works) work();
  std::vector<std::vector<double>> times(works.size());
  const double end = NowMs() + budget_ms;
  while (times.back().size() < 3 || NowMs() < end) {
    for (size_t i = 0; i < works.size(); ++i) {
      const double start = NowMs();
      works[i]();
      times[i].push_back(NowMs() - start);
    }
  }
  std::vector<double> medians;
  for (auto& one : times) medians.push_back(Median(std::move(one)));
  return medians;
}

}  // namespace telltale::bench
