// Checking one image, from the bytes of the file to the scores of the image and its faces.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cancellation.h"
#include "base/fields.h"
#include "base/worker_pool.h"
#include "engine/inspection.h"
#include "engine/networks.h"
#include "image/image.h"

namespace telltale {

// Optional outputs of an inspection.
struct InspectionOptions {
  int preview_px = 0;     // longer side of the preview; 0: no preview
  bool heat_map = false;  // needs all crops to pass through the encoder
  bool hash_scene = false;
  TELLTALE_FIELDS(preview_px, heat_map, hash_scene)
};

// The check of one image. Its callbacks keep it alive. It blocks no thread while a network works on its
// crops. Decoding the image, and cutting out the detected faces, run on decode threads. The encoder's outputs
// are processed on the threads that deliver them. Done is called once, on the thread that finishes last.
class InspectionJob : public std::enable_shared_from_this<InspectionJob> {
 public:
  using Done = std::function<void(Result<Inspection>)>;
  // Function that runs the given step on a decode thread.
  using PostStep = std::function<void(std::function<void()> step)>;

  // Starts measuring how long the image waits for a thread. `networks` must outlive the job. `bytes` must
  // stay valid until `done` is called.
  InspectionJob(const Networks& networks, Bytes bytes, InspectionOptions options,
                std::shared_ptr<const Cancellation> cancellation, PostStep post_step, Done done);

  // Decodes the image, and submits the crops and the face detector's input. Keeps `permit`, the right to the
  // image's memory, until the pixels are freed after the faces are cut out.
  void Begin(WorkerPool::Permit permit);

 private:
  // Data that both steps need: decoding, and cutting out faces.
  struct Held {
    WorkerPool::Permit permit;
    Image image;  // destroyed before the permit
  };
  using HeldPtr = std::shared_ptr<const Held>;

  // Runs a step to its end and counts it as finished work.
  void RunStep(const std::function<Status()>& step);
  Status Prepare(WorkerPool::Permit permit);
  // The whole image, or one embedded image of a collage.
  struct Area {
    Area(const Box& box, const Image& pixels, const EngineConfig& config);

    Box box;
    CropEvidence crops;
    size_t stage = 0;  // current stage of the crops
    Inspection found;  // filled by ScoreStage; the chosen area's result is copied to `inspection_`
  };

  void CutAreas(const Image& image);
  // Submits the crops that the area's current stage needs and that the encoder has not seen.
  void SubmitCrops(Area& area);
  // Starts the next stage, which scores more crops, unless the score is already clear.
  void EndStage(Area& area);
  // Joins the results of the whole image and its embedded images. Requires that all crops are scored.
  void JoinAreas();
  // Submits the face detector's input. TakeFaces receives the detector's output.
  void SubmitToDetector(HeldPtr held);
  // Cuts out the detected faces and submits them to the encoder.
  Status TakeFaces(HeldPtr held, const Result<Outputs>& outputs);
  // Submits as many detected faces as may still be scored. For each one that the encoder rejects, the next
  // smaller one is submitted, so that a herd of animals does not hide a person.
  void SubmitCandidates();
  void AddPreview(const Image& image);
  // Submits `rows` of `pixels` to the encoder. `score` processes the outputs and may submit more rows.
  void SubmitRows(const PixelBatch& pixels, const std::vector<int>& rows,
                  std::function<Status(const Outputs&)> score);
  void SubmitPart(Batcher& batcher, PixelBatch pixels, Batcher::Done done);
  void Fail(Status status);
  void FinishPart();

  const Networks& networks_;
  const Bytes bytes_;
  const InspectionOptions options_;
  const std::shared_ptr<const Cancellation> cancellation_;
  const PostStep post_step_;
  const Done done_;
  const TimePoint asked_;
  DetectorInput detector_input_;  // without its pixels, which were submitted
  TimePoint faces_start_;
  TimePoint handed_in_;      // time at which the first tensor was submitted
  Inspection inspection_;    // each part writes different members
  std::vector<Area> areas_;  // the whole image, then its embedded images; unchanged once crops are submitted
  std::vector<Face> candidates_;  // largest first
  PixelBatch candidate_pixels_;   // one row per candidate
  size_t candidates_submitted_ = 0;
  std::vector<FaceEvidence> confirmed_;
  std::atomic<int> parts_left_ = 1;  // unfinished steps and encoder submissions
  std::mutex mutex_;                 // guards status_
  Status status_;                    // the first failure
};

}  // namespace telltale
