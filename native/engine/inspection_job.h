// One image's way through the engine: bytes -> image -> faces -> scores.
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

// What an inspection makes beside the scores.
struct InspectionOptions {
  int preview_px = 0;     // longer side of the preview; 0: none is made
  bool heat_map = false;  // for which the encoder sees all crops
  bool hash_scene = false;
  TELLTALE_FIELDS(preview_px, heat_map, hash_scene)
};

// Owns itself through the callbacks that hold it. It keeps no thread while its rows are in a batcher: Begin
// and, once the face detector has answered, a second step run on decode threads; the encoder's answers are
// taken on the threads that bring them. Done is called once, on the thread that finishes last.
class InspectionJob : public std::enable_shared_from_this<InspectionJob> {
 public:
  using Done = std::function<void(Result<Inspection>)>;
  // Runs a step on a decode thread, soon.
  using PostStep = std::function<void(std::function<void()> step)>;

  // `networks` must outlive the job, `bytes` the call of `done`. The queue's time counts from here.
  InspectionJob(const Networks& networks, Bytes bytes, InspectionOptions options,
                std::shared_ptr<const Cancellation> cancellation, PostStep post_step, Done done);

  // Decodes and hands in the crops and what the face detector sees. `permit` is kept until the pixels are
  // freed: after the second step.
  void Begin(WorkerPool::Permit permit);

 private:
  // What both steps work on.
  struct Held {
    WorkerPool::Permit permit;
    Image image;  // freed before the permit
  };
  using HeldPtr = std::shared_ptr<const Held>;

  // Runs a step to its end and counts it as a part.
  void RunStep(const std::function<Status()>& step);
  Status Prepare(WorkerPool::Permit permit);
  // The image as a whole, or an embedded image of it.
  struct Area {
    Area(const Box& box, const Image& pixels, const EngineConfig& config);

    Box box;
    CropEvidence crops;
    size_t stage = 0;  // of the crops
    Inspection found;  // what ScoreStage fills, of the one that is chosen `inspection_` takes it over
  };

  void CutAreas(const Image& image);
  // Hands in the crops of the area's stage that the encoder has not seen yet.
  void SubmitCrops(Area& area);
  // Goes on with the next stage where this one has no early exit.
  void EndStage(Area& area);
  // Adds what the crops of all areas said, when nothing more will be.
  void JoinAreas();
  // Hands in what the face detector sees of the image; the second step takes its answer.
  void SubmitToDetector(HeldPtr held);
  // The second step: cuts out the faces and hands them in.
  Status TakeFaces(HeldPtr held, const Result<Outputs>& outputs);
  // Hands in as many candidates as there are places for scored faces. A candidate that the encoder takes for
  // no face leaves its place to the next smaller one. So a herd of animals does not hide a person who stands
  // among it.
  void SubmitCandidates();
  void AddPreview(const Image& image);
  // Hands `rows` of `pixels` to the encoder; `score` takes what it says of them, and may hand in more.
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
  DetectorInput detector_input_;  // its pixels are away
  TimePoint faces_start_;
  TimePoint handed_in_;           // when the first tensor went to a batcher
  Inspection inspection_;         // each part writes members of its own
  std::vector<Area> areas_;       // the whole first, then its embedded images; fixed once crops are handed in
  std::vector<Face> candidates_;  // largest first
  PixelBatch candidate_pixels_;   // a row each
  size_t candidates_submitted_ = 0;
  std::vector<FaceEvidence> confirmed_;
  std::atomic<int> parts_left_ = 1;  // steps, and tensors that the encoder has
  std::mutex mutex_;                 // guards status_
  Status status_;                    // the first failure
};

}  // namespace telltale
