// Cutting a face out of an image, rotated and scaled so that eyes, nose and mouth lie at fixed positions.
#pragma once

#include <array>

#include "base/fields.h"
#include "face/face.h"
#include "image/image.h"
#include "inference/calibrated_head.h"

namespace telltale {

// Column of the encoder's output that separates photographed faces from drawn faces and false detections. A
// photographed face has a logit of at least `least_logit`.
struct FaceConfirmation {
  int column = 0;
  double least_logit = 0;
  TELLTALE_FIELDS(column, least_logit)
};

// Weights for combining the faces of one image. ScoreFaces describes the formula.
struct FaceAggregation {
  double penalty = 1;   // log odds that one of n faces loses, as a multiple of ln(n)
  double contrast = 0;  // weight of the other faces' manipulation, subtracted from a face
  double genuine = 0;   // log odds of manipulation of a genuine face, the zero point of `contrast`
  TELLTALE_FIELDS(penalty, contrast, genuine)
};

// Settings of the face specialist, the network that judges faces, from the model manifest.
struct FaceSpecialistModel {
  int size_px = 0;          // side of the crop
  Landmarks crop_template;  // target positions of the five points, 0..1 of the crop
  CalibratedHead manipulated;
  CalibratedHead generated;
  FaceConfirmation confirm;
  FaceAggregation aggregation;
  TELLTALE_FIELDS(size_px, crop_template, manipulated, generated, confirm, aggregation)
};

// A 2x3 matrix [a -b tx; b a ty] that rotates, scales and moves points, without mirroring.
using Similarity = std::array<double, 6>;

// Returns the matrix that maps the points `from` as near as possible to `to`, by least squares. If all points
// of `from` coincide, the matrix only moves. Method: S. Umeyama, "Least-squares estimation of transformation
// parameters between two point patterns", IEEE TPAMI 13(4), 1991, in two dimensions.
Similarity EstimateSimilarity(const Landmarks& from, const Landmarks& to);

// Returns the matrix that converts positions in the image to positions in the face's crop.
Similarity EstimateCrop(const Landmarks& points, const FaceSpecialistModel& model);

// Writes the aligned crop of a face to `crop`, uint8 [size_px, size_px, 3], as
// models/training/SPECIFICATION.md defines it ("Face crop"). The image is shrunk by area averaging and warped
// bilinearly. Beyond the image, its outermost pixels are repeated. Throws cv::Exception.
void CropFace(const Image& image, const Landmarks& points, const FaceSpecialistModel& model, uint8_t* crop);

}  // namespace telltale
