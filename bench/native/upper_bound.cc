// telltale_bench probe|limit|overlap [--ms N] [--threads N] FILE...: measures how fast codecs and ONNX
// Runtime are without Telltale's other work. Prints one JSON object per line.
// `probe`: says for each file if it can be compared.
// `limit`: repeats the decoding and inference of a check for N milliseconds, without other work.
// `overlap`: see overlap.h.
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bare_codecs.h"
#include "engine/networks.h"
#include "engine/thread_plan.h"
#include "face/face_crop.h"
#include "face/face_detector.h"
#include "image/decode.h"
#include "image/sniff.h"
#include "inference/ort_providers.h"
#include "inference/ort_session.h"
#include "inference/pixel_batch.h"
#include "overlap.h"
#include "tests/real_models.h"

namespace telltale::bench {
namespace {

struct TrialOptions {
  std::vector<std::string> files;
  int budget_ms = 1000;
  int threads = 1;
};

double NowMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename T>
T Need(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message());
  return std::move(result).value();
}

std::vector<uint8_t> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + path);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::vector<uint8_t>> ReadFiles(const TrialOptions& options) {
  std::vector<std::vector<uint8_t>> files;
  for (const std::string& path : options.files) files.push_back(ReadWholeFile(path));
  return files;
}

// A network that is called directly through ONNX Runtime. Does not copy the outputs. Run is thread-safe.
class BareNetwork {
 public:
  BareNetwork(const std::string& path, const std::vector<std::string>& outputs)
      : names_(outputs), session_(Load(path)) {
    for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
  }

  void Run(const PixelBatch& batch) {
    const int64_t shape[] = {batch.rows, batch.height, batch.width, 3};
    const Ort::Value input = Ort::Value::CreateTensor<uint8_t>(
        memory_, const_cast<uint8_t*>(batch.pixels.data()), batch.pixels.size(), shape, std::size(shape));
    const char* input_name = "pixels";
    session_.Run(Ort::RunOptions{nullptr}, &input_name, &input, 1, name_pointers_.data(),
                 name_pointers_.size());
  }

 private:
  static Ort::Session Load(const std::string& path) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(1);
    return Ort::Session(OrtEnvironment(), path.c_str(), options);
  }

  std::vector<std::string> names_;
  std::vector<const char*> name_pointers_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::Session session_;
};

// The input of each network for one file, prepared once. The engine makes the same inputs
// (engine/inspection_job.cc).
struct CheckWork {
  ImageFormat format;
  std::vector<uint8_t> file;
  PixelBatch detector;
  // Inputs of the encoder: crops of the image, then faces.
  std::vector<PixelBatch> encoder;
};

std::unique_ptr<Session> LoadDetector(const FaceDetectorModel& model) {
  SessionOptions options;
  options.name = model.path;
  options.path = model.path;
  options.outputs = {{model.scores_output}, {model.boxes_output}, {model.points_output}};
  options.height = model.long_side_px;
  options.width = model.long_side_px;
  options.intra_op_threads = 1;
  return Need(LoadOrtSession(options));
}

PixelBatch CutFaces(const Image& image, const EngineConfig& config, const DetectorInput& input,
                    Session& detector) {
  const PixelBatch& pixels = input.pixels;
  const Outputs detected =
      Need(detector.Run({pixels.pixels.data(), pixels.rows, pixels.height, pixels.width}));
  std::vector<Face> found =
      SelectCandidates(Need(DecodeFaces(detected, input, image.width, image.height, config.face_detector)));
  found.resize(std::min(found.size(), kMaxScoredFaces));
  const FaceSpecialistModel& model = config.face_specialist;
  PixelBatch faces(static_cast<int>(found.size()), model.size_px, model.size_px);
  for (int i = 0; i < faces.rows; ++i) CropFace(image, found[i].points, model, faces.row(i));
  return faces;
}

// Splits the rows into batches of the size that the engine uses.
std::vector<PixelBatch> CutBatches(const PixelBatch& all) {
  const int max_batch = PlanThreads(1, Device::kCpu).max_batch;
  std::vector<PixelBatch> batches;
  for (int first = 0; first < all.rows; first += max_batch) {
    PixelBatch batch(std::min(max_batch, all.rows - first), all.height, all.width);
    std::copy_n(all.pixels.begin() + all.row_size() * first, batch.pixels.size(), batch.pixels.begin());
    batches.push_back(std::move(batch));
  }
  return batches;
}

CheckWork Prepare(const EngineConfig& config, Session& detector, std::vector<uint8_t> file) {
  const ImageFormat format = Need(Sniff(file)).format;
  const Image image = Need(Decode(file));
  std::vector<CropType> crop_types;
  for (const JudgedCropType& judged : config.full_image.crop_types) crop_types.push_back(judged);
  const Crops crops = CutCrops(image, crop_types, config.encoder.size_px);
  DetectorInput input = MakeDetectorInput(image, config.face_detector, false);
  std::vector<PixelBatch> batches = CutBatches(crops.pixels);
  for (PixelBatch& batch : CutBatches(CutFaces(image, config, input, detector)))
    batches.push_back(std::move(batch));
  return {format, std::move(file), std::move(input.pixels), std::move(batches)};
}

void RunProbe(const TrialOptions& options) {
  std::vector<uint8_t> pixels;
  for (const std::string& path : options.files) {
    const std::vector<uint8_t> file = ReadWholeFile(path);
    const Result<SniffedImage> sniffed = Sniff(file);
    const bool bare = sniffed.ok() && Decode(file).ok() && DecodeBare(sniffed.value().format, file, &pixels);
    std::printf("{\"file\":\"%s\",\"bare\":%s}\n", path.c_str(), bare ? "true" : "false");
  }
}

void RunLimit(const TrialOptions& options) {
  if (options.files.empty()) return;
  const EngineConfig config = RealModels();
  const FaceDetectorModel& face = config.face_detector;
  std::vector<CheckWork> works;
  {
    const std::unique_ptr<Session> detector = LoadDetector(face);
    for (std::vector<uint8_t>& file : ReadFiles(options))
      works.push_back(Prepare(config, *detector, std::move(file)));
  }
  BareNetwork encoder(config.encoder.cpu_path, {config.encoder.logits_output, config.encoder.tokens_output});
  BareNetwork detector(face.path, {face.scores_output, face.boxes_output, face.points_output});
  const auto check = [&](const CheckWork& work, std::vector<uint8_t>* pixels) {
    DecodeBare(work.format, work.file, pixels);
    detector.Run(work.detector);
    for (const PixelBatch& batch : work.encoder) encoder.Run(batch);
  };
  // Checks each file once without counting, so that files and ONNX Runtime's memory are ready.
  std::vector<uint8_t> pixels;
  for (const CheckWork& work : works) check(work, &pixels);

  std::atomic<size_t> next = 0;
  std::atomic<int> checks = 0;
  const double start = NowMs();
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.emplace_back([&] {
      std::vector<uint8_t> own_pixels;
      while (NowMs() < start + options.budget_ms) {
        check(works[next.fetch_add(1) % works.size()], &own_pixels);
        checks.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("{\"checks\":%d,\"seconds\":%.4f,\"threads\":%d}\n", checks.load(), (NowMs() - start) / 1000,
              options.threads);
}

int Usage() {
  std::fprintf(stderr, "usage: telltale_bench probe|limit|overlap [--ms N] [--threads N] FILE...\n");
  return 2;
}

int Main(int count, char** words) {
  const std::string trial = count > 1 ? words[1] : "";
  if (trial != "probe" && trial != "limit" && trial != "overlap") return Usage();
  TrialOptions options;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    if (word != "--ms" && word != "--threads") {
      options.files.push_back(word);
      continue;
    }
    if (i + 1 == count) return Usage();
    (word == "--ms" ? options.budget_ms : options.threads) = std::atoi(words[++i]);
  }
  if (trial == "overlap" && options.files.empty()) return Usage();
  cv::setNumThreads(0);  // as in the engine
  if (trial == "probe")
    RunProbe(options);
  else if (trial == "overlap")
    RunOverlap(ReadFiles(options), options.threads, options.budget_ms);
  else
    RunLimit(options);
  return 0;
}

}  // namespace
}  // namespace telltale::bench

int main(int count, char** words) {
  try {
    return telltale::bench::Main(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "telltale_bench: %s\n", error.what());
    return 1;
  }
}
