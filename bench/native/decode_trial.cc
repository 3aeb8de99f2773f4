// Decoding, ours against the codec alone.
#include <cstdio>

#include "bare_codecs.h"
#include "image/decode.h"
#include "staged_check.h"
#include "stopwatch.h"
#include "trials.h"

namespace telltale::bench {

void RunDecodeTrial(const TrialOptions& options) {
  std::vector<uint8_t> pixels;
  for (const std::string& path : options.files) {
    const std::vector<uint8_t> file = ReadWholeFile(path);
    const Result<SniffedImage> sniffed = Sniff(file);
    if (!sniffed.ok() || !Decode(file).ok() || !DecodeBare(sniffed.value().format, file, &pixels)) continue;
    const ImageFormat format = sniffed.value().format;
    const std::vector<double> times = MeasureInTurn(
        options.budget_ms,
        {[&] { DecodeBare(format, file, &pixels); }, [&] { static_cast<void>(Decode(file).ok()); }});
    std::printf("{\"file\":\"%s\",\"bare_ms\":%.4f,\"ours_ms\":%.4f}\n", path.c_str(), times[0], times[1]);
    std::fflush(stdout);
  }
}

}  // namespace telltale::bench
