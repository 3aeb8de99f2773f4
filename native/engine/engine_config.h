// The engine's complete configuration, validated by the TypeScript side.
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

// Network that sees every crop. For each crop it returns a row of `logits`, one per column, and a row of
// `tokens`, one logit per token.
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

// A crop type with its place in the encoder's output.
struct JudgedCropType : CropType {
  int column = 0;               // column of the encoder's logits
  bool decides_domain = false;  // true if `drawn` is computed from this type's crops
  TELLTALE_FIELDS(short_side_px, count, column, decides_domain)
};

// Contribution of a crop type to a stage.
struct CropTypeShare {
  int count = 0;  // number of crops used, from the first; 0: the type is not used in this stage
  double weight = 0;
  TELLTALE_FIELDS(count, weight)
};

// Range of log odds within which an image needs another stage. The bounds are given for photographed and
// drawn images, and interpolated by the probability that the image is drawn.
struct EarlyExitBounds {
  std::array<double, 2> below{};  // photographed, drawn
  std::array<double, 2> above{};  // photographed, drawn
  TELLTALE_FIELDS(below, above)
};

// Calibration of the region that looks most generated: side x side tokens of the first crop of `type`. The
// region's log odds are scale * mean token + offset.
struct RegionModel {
  int type = 0;                    // index into FullImageModel::crop_types
  int side = 0;                    // tokens
  std::array<double, 2> scale{};   // photographed, drawn
  std::array<double, 2> offset{};  // photographed, drawn
  TELLTALE_FIELDS(type, side, scale, offset)
};

// Settings for the embedded images of a collage, which are judged like images of their own. Of these and the
// whole image, the one furthest above its threshold determines the result. Thresholds grow by `drawn_odds`
// from photographed to drawn images, so the one with the highest log odds - drawn_odds * drawn is chosen.
struct EmbeddedImageModel {
  int least_px = 0;  // minimum length of an embedded image's shorter side
  double drawn_odds = 0;
  TELLTALE_FIELDS(least_px, drawn_odds)
};

// Formula that joins the crops seen by the end of a stage. The image's score is sigmoid(bias + sum over crop
// types of weight * mean(logits of the type's crops in the type's column)). The probability that the image is
// drawn is the head `drawn`, applied to the mean of its column over all crops of types with decides_domain.
struct CropStage {
  std::vector<CropTypeShare> shares;  // one for each of FullImageModel::crop_types; a type with
                                      // decides_domain has crops in every stage
  double bias = 0;
  std::optional<EarlyExitBounds> early_exit =
      {};  // outside these bounds no more crops are needed; nullopt: last stage, all crops
  TELLTALE_FIELDS(shares, bias, early_exit)
};

// The full-image specialist. It sees the crops in stages; each stage includes the crops of the stage before.
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
