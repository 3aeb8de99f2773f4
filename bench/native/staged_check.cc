// The engine's functions, called one by one.
#include "staged_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "engine/thread_plan.h"
#include "face/face_crop.h"
#include "image/decode.h"
#include "inference/ort_session.h"
#include "tests/real_models.h"

namespace telltale::bench {
namespace {

[[noreturn]] void GiveUp(const std::string& what) {
  std::fprintf(stderr, "telltale_bench: %s\n", what.c_str());
  std::exit(1);
}

template <typename T>
T Need(Result<T> result) {
  if (!result.ok()) GiveUp(result.status().message());
  return std::move(result).value();
}

std::unique_ptr<Session> Load(const std::string& path, std::vector<WantedOutput> outputs, int size_px,
                              int threads) {
  SessionOptions options;
  options.name = path;
  options.path = path;
  options.outputs = std::move(outputs);
  options.height = size_px;
  options.width = size_px;
  options.intra_op_threads = threads;
  return Need(LoadOrtSession(options));
}

void RunInBatches(Session& session, const PixelBatch& pixels, int max_batch) {
  for (int first = 0; first < pixels.rows; first += max_batch) {
    const int rows = std::min(max_batch, pixels.rows - first);
    Need(session.Run({pixels.pixels.data() + pixels.row_size() * first, rows, pixels.height, pixels.width}));
  }
}

int MaxBatch() { return PlanThreads(1, Device::kCpu).max_batch; }

}  // namespace

BenchModels LoadModels(int intra_op_threads) {
  BenchModels models;
  models.config = RealModels();
  const EncoderModel& encoder = models.config.encoder;
  const FaceDetectorModel& detector = models.config.face_detector;
  models.encoder = Load(encoder.cpu_path, {{encoder.logits_output}, {encoder.tokens_output}}, encoder.size_px,
                        intra_op_threads);
  models.detector =
      Load(detector.path, {{detector.scores_output}, {detector.boxes_output}, {detector.points_output}},
           detector.long_side_px, intra_op_threads);
  return models;
}

std::vector<uint8_t> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) GiveUp("can't read " + path);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

StagedCheck::StagedCheck(const BenchModels& models, std::vector<uint8_t> file)
    : models_(models), file_(std::move(file)) {}

bool StagedCheck::Decodes() { return Decode(file_).ok(); }

void StagedCheck::RunSniff() { sniffed_ = Need(Sniff(file_)); }

void StagedCheck::RunDecode() { image_ = Need(Decode(file_)); }

void StagedCheck::CutAllViews() {
  std::vector<ViewKind> kinds;
  for (const JudgedKind& judged : models_.config.full_image.kinds) kinds.push_back(judged.kind);
  views_ = CutViews(image_, kinds, models_.config.encoder.size_px);
}

void StagedCheck::MakeDetectorPixels() {
  detector_input_ = MakeDetectorInput(image_, models_.config.face_detector, false);
}

void StagedCheck::Detect() {
  const PixelBatch& pixels = detector_input_.pixels;
  detected_ = Need(models_.detector->Run({pixels.pixels.data(), pixels.rows, pixels.height, pixels.width}));
}

void StagedCheck::ReadFaces() {
  found_ = SelectCandidates(Need(
      DecodeFaces(detected_, detector_input_, image_.width, image_.height, models_.config.face_detector)));
  found_.resize(std::min(found_.size(), kMaxScoredFaces));
}

void StagedCheck::CropFaces() {
  const FaceSpecialistModel& model = models_.config.face_specialist;
  face_pixels_ = PixelBatch(static_cast<int>(found_.size()), model.size_px, model.size_px);
  for (int i = 0; i < face_pixels_.rows; ++i) CropFace(image_, found_[i].points, model, face_pixels_.row(i));
}

void StagedCheck::InferViews() { RunInBatches(*models_.encoder, views_.pixels, MaxBatch()); }

void StagedCheck::InferFaces() { RunInBatches(*models_.encoder, face_pixels_, MaxBatch()); }

void StagedCheck::RunAll() {
  RunSniff();
  RunDecode();
  CutAllViews();
  MakeDetectorPixels();
  Detect();
  ReadFaces();
  CropFaces();
  InferViews();
  InferFaces();
}

}  // namespace telltale::bench
