// Inspection of one image: bytes -> image -> faces -> scores.
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

// An inspection that keeps itself alive through its callbacks. It blocks no thread while its rows are in a
// batcher. Begin and the second step, which follows the face detector's output, run on decode threads. The
// encoder's outputs are processed on the threads that deliver them. Done is called once, on the thread that
// finishes last.
class InspectionJob : public std::enable_shared_from_this<InspectionJob> {
 public:
  using Done = std::function<void(Result<Inspection>)>;
  // Schedules a step on a decode thread.
  using PostStep = std::function<void(std::function<void()> step)>;

  // Starts measuring the queue time. `networks` must outlive the job; `bytes` must stay valid until `done` is
  // called.
  InspectionJob(const Networks& networks, Bytes bytes, InspectionOptions options,
                std::shared_ptr<const Cancellation> cancellation, PostStep post_step, Done done);

  // Decodes the image and submits the crops and the face detector's input. Keeps `permit` until the pixels
  // are freed, after the second step.
  void Begin(WorkerPool::Permit permit);

 private:
  // Data shared by both steps.
  struct Held {
    WorkerPool::Permit permit;
    Image image;  // destroyed before the permit
  };
  using HeldPtr = std::shared_ptr<const Held>;

  // Runs a step to its end and counts it as a finished part.
  void RunStep(const std::function<Status()>& step);
  Status Prepare(WorkerPool::Permit permit);
  // The whole image or one embedded image.
  struct Area {
    Area(const Box& box, const Image& pixels, const EngineConfig& config);

    Box box;
    CropEvidence crops;
    size_t stage = 0;  // current stage of the crops
    Inspection found;  // filled by ScoreStage; the chosen area's result is copied to `inspection_`
  };

  void CutAreas(const Image& image);
  // Submits the crops of the area's stage that the encoder has not seen.
  void SubmitCrops(Area& area);
  // Starts the next stage unless this stage settles the score.
  void EndStage(Area& area);
  // Joins the results of all areas. Requires that all crops are scored.
  void JoinAreas();
  // Submits the face detector's input. The second step takes the detector's output.
  void SubmitToDetector(HeldPtr held);
  // Second step: cuts out the faces and submits them.
  Status TakeFaces(HeldPtr held, const Result<Outputs>& outputs);
  // Submits as many candidates as there are free places for scored faces. A candidate that the encoder
  // rejects frees its place for the next smaller one, so that a herd of animals does not hide a person among
  // them.
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
