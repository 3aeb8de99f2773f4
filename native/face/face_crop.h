// Cuts an aligned face out of an image.
#pragma once

#include <array>

#include "base/fields.h"
#include "face/face.h"
#include "image/image.h"
#include "inference/calibrated_head.h"

namespace telltale {

// The column that tells a photographed face from drawn ones and from all else that the detector took for a
// face. `least_logit` is the lowest logit of a photographed one.
struct FaceConfirmation {
  int column = 0;
  double least_logit = 0;
  TELLTALE_FIELDS(column, least_logit)
};

// How the faces of one image weigh on each other: see ScoreFaces.
struct FaceAggregation {
  double penalty = 1;   // of ln(n) that a face of n gives away
  double contrast = 0;  // how much of the others' mean is held against a face
  double genuine = 0;   // log odds of manipulation of a genuine face: what the others' are measured from
  TELLTALE_FIELDS(penalty, contrast, genuine)
};

// The manifest's numbers.
struct FaceSpecialistModel {
  int size_px = 0;          // side of the crop
  Landmarks crop_template;  // where the five points belong, 0..1 of the crop
  CalibratedHead manipulated;
  CalibratedHead generated;
  FaceConfirmation confirm;
  FaceAggregation aggregation;
  TELLTALE_FIELDS(size_px, crop_template, manipulated, generated, confirm, aggregation)
};

// A 2x3 matrix [a -b tx; b a ty] that turns, scales and moves, without mirroring.
using Similarity = std::array<double, 6>;

// The similarity that takes `from` nearest to `to` in the least-squares sense. Where all points of `from`
// coincide it only moves. Source of the method: S. Umeyama, "Least-squares estimation of transformation
// parameters between two point patterns", IEEE TPAMI 13(4), 1991, in two dimensions.
Similarity EstimateSimilarity(const Landmarks& from, const Landmarks& to);

// The matrix that takes pixels of the image to pixels of the crop.
Similarity EstimateCrop(const Landmarks& points, const FaceSpecialistModel& model);

// Writes the aligned crop of `points` to `crop`, uint8 [size_px, size_px, 3], as
// models/training/SPECIFICATION.md ("Face crop") says. It is shrunk by area and warped bilinearly;
// edges are repeated beyond the image.
// Throws cv::Exception.
void CropFace(const Image& image, const Landmarks& points, const FaceSpecialistModel& model, uint8_t* crop);

}  // namespace telltale
