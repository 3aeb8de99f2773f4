// Everything an engine is built from: complete and valid, as TypeScript hands it over.
#pragma once

#include <optional>
#include <string>

#include "face/face_crop.h"
#include "face/face_detector.h"
#include "inference/device.h"

namespace telltale {

// The full image specialist's manifest. A picture's logit is
//   bias + mean * mean(patches) + low * mean(the lowest of each low_part patches) + global * global view
// and its score sigmoid(scale * logit + offset). A generator leaves its traces everywhere, so the patches
// that look most genuine tell the most.
struct FullImageModel {
  std::string path;
  std::string patch_output;
  std::string global_output;
  int size_px = 0;  // side of a patch and of the global view
  int max_patches = 0;
  double bias = 0;
  double mean = 0;
  double low = 0;
  int low_part = 1;
  double global = 0;
  double scale = 1;
  double offset = 0;
};

struct EngineConfig {
  FullImageModel full_image;
  FaceDetectorModel face_detector;
  FaceSpecialistModel face_specialist;
  std::optional<Device> device;  // nothing: the best that can be had
  int threads = 1;               // what all pools share, >= 1
  int queue_limit = 64;          // pictures that may wait for a thread
  std::string cache_dir;         // TensorRT's caches; empty: none kept
};

}  // namespace telltale
