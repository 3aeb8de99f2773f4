// The engine's complete configuration, which the TypeScript side has validated.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "crops/crops.h"
#include "engine/heat_map.h"
#include "face/face_crop.h"
#include "face/face_detector.h"
#include "inference/calibrated_head.h"
#include "inference/device.h"

namespace telltale {

// The encoder: the network that sees every crop of an image. Its output `logits` has one row per crop and one
// value per column. Its output `tokens` has one logit for each small square of the crop (see kTokenPx).
struct EncoderModel {
  std::string cpu_path;
  std::string gpu_path;
  std::string tensorrt_path;  // model that uses standard operators only
  std::string logits_output;
  std::string tokens_output;
  int columns = 0;
  int size_px = 0;  // side of a crop
  int side_tokens() const { return size_px / kTokenPx; }
  TELLTALE_FIELDS(cpu_path, gpu_path, tensorrt_path, logits_output, tokens_output, columns, size_px)
};

// A crop type, and the column of the encoder's output that judges its crops.
struct JudgedCropType : CropType {
  int column = 0;               // column of the encoder's logits
  bool decides_domain = false;  // true if `drawn` is computed from this type's crops
  TELLTALE_FIELDS(short_side_px, count, column, decides_domain)
};

// Contribution of one crop type to an image's score.
struct CropTypeShare {
  int count = 0;  // number of crops used, from the first; 0: the type is not used in this stage
  double weight = 0;
  TELLTALE_FIELDS(count, weight)
};

// Range of log odds within which a score is still unclear, so that the image needs another stage. It differs
// for photographed and drawn images, and is interpolated by the probability that an image is drawn.
struct EarlyExitBounds {
  std::array<double, 2> below{};  // photographed, drawn
  std::array<double, 2> above{};  // photographed, drawn
  TELLTALE_FIELDS(below, above)
};

// Calibration of the suspicious region, the square that looks most generated. It has side x side tokens of
// the first crop of `type`. Its log odds are scale * mean token + offset.
struct RegionModel {
  int type = 0;                    // index into FullImageModel::crop_types
  int side = 0;                    // tokens
  std::array<double, 2> scale{};   // photographed, drawn
  std::array<double, 2> offset{};  // photographed, drawn
  TELLTALE_FIELDS(type, side, scale, offset)
};

// Settings for the embedded images of a collage, each of which is judged like a separate image. The result
// comes from the area furthest above its threshold: the whole image or an embedded image. The threshold of a
// drawn area is higher by `drawn_odds`, so the area with the highest log odds - drawn_odds * drawn is used.
struct EmbeddedImageModel {
  int least_px = 0;  // minimum length of an embedded image's shorter side
  double drawn_odds = 0;
  TELLTALE_FIELDS(least_px, drawn_odds)
};

// Formula that turns the crops seen so far into a score. Crops are judged in stages, and each stage has its
// own formula: score = sigmoid(bias + sum over crop types of weight * mean logit of the type's crops). Each
// type's logits are read from its own column. The probability that the image is drawn comes from the head
// `drawn`, applied to the mean of its column over all crops of types with decides_domain.
struct CropStage {
  // One share for each entry of FullImageModel::crop_types. Types with decides_domain have crops in every
  // stage.
  std::vector<CropTypeShare> shares;
  double bias = 0;
  std::optional<EarlyExitBounds> early_exit = {};  // nullopt: the last stage, with all crops
  TELLTALE_FIELDS(shares, bias, early_exit)
};

// Settings of the full-image specialist, which judges the whole image. It sees the crops in stages. Each
// stage includes the crops of the previous stage.
struct FullImageModel {
  std::vector<JudgedCropType> crop_types;
  std::vector<CropStage> stages;  // at least one
  CalibratedHead drawn;
  std::optional<RegionModel> region = {};  // nullopt: the crop types lack the one that the region needs
  std::optional<EmbeddedImageModel> embedded_images = {};  // nullopt: embedded images are not searched for
  TELLTALE_FIELDS(crop_types, stages, drawn, region, embedded_images)
};

struct EngineConfig {
  EncoderModel encoder;
  FullImageModel full_image;
  FaceDetectorModel face_detector;
  FaceSpecialistModel face_specialist;
  std::optional<Device> device;        // nullopt: the fastest device available
  int threads = 1;                     // total threads of all pools, >= 1
  int queue_limit = 64;                // maximum images waiting for a thread
  uint64_t memory_bytes = UINT64_MAX;  // maximum bytes of all running decodes together
  std::string ep_library;              // overrides the built-in TensorRT provider; empty: not used
  std::string cache_dir;               // directory of TensorRT's caches; empty: no caches
  bool cuda_graphs = false;            // CUDA only: runs replay captured graphs
  TELLTALE_FIELDS(encoder, full_image, face_detector, face_specialist, device, threads, queue_limit,
                  memory_bytes, ep_library, cache_dir, cuda_graphs)
};

}  // namespace telltale
