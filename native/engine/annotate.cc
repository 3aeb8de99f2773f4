// Drawing heat map, face boxes, enlarged faces and caption with OpenCV.
#include "engine/annotate.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "inference/preprocess.h"

namespace telltale {
namespace {

// RGB colours for suspicious and harmless faces, which people with red-green colour blindness can
// distinguish.
const cv::Scalar kAlarm(230, 57, 70);
const cv::Scalar kCalm(69, 160, 220);
const cv::Scalar kInk(255, 255, 255);
const cv::Scalar kEdge(20, 20, 24);
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
// Maximum opacity of the heat map, so that the image stays visible below it.
constexpr double kAlarmOpacity = 0.6;
// Minimum score of a heat map cell that is drawn. Chosen because among cells of genuine validation images,
// 7% score above 0.6 and 14% above 0.5.
constexpr double kMinHeat = 0.6;

cv::Mat Wrap(Image& image) { return {image.height, image.width, CV_8UC3, image.pixels.data()}; }

// Widths of lines and text, scaled so that text is readable when the image is shown at page width.
struct Style {
  explicit Style(const cv::Size& size)
      : text_scale(std::clamp(std::max(size.width, size.height) / 1400.0, 0.45, 2.0)),
        line(std::max(2, static_cast<int>(std::lround(text_scale * 3)))),
        padding(static_cast<int>(std::lround(text_scale * 12))) {}
  double text_scale;
  int line;
  int padding;
};

// Draws a translucent heat map. Opacity grows with the score and blends across cell borders. It is not
// stretched to the image's own maximum, so a harmless image stays clean.
void DrawHeat(cv::Mat& canvas, const std::vector<PatchScore>& patches, double scale) {
  cv::Mat opacity = cv::Mat::zeros(canvas.size(), CV_32F);
  const cv::Rect all(0, 0, canvas.cols, canvas.rows);
  int side = 0;
  for (const PatchScore& patch : patches) {
    // Rounds the corners of cells instead of their sizes, so that adjacent cells still touch.
    const auto at = [&](int x, int y) { return cv::Point(cvRound(x * scale), cvRound(y * scale)); };
    const Box& box = patch.box;
    const cv::Rect area = cv::Rect(at(box.x, box.y), at(box.x + box.width, box.y + box.height)) & all;
    if (area.empty()) continue;
    const double suspicion = std::max(0.0, patch.score - kMinHeat) / (1 - kMinHeat);
    opacity(area).setTo(kAlarmOpacity * suspicion);
    side = std::max(side, std::max(area.width, area.height));
  }
  cv::GaussianBlur(opacity, opacity, cv::Size(), std::max(1.0, side / 3.0));
  for (int y = 0; y < canvas.rows; ++y) {
    auto* pixel = canvas.ptr<cv::Vec3b>(y);
    const float* opacities = opacity.ptr<float>(y);
    for (int x = 0; x < canvas.cols; ++x) {
      for (int c = 0; c < 3; ++c) {
        pixel[x][c] = cv::saturate_cast<uchar>(pixel[x][c] * (1 - opacities[x]) + kAlarm[c] * opacities[x]);
      }
    }
  }
}

// Draws a filled box with a line of text at (`left`, `top`), or moved so that it lies inside the image.
void DrawPlate(cv::Mat& canvas, const std::string& text, int left, int top, const cv::Scalar& fill,
               const Style& style) {
  int baseline = 0;
  const int weight = std::max(1, style.line / 2);
  const cv::Size size = cv::getTextSize(text, kFont, style.text_scale, weight, &baseline);
  const int width = size.width + 2 * style.padding;
  const int height = size.height + baseline + style.padding;
  left = std::clamp(left, 0, std::max(0, canvas.cols - width));
  top = std::clamp(top, 0, std::max(0, canvas.rows - height));
  const cv::Rect plate = cv::Rect(left, top, width, height) & cv::Rect(0, 0, canvas.cols, canvas.rows);
  cv::Mat area = canvas(plate);
  cv::Mat(area * 0.15 + fill * 0.85).copyTo(area);
  const cv::Point origin(left + style.padding, top + style.padding / 2 + size.height);
  cv::putText(canvas, text, origin, kFont, style.text_scale, kInk, weight, cv::LINE_AA);
}

// Shortens `text` to fit into `width` pixels. Shortened text ends in dots.
std::string Fit(const std::string& text, int width, const Style& style) {
  const auto fits = [&](const std::string& candidate) {
    int baseline = 0;
    return cv::getTextSize(candidate, kFont, style.text_scale, std::max(1, style.line / 2), &baseline)
               .width <= width;
  };
  if (fits(text)) return text;
  size_t length = text.size();
  while (length > 0 && !fits(text.substr(0, length) + "...")) --length;
  return text.substr(0, length) + "...";
}

void DrawFace(cv::Mat& canvas, const LabelledFace& face, double scale, const Style& style) {
  const cv::Scalar& colour = face.alarm ? kAlarm : kCalm;
  const cv::Rect box(
      cv::Rect2d(face.box.x * scale, face.box.y * scale, face.box.width * scale, face.box.height * scale));
  cv::rectangle(canvas, box, kEdge, style.line + 2, cv::LINE_AA);
  cv::rectangle(canvas, box, colour, style.line, cv::LINE_AA);
  if (face.label.empty()) return;
  const int plate_height = static_cast<int>(std::lround(style.text_scale * 30)) + style.padding;
  const bool above = box.y >= plate_height;
  DrawPlate(canvas, Fit(face.label, canvas.cols - 2 * style.padding, style), box.x,
            above ? box.y - plate_height : box.y + box.height, colour * 0.8, style);
}

// Maximum number of enlarged faces.
constexpr size_t kMaxEnlarged = 3;
// Size of the enlarged part relative to the face box, so that the whole head is visible.
constexpr double kFaceMargin = 1.5;

// Returns the boxes of the faces to enlarge: the first flagged ones.
std::vector<Box> FindFlagged(const std::vector<LabelledFace>& faces) {
  std::vector<Box> flagged;
  for (const LabelledFace& face : faces) {
    if (face.alarm && flagged.size() < kMaxEnlarged) flagged.push_back(face.box);
  }
  return flagged;
}

// Size of an enlarged face next to an image of `size`: together, `count` of them are as high as the image.
cv::Size2d TileSize(const cv::Size2d& size, size_t count) {
  const double height = size.height / static_cast<double>(count);
  return {std::min(size.width, height), height};
}

// Returns the part of an image of `size` around a face that fills a tile of the aspect ratio of `tile`.
cv::Rect PartAround(const Box& face, const cv::Size2d& tile, const cv::Size& size) {
  const double scale = std::min({kFaceMargin * std::max(face.width / tile.width, face.height / tile.height),
                                 size.width / tile.width, size.height / tile.height});
  const int width = std::clamp(cvRound(tile.width * scale), 1, size.width);
  const int height = std::clamp(cvRound(tile.height * scale), 1, size.height);
  return {std::clamp(face.x + (face.width - width) / 2, 0, size.width - width),
          std::clamp(face.y + (face.height - height) / 2, 0, size.height - height), width, height};
}

// Returns `drawn` with the flagged faces of `image` enlarged to its right.
Image AddFaces(const Image& image, const Image& drawn, const std::vector<Box>& faces, const Style& style) {
  const int count = static_cast<int>(faces.size());
  const cv::Size2d tile = TileSize(cv::Size2d(drawn.width, drawn.height), faces.size());
  Image wide;
  wide.height = drawn.height;
  wide.width = drawn.width + std::max(1, cvRound(tile.width));
  wide.pixels.resize(static_cast<size_t>(wide.width) * wide.height * 3);
  cv::Mat canvas = Wrap(wide);
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat(drawn.height, drawn.width, CV_8UC3, const_cast<uint8_t*>(drawn.pixels.data()))
      .copyTo(canvas.colRange(0, drawn.width));
  for (int at = 0; at < count; ++at) {
    const cv::Rect place(cv::Point(drawn.width, drawn.height * at / count),
                         cv::Point(wide.width, drawn.height * (at + 1) / count));
    if (place.empty()) continue;
    const cv::Mat part = source(PartAround(faces[at], tile, source.size()));
    const bool shrinks = part.cols > place.width;
    cv::Mat area = canvas(place);
    cv::resize(part, area, place.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_CUBIC);
    cv::rectangle(canvas, place, kAlarm, style.line);
  }
  return wide;
}

}  // namespace

Image ShrinkToLongSide(const Image& image, int long_side_px) {
  const int long_side = std::max(image.width, image.height);
  if (long_side <= long_side_px) return image;
  const double scale = static_cast<double>(long_side_px) / long_side;
  Image small;
  small.width = std::max(1, static_cast<int>(std::lround(image.width * scale)));
  small.height = std::max(1, static_cast<int>(std::lround(image.height * scale)));
  small.pixels.resize(static_cast<size_t>(small.width) * small.height * 3);
  ResizeInto(image, small.width, small.height, static_cast<size_t>(small.width) * 3, small.pixels.data());
  return small;
}

Image Draw(const Image& image, const Annotation& annotation) {
  const std::vector<Box> flagged = FindFlagged(annotation.faces);
  const cv::Size2d size(image.width, image.height);
  const double width = size.width + (flagged.empty() ? 0 : TileSize(size, flagged.size()).width);
  const double share = std::max(size.width, size.height) / std::max(width, size.height);
  Image drawn = ShrinkToLongSide(image, std::max(1, static_cast<int>(annotation.long_side_px * share)));
  const double scale = static_cast<double>(drawn.width) / image.width;
  cv::Mat canvas = Wrap(drawn);
  const Style style(canvas.size());
  if (!annotation.patches.empty()) DrawHeat(canvas, annotation.patches, scale);
  for (const LabelledFace& face : annotation.faces) DrawFace(canvas, face, scale, style);
  if (!flagged.empty()) {
    drawn = AddFaces(image, drawn, flagged, style);
    canvas = Wrap(drawn);
  }
  if (!annotation.caption.empty()) {
    DrawPlate(canvas, Fit(annotation.caption, canvas.cols - 2 * style.padding, style), 0, 0, kEdge, style);
  }
  return drawn;
}

}  // namespace telltale
