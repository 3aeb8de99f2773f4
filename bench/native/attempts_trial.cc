// Choices of the engine against what was tried instead, in turn in one process; NOTES.md tells what came of
// it.
#include <onnxruntime_cxx_api.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "image/area_resize.h"
#include "image/decode.h"
#include "image/libjpeg.h"
#include "staged_check.h"
#include "stopwatch.h"
#include "trials.h"

namespace telltale::bench {
namespace {

void Print(const std::string& choice, const std::string& alternative, const std::vector<double>& times) {
  std::printf("{\"choice\":\"%s\",\"alternative\":\"%s\",\"choice_ms\":%.3f,\"alternative_ms\":%.3f}\n",
              choice.c_str(), alternative.c_str(), times[0], times[1]);
  std::fflush(stdout);
}

// The encoder on one row, its session made as `configure` says.
class Runs {
 public:
  Runs(Ort::Env& env, const EncoderModel& model, const std::function<void(Ort::SessionOptions&)>& configure)
      : output_(model.logits_output.c_str()),
        pixels_(static_cast<size_t>(model.size_px) * model.size_px * 3, 127),
        shape_{1, model.size_px, model.size_px, 3},
        session_(Create(env, model, configure)) {}

  void operator()() {
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    const Ort::Value input =
        Ort::Value::CreateTensor<uint8_t>(memory, pixels_.data(), pixels_.size(), shape_, std::size(shape_));
    const char* name = "pixels";
    session_.Run(Ort::RunOptions{nullptr}, &name, &input, 1, &output_, 1);
  }

  void OnThreads(int count) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([this] { (*this)(); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  static Ort::Session Create(Ort::Env& env, const EncoderModel& model,
                             const std::function<void(Ort::SessionOptions&)>& configure) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    configure(options);
    return Ort::Session(env, model.cpu_path.c_str(), options);
  }

  const char* output_;
  std::vector<uint8_t> pixels_;
  int64_t shape_[4];
  Ort::Session session_;
};

void TrySessions(Ort::Env& env, const EncoderModel& model, const TrialOptions& options) {
  const std::string rows = "encoder, 1 row: ";
  Runs chosen(env, model, [](auto&) {});
  Runs no_arena(env, model, [](auto& session) { session.DisableCpuMemArena(); });
  Print(rows + "arena", "no arena",
        MeasureInTurn(options.budget_ms, {[&] { chosen(); }, [&] { no_arena(); }}));
  Runs no_pattern(env, model, [](auto& session) { session.DisableMemPattern(); });
  Print(rows + "memory pattern", "no memory pattern",
        MeasureInTurn(options.budget_ms, {[&] { chosen(); }, [&] { no_pattern(); }}));
  Runs not_packed(env, model,
                  [](auto& session) { session.AddConfigEntry("session.disable_prepacking", "1"); });
  Print(rows + "weights packed once, at the start", "packed anew in each run from the mapped file",
        MeasureInTurn(options.budget_ms, {[&] { chosen(); }, [&] { not_packed(); }}));
  Runs global(env, model, [](auto& session) { session.DisablePerSessionThreads(); });
  Print("as many runs at once as threads: a thread a run", "all runs on one global pool of as many threads",
        MeasureInTurn(options.budget_ms, {[&] { chosen.OnThreads(options.threads); },
                                          [&] { global.OnThreads(options.threads); }}));
}

void TryResizing(const cv::Mat& picture, const TrialOptions& options) {
  for (const int side : {224, 768}) {
    if (picture.cols <= side) continue;
    const cv::Size size(side, picture.rows * side / picture.cols);
    cv::Mat target(size, CV_8UC3);
    Print(
        std::to_string(picture.cols) + " px wide to " + std::to_string(side) + ": ResizeByArea", "cv::resize",
        MeasureInTurn(options.budget_ms, {[&] { ResizeByArea(picture, target); },
                                          [&] { cv::resize(picture, target, size, 0, 0, cv::INTER_AREA); }}));
  }
}

// Half size, by libjpeg's scaled DCT.
void DecodeHalf(Bytes bytes, std::vector<uint8_t>* pixels) {
  jpeg_decompress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, bytes.data(), bytes.size());
  jpeg_read_header(&codec, TRUE);
  codec.scale_num = 1;
  codec.scale_denom = 2;
  codec.out_color_space = JCS_RGB;
  jpeg_start_decompress(&codec);
  pixels->resize(static_cast<size_t>(codec.output_width) * codec.output_height * 3);
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = pixels->data() + static_cast<size_t>(codec.output_scanline) * codec.output_width * 3;
    jpeg_read_scanlines(&codec, &row, 1);
  }
  jpeg_finish_decompress(&codec);
  jpeg_destroy_decompress(&codec);
}

void TryScaledDecoding(Bytes file, const cv::Mat& picture, const TrialOptions& options) {
  if (picture.cols < 2 * 768) return;
  const cv::Size size(768, picture.rows * 768 / picture.cols);
  cv::Mat target(size, CV_8UC3);
  std::vector<uint8_t> half;
  Print(std::to_string(picture.cols) + " px wide, detector input: shrink the decoded picture",
        "decode again at half size and shrink that",
        MeasureInTurn(options.budget_ms, {[&] { ResizeByArea(picture, target); },
                                          [&] {
                                            DecodeHalf(file, &half);
                                            const cv::Mat view((picture.rows + 1) / 2, (picture.cols + 1) / 2,
                                                               CV_8UC3, half.data());
                                            ResizeByArea(view, target);
                                          }}));
}

template <typename Buffer>
void TouchFresh(size_t size) {
  Buffer buffer;
  buffer.reserve(size);
  std::memset(buffer.data(), 1, size);
  // Without this the compiler sees that nobody reads what was written, and leaves the writing out.
  asm volatile("" : : "r"(buffer.data()) : "memory");
}

void TryMemory(const TrialOptions& options) {
  constexpr size_t kTwelveMegapixels = size_t{36} << 20;
  Print("36 MB written for the first time: huge pages", "pages of 4 kB",
        MeasureInTurn(options.budget_ms, {[] { TouchFresh<PixelBuffer>(kTwelveMegapixels); },
                                          [] { TouchFresh<std::vector<uint8_t>>(kTwelveMegapixels); }}));
  const PixelBatch views(5, 224, 224);
  PixelBatch copy(5, 224, 224);
  Print("views cut straight into the tensor", "and copied into it once more",
        MeasureInTurn(options.budget_ms, {[] {}, [&] { copy.pixels = views.pixels; }}));
}

}  // namespace

void RunAttemptsTrial(const TrialOptions& options) {
  // Before any session: the process has one environment, and only its first maker can give it a global pool.
  Ort::ThreadingOptions threading;
  threading.SetGlobalIntraOpNumThreads(options.threads);
  threading.SetGlobalInterOpNumThreads(1);
  Ort::Env env(threading, ORT_LOGGING_LEVEL_FATAL, "telltale_bench");
  {
    const BenchModels models = LoadModels(1);
    TrySessions(env, models.config.encoder, options);
  }
  TryMemory(options);
  for (const std::string& path : options.files) {
    const std::vector<uint8_t> file = ReadWholeFile(path);
    const Result<SniffedImage> sniffed = Sniff(file);
    const Result<Image> decoded = Decode(file);
    if (!sniffed.ok() || !decoded.ok()) continue;
    const Image& image = decoded.value();
    const cv::Mat picture(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
    TryResizing(picture, options);
    if (sniffed.value().format == ImageFormat::kJpeg) TryScaledDecoding(file, picture, options);
  }
}

}  // namespace telltale::bench
