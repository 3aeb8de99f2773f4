// Manifests to structs, by OpenCV's JSON reader.
#include "real_models.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

std::string Folder(const char* id) {
  const char* given = std::getenv("TELLTALE_MODELS_DIR");
  return std::string(given != nullptr ? given : TELLTALE_SOURCE_DIR "/models") + "/" + id + "/";
}

cv::FileStorage Open(const char* id) {
  std::ifstream stream(Folder(id) + "manifest.json");
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (text.empty()) {
    std::fprintf(stderr, "no manifest in %s\n", Folder(id).c_str());
    std::abort();
  }
  // OpenCV's parser knows no null, which stands for native resolution.
  for (size_t at = 0; (at = text.find(": null", at)) != std::string::npos;) text.replace(at, 6, ": 0");
  return {text, cv::FileStorage::READ | cv::FileStorage::MEMORY | cv::FileStorage::FORMAT_JSON};
}

std::string Text(const cv::FileNode& node) { return static_cast<std::string>(node); }
double Number(const cv::FileNode& node) { return static_cast<double>(node); }
int Whole(const cv::FileNode& node) { return static_cast<int>(node); }

}  // namespace

EngineConfig RealModels() {
  EngineConfig config;
  config.device = Device::kCpu;
  config.threads = 2;

  const cv::FileStorage encoder_file = Open("encoder");
  EncoderModel& encoder = config.encoder;
  encoder.cpu_path = Folder("encoder") + Text(encoder_file["files"]["cpu"]["file"]);
  encoder.gpu_path = Folder("encoder") + Text(encoder_file["files"]["gpu"]["file"]);
  encoder.logits_output = Text(encoder_file["outputs"]["logits"]);
  encoder.tokens_output = Text(encoder_file["outputs"]["tokens"]);
  std::vector<std::string> columns;
  for (const cv::FileNode& column : encoder_file["outputs"]["columns"]) columns.push_back(Text(column));
  encoder.columns = static_cast<int>(columns.size());
  encoder.size_px = Whole(encoder_file["input"]["size_px"]);
  const auto find_column = [&](const cv::FileNode& name) {
    return static_cast<int>(std::find(columns.begin(), columns.end(), Text(name)) - columns.begin());
  };

  const auto read_head = [&](const cv::FileNode& head) {
    return CalibratedHead{find_column(head["column"]), Number(head["scale"]), Number(head["offset"])};
  };

  const cv::FileStorage full = Open("full_image_specialist");
  config.full_image.drawn = read_head(full["drawn"]);
  CropStage all;
  std::vector<std::string> domain_types;
  for (const cv::FileNode& type : full["drawn"]["kinds"]) domain_types.push_back(Text(type));
  const cv::FileNode part = full["part"];
  config.full_image.embedded_images = {Whole(full["panels"]["least_px"]),
                                       Number(full["panels"]["drawn_odds"])};
  for (const cv::FileNode& plan : full["plans"]) {
    if (Whole(plan["views"]) != Whole(full["default_views"])) continue;
    all.bias = Number(plan["bias"]);
    for (const cv::FileNode& judged : plan["kinds"]) {
      const cv::FileNode type = full["kinds"][judged.name()];
      if (judged.name() == Text(part["kind"])) {
        const auto by_domain = [&](const char* name) {
          return std::array<double, 2>{Number(part["photographed"][name]), Number(part["drawn"][name])};
        };
        config.full_image.region = {static_cast<int>(config.full_image.crop_types.size()),
                                    Whole(part["side"]), by_domain("scale"), by_domain("offset")};
      }
      config.full_image.crop_types.push_back(
          {{Whole(type["short_side_px"]), Whole(judged["count"])},
           find_column(type["column"]),
           std::count(domain_types.begin(), domain_types.end(), judged.name()) > 0});
      all.shares.push_back({Whole(judged["count"]), Number(judged["weight"])});
    }
  }
  // All crops of every image, as where a number of crops is asked for.
  config.full_image.stages = {all};

  const cv::FileStorage detector_file = Open("face_detector");
  FaceDetectorModel& detector = config.face_detector;
  detector.path = Folder("face_detector") + Text(detector_file["file"]);
  detector.scores_output = Text(detector_file["outputs"]["scores"]);
  detector.boxes_output = Text(detector_file["outputs"]["boxes"]);
  detector.points_output = Text(detector_file["outputs"]["points"]);
  detector.long_side_px = Whole(detector_file["input"]["long_side_px"]);
  detector.multiple = Whole(detector_file["input"]["multiple"]);
  detector.score_threshold = static_cast<float>(Number(detector_file["detect"]["score_threshold"]));
  detector.nms_iou = static_cast<float>(Number(detector_file["detect"]["nms_iou"]));
  detector.max_faces = Whole(detector_file["detect"]["max_faces"]);

  const cv::FileStorage specialist = Open("face_specialist");
  FaceSpecialistModel& face = config.face_specialist;
  face.size_px = Whole(specialist["size_px"]);
  for (int i = 0; i < 5; ++i) {
    const cv::FileNode point = specialist["crop"]["template"][i];
    face.crop_template[i] = {Number(point[0]), Number(point[1])};
  }
  face.manipulated = read_head(specialist["heads"]["manipulated"]);
  face.generated = read_head(specialist["heads"]["generated"]);
  face.confirm = {find_column(specialist["confirm"]["column"]), Number(specialist["confirm"]["least_logit"])};
  const cv::FileNode aggregation = specialist["joining"];
  face.aggregation = {Number(aggregation["sharing"]), Number(aggregation["contrast"]),
                      Number(aggregation["genuine"])};
  return config;
}

}  // namespace telltale
