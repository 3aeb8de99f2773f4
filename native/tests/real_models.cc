// Manifests to structs, by OpenCV's JSON reader.
#include "real_models.h"

#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

std::string Folder(const char* id) {
  const char* given = std::getenv("TELLTALE_MODELS_DIR");
  return std::string(given != nullptr ? given : TELLTALE_SOURCE_DIR "/models") + "/" + id + "/";
}

cv::FileStorage Open(const char* id) {
  cv::FileStorage file(Folder(id) + "manifest.json", cv::FileStorage::READ);
  if (!file.isOpened()) {
    std::fprintf(stderr, "no manifest in %s\n", Folder(id).c_str());
    std::abort();
  }
  return file;
}

std::string Text(const cv::FileNode& node) { return static_cast<std::string>(node); }
double Number(const cv::FileNode& node) { return static_cast<double>(node); }
int Whole(const cv::FileNode& node) { return static_cast<int>(node); }

}  // namespace

EngineConfig RealModels() {
  EngineConfig config;
  config.device = Device::kCpu;
  config.threads = 2;

  const cv::FileStorage full = Open("full_image_specialist");
  FullImageModel& full_image = config.full_image;
  full_image.path = Folder("full_image_specialist") + Text(full["file"]);
  full_image.patch_output = Text(full["outputs"]["patch"]);
  full_image.global_output = Text(full["outputs"]["global"]);
  full_image.size_px = Whole(full["input"]["size_px"]);
  full_image.max_patches = Whole(full["views"]["max_patches"]);
  const cv::FileNode aggregate = full["aggregate"];
  full_image.bias = Number(aggregate["bias"]);
  full_image.mean = Number(aggregate["mean"]);
  full_image.low = Number(aggregate["low"]);
  full_image.low_part = Whole(aggregate["low_part"]);
  full_image.global = Number(aggregate["global"]);
  full_image.scale = Number(full["calibration"]["scale"]);
  full_image.offset = Number(full["calibration"]["offset"]);

  const cv::FileStorage finder = Open("face_detector");
  FaceDetectorModel& detector = config.face_detector;
  detector.path = Folder("face_detector") + Text(finder["file"]);
  detector.scores_output = Text(finder["outputs"]["scores"]);
  detector.boxes_output = Text(finder["outputs"]["boxes"]);
  detector.points_output = Text(finder["outputs"]["points"]);
  detector.long_side_px = Whole(finder["input"]["long_side_px"]);
  detector.multiple = Whole(finder["input"]["multiple"]);
  detector.score_threshold = static_cast<float>(Number(finder["detect"]["score_threshold"]));
  detector.nms_iou = static_cast<float>(Number(finder["detect"]["nms_iou"]));
  detector.max_faces = Whole(finder["detect"]["max_faces"]);

  const cv::FileStorage specialist = Open("face_specialist");
  FaceSpecialistModel& face = config.face_specialist;
  face.path = Folder("face_specialist") + Text(specialist["file"]);
  face.logit_output = Text(specialist["outputs"]["logit"]);
  face.size_px = Whole(specialist["input"]["size_px"]);
  for (int i = 0; i < 5; ++i) {
    const cv::FileNode point = specialist["crop"]["template"][i];
    face.crop_template[i] = {Number(point[0]), Number(point[1])};
  }
  face.scale = Number(specialist["calibration"]["scale"]);
  face.offset = Number(specialist["calibration"]["offset"]);
  return config;
}

}  // namespace telltale
