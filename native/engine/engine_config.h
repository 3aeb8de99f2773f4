// Everything an engine is built from: complete and valid, as TypeScript hands it over.
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

// The network that sees every crop. For a crop it gives a row of `logits`, one for each column, and a row of
// `tokens`, one logit for each of its tokens.
struct EncoderModel {
  std::string cpu_path;
  std::string gpu_path;
  std::string tensorrt_path;  // of standard operators alone
  std::string logits_output;
  std::string tokens_output;
  int columns = 0;
  int size_px = 0;  // side of a crop
  int side_tokens() const { return size_px / kTokenPx; }
  TELLTALE_FIELDS(cpu_path, gpu_path, tensorrt_path, logits_output, tokens_output, columns, size_px)
};

// One type of crop.
struct JudgedCropType : CropType {
  int column = 0;               // of the encoder's logits
  bool decides_domain = false;  // whether `drawn` reads its crops, too
  TELLTALE_FIELDS(short_side_px, count, column, decides_domain)
};

// What a type has to say in a stage.
struct CropTypeShare {
  int count = 0;  // its first crops, at most all of them; 0: it is not asked yet
  double weight = 0;
  TELLTALE_FIELDS(count, weight)
};

// Log odds of a score between which an image needs another stage: of one that looks photographed, and of
// one that looks drawn. Those of an image lie between the two by the probability that it is drawn.
struct EarlyExitBounds {
  std::array<double, 2> below{};  // photographed, drawn
  std::array<double, 2> above{};  // photographed, drawn
  TELLTALE_FIELDS(below, above)
};

// The region that looks most generated: side x side tokens of the first crop of `type`. Its log odds are
// scale * mean token + offset.
struct RegionModel {
  int type = 0;                    // of FullImageModel::crop types
  int side = 0;                    // tokens
  std::array<double, 2> scale{};   // photographed, drawn
  std::array<double, 2> offset{};  // photographed, drawn
  TELLTALE_FIELDS(type, side, scale, offset)
};

// Embedded images of a collage are judged as images of their own. Of them and the whole, the one that lies
// highest above its threshold speaks for the image. Thresholds grow by `drawn_odds` from photographed to
// drawn images, so this is the one with the highest log odds - drawn_odds * drawn.
struct EmbeddedImageModel {
  int least_px = 0;  // shorter side of an embedded image
  double drawn_odds = 0;
  TELLTALE_FIELDS(least_px, drawn_odds)
};

// How the crops that were seen when a stage ends are joined. An image's score is sigmoid(bias + sum over
// crop types of weight * mean(logits of the type's crops in the type's column)). It is drawn with the
// probability that `drawn` gives the mean of its column over all crops that tell.
struct CropStage {
  std::vector<CropTypeShare>
      shares;  // of each of FullImageModel::crop types; those of a type that tells are crops
  double bias = 0;
  std::optional<EarlyExitBounds> early_exit =
      {};  // beyond it no more crops are needed; nothing: the last stage, of all crops
  TELLTALE_FIELDS(shares, bias, early_exit)
};

// The full image specialist: crops of these crop types are shown in stages, each with those of the one
// before.
struct FullImageModel {
  std::vector<JudgedCropType> crop_types;
  std::vector<CropStage> stages;  // one at least
  CalibratedHead drawn;
  std::optional<RegionModel> region = {};                  // nothing: the types lack the one it looks at
  std::optional<EmbeddedImageModel> embedded_images = {};  // nothing: no embedded images are looked for
  TELLTALE_FIELDS(crop_types, stages, drawn, region, embedded_images)
};

struct EngineConfig {
  EncoderModel encoder;
  FullImageModel full_image;
  FaceDetectorModel face_detector;
  FaceSpecialistModel face_specialist;
  std::optional<Device> device;        // nothing: the best that can be had
  int threads = 1;                     // what all pools share, >= 1
  int queue_limit = 64;                // images that may wait for a thread
  uint64_t memory_bytes = UINT64_MAX;  // what all decodes at once may take
  std::string ep_library;    // whose provider runs TensorRT in place of the one built in; empty: none
  std::string cache_dir;     // TensorRT's caches; empty: none kept
  bool cuda_graphs = false;  // CUDA alone: runs replay captured graphs
  TELLTALE_FIELDS(encoder, full_image, face_detector, face_specialist, device, threads, queue_limit,
                  memory_bytes, ep_library, cache_dir, cuda_graphs)
};

}  // namespace telltale
