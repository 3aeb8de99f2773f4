// Where the time of one check on one thread goes.
#include <cstdio>

#include "staged_check.h"
#include "stopwatch.h"
#include "trials.h"

namespace telltale::bench {
namespace {

// Steps of microseconds are repeated, so that the clock's own cost does not show.
constexpr int kSniffs = 200;
constexpr int kReadings = 20;

template <typename Step>
void Repeat(int times, Step step) {
  for (int i = 0; i < times; ++i) step();
}

}  // namespace

void RunStageTrial(const TrialOptions& options) {
  const BenchModels models = LoadModels(1);
  for (const std::string& path : options.files) {
    StagedCheck check(models, ReadWholeFile(path));
    if (!check.Decodes()) continue;
    const std::vector<double> times =
        MeasureInTurn(options.budget_ms,
                      {[&] { Repeat(kSniffs, [&] { check.RunSniff(); }); }, [&] { check.RunDecode(); },
                       [&] { check.CutAllViews(); }, [&] { check.MakeDetectorPixels(); },
                       [&] { check.Detect(); }, [&] { Repeat(kReadings, [&] { check.ReadFaces(); }); },
                       [&] { check.CropFaces(); }, [&] { check.InferViews(); }, [&] { check.InferFaces(); }});
    std::printf(
        "{\"file\":\"%s\",\"views\":%d,\"faces\":%d,\"sniff_ms\":%.5f,\"decode_ms\":%.4f,\"cut_views_ms\":%."
        "4f,"
        "\"detector_input_ms\":%.4f,\"detect_ms\":%.4f,\"read_faces_ms\":%.5f,"
        "\"crop_faces_ms\":%.4f,\"infer_views_ms\":%.4f,\"infer_faces_ms\":%.4f}\n",
        path.c_str(), check.views().rows, check.faces().rows, times[0] / kSniffs, times[1], times[2],
        times[3], times[4], times[5] / kReadings, times[6], times[7], times[8]);
    std::fflush(stdout);
  }
}

}  // namespace telltale::bench
