// Reading the models' manifests as the product does: its TypeScript prints them, and OpenCV reads the JSON.
#include "tests/real_models.h"

#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>

namespace telltale {
namespace {

std::string EnvironmentOr(const char* name, const char* other) {
  const char* given = std::getenv(name);
  return given != nullptr ? given : other;
}

// Returns the output of scripts/print-models.mjs.
std::string PrintModels() {
  const std::string command = "cd '" TELLTALE_SOURCE_DIR "' && '" +
                              EnvironmentOr("npm_node_execpath", "node") +
                              "' --import tsx scripts/print-models.mjs '" +
                              EnvironmentOr("TELLTALE_MODELS_DIR", TELLTALE_SOURCE_DIR "/models") + "'";
  std::string text;
  std::FILE* output = popen(command.c_str(), "r");
  char piece[4096];
  for (size_t size = 1; output != nullptr && size > 0; text.append(piece, size)) {
    size = std::fread(piece, 1, sizeof piece, output);
  }
  if (output == nullptr || pclose(output) != 0) {
    std::fprintf(stderr, "the models can't be read: %s\n", command.c_str());
    std::abort();
  }
  return text;
}

void Read(const cv::FileNode& node, std::string* out) { *out = static_cast<std::string>(node); }

void Read(const cv::FileNode& node, Point* out) {
  *out = {static_cast<double>(node[0]), static_cast<double>(node[1])};
}

template <typename T>
  requires(std::is_arithmetic_v<T>)
void Read(const cv::FileNode& node, T* out) {
  *out = static_cast<T>(static_cast<double>(node));
}

template <typename T>
void Read(const cv::FileNode& node, std::vector<T>* out);
template <typename T>
void Read(const cv::FileNode& node, std::optional<T>* out);
template <typename T>
  requires requires { T::kFieldNames; }
void Read(const cv::FileNode& node, T* out);

template <typename T, size_t size>
void Read(const cv::FileNode& node, std::array<T, size>* out) {
  for (size_t i = 0; i < size; ++i) Read(node[static_cast<int>(i)], &(*out)[i]);
}

template <typename T>
void Read(const cv::FileNode& node, std::vector<T>* out) {
  out->resize(node.size());
  for (size_t i = 0; i < out->size(); ++i) Read(node[static_cast<int>(i)], &(*out)[i]);
}

template <typename T>
void Read(const cv::FileNode& node, std::optional<T>* out) {
  if (!node.empty()) Read(node, &out->emplace());
}

template <typename T>
  requires requires { T::kFieldNames; }
void Read(const cv::FileNode& node, T* out) {
  const std::vector<std::string> names = ToCamelCase(T::kFieldNames);
  auto name = names.begin();
  std::apply([&](auto&... fields) { (Read(node[*name++], &fields), ...); }, out->Fields());
}

}  // namespace

EngineConfig RealModels() {
  static const std::string text = PrintModels();
  const cv::FileStorage models(
      text, cv::FileStorage::READ | cv::FileStorage::MEMORY | cv::FileStorage::FORMAT_JSON);
  EngineConfig config;
  Read(models["encoder"], &config.encoder);
  Read(models["fullImage"], &config.full_image);
  Read(models["faceDetector"], &config.face_detector);
  Read(models["faceSpecialist"], &config.face_specialist);
  config.device = Device::kCpu;
  config.threads = 2;
  return config;
}

}  // namespace telltale
