// One check taken apart: every step of an inspection on its own, so that it can be timed alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/networks.h"
#include "face/face_detector.h"
#include "image/sniff.h"

namespace telltale::bench {

// The networks on the CPU, a thread a run, as the engine has them.
struct BenchModels {
  EngineConfig config;
  std::unique_ptr<Session> encoder;
  std::unique_ptr<Session> detector;
};

// Reads the models of the project, or of TELLTALE_MODELS_DIR. Ends the program if they don't load.
BenchModels LoadModels(int intra_op_threads);

// The whole file; ends the program if it can't be read.
std::vector<uint8_t> ReadWholeFile(const std::string& path);

// The steps of an inspection, each after those above it. They are the engine's own functions in the order of
// engine/inspection_job.cc. A step that fails ends the program: `Decodes` says whether a file is fit.
class StagedCheck {
 public:
  StagedCheck(const BenchModels& models, std::vector<uint8_t> file);

  // Whether the engine decodes the file.
  bool Decodes();

  void RunSniff();
  void RunDecode();
  // Shrinks the picture, chooses places and copies them into `views`.
  void CutAllViews();
  void MakeDetectorPixels();
  void Detect();
  // Threshold, non-maximum suppression, choice of the finds that the engine shows the encoder first.
  void ReadFaces();
  void CropFaces();
  // In runs of the engine's size.
  void InferViews();
  void InferFaces();

  // All of them.
  void RunAll();

  const SniffedImage& sniffed() const { return sniffed_; }
  Bytes bytes() const { return file_; }
  const PixelBatch& views() const { return views_.pixels; }
  const PixelBatch& detector_pixels() const { return detector_input_.pixels; }
  // No rows where no face counts.
  const PixelBatch& faces() const { return face_pixels_; }

 private:
  const BenchModels& models_;
  const std::vector<uint8_t> file_;
  SniffedImage sniffed_;
  Image image_;
  Views views_;
  DetectorInput detector_input_;
  Outputs detected_;
  std::vector<Face> found_;
  PixelBatch face_pixels_;
};

}  // namespace telltale::bench
