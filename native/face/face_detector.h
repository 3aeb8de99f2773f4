// Face detection: from an image to the network's input, and from its outputs to boxes and landmarks.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "base/status.h"
#include "face/face.h"
#include "image/image.h"
#include "inference/session.h"

namespace telltale {

// Settings of the face detector from the model manifest.
struct FaceDetectorModel {
  std::string path;
  std::string scores_output;
  std::string boxes_output;
  std::string points_output;
  int long_side_px = 0;       // the image's longer side is shrunk to this length
  int multiple = 0;           // both sides of the input are multiples of this number
  float score_threshold = 0;  // 0..1
  float nms_iou = 0;          // 0..1; of two boxes that overlap more, the weaker is dropped
  int max_faces = 0;
  TELLTALE_FIELDS(path, scores_output, boxes_output, points_output, long_side_px, multiple, score_threshold,
                  nms_iou, max_faces)
};

// The face detector's input, and how much the image was shrunk for it.
struct DetectorInput {
  PixelBatch pixels;  // one row
  double scale = 1;   // input pixels per image pixel, 0..1
};

// Shrinks `image` (never enlarges it) and pads it with zeros at the right and bottom. If `square` is true,
// pads both sides to long_side_px, so that every image has the same input size. The position of the image
// within the input follows models/training/SPECIFICATION.md, "Face decoding".
DetectorInput MakeDetectorInput(const Image& image, const FaceDetectorModel& model, bool square);

// Returns the faces in image pixels, strongest first. Applies the threshold and non-maximum suppression.
// `outputs` holds scores [1,A], boxes [1,A,4] and points [1,A,10], in this order. Boxes are clipped to the
// image, and empty boxes are dropped. Error: kInternalError if the outputs have other shapes.
Result<std::vector<Face>> DecodeFaces(const Outputs& outputs, const DetectorInput& input, int image_width,
                                      int image_height, const FaceDetectorModel& model);

}  // namespace telltale
