// The steps of an inspection, in order.
#include "engine/inspection_job.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <utility>

#include "image/decode.h"

namespace telltale {
namespace {

TimePoint Now() { return std::chrono::steady_clock::now(); }

double MillisecondsSince(TimePoint start) {
  return std::chrono::duration<double, std::milli>(Now() - start).count();
}

}  // namespace

InspectionJob::InspectionJob(const Networks& networks, Bytes bytes, std::shared_ptr<const Ticket> ticket,
                             Done done, InspectionWishes wishes)
    : networks_(networks),
      bytes_(bytes),
      ticket_(std::move(ticket)),
      done_(std::move(done)),
      wishes_(std::move(wishes)),
      asked_(Now()) {
  if (!wishes_.correction.empty()) round_ = networks_.config.full_image.rounds.size() - 1;
}

void InspectionJob::Begin() {
  inspection_.timings.queue = MillisecondsSince(asked_);
  try {
    if (Status status = Prepare(); !status.ok()) Fail(std::move(status));
  } catch (const std::exception& error) {  // OpenCV's, and memory that ran out
    Fail({StatusCode::kInternalError, std::string("the picture could not be processed: ") + error.what()});
  }
  FinishPart();
}

Status InspectionJob::Prepare() {
  if (Status status = ticket_->Check(Now()); !status.ok()) return status;
  const TimePoint decode_start = Now();
  const Result<Image> image = Decode(bytes_, *ticket_);
  if (!image.ok()) return image.status();
  inspection_.width = image.value().width;
  inspection_.height = image.value().height;
  inspection_.timings.decode = MillisecondsSince(decode_start);
  if (Status status = ticket_->Check(Now()); !status.ok()) return status;

  CutPicture(image.value());
  // Views first: idle threads run them while this one looks for faces.
  handed_in_ = Now();
  SubmitViews();
  const TimePoint faces_start = Now();
  if (Status status = FindFaces(image.value()); !status.ok()) return status;
  SubmitFinds();
  inspection_.timings.faces = MillisecondsSince(faces_start);
  if (wishes_.preview_px > 0) AddPreview(image.value());
  return {};
}

void InspectionJob::CutPicture(const Image& image) {
  const EngineConfig& config = networks_.config;
  std::vector<ViewKind> kinds;
  for (const JudgedKind& judged : config.full_image.kinds) kinds.push_back(judged.kind);
  views_.emplace(CutViews(image, kinds, config.encoder.size_px), config);
}

void InspectionJob::SubmitViews() {
  const std::vector<ViewRound>& rounds = networks_.config.full_image.rounds;
  // A heat map is of all views, at once. The score stays that of the round which would have been the last
  // without one.
  const std::vector<int> rows = MissingRows(*views_, wishes_.heat_map ? rounds.back() : rounds[round_]);
  if (rows.empty()) return EndRound();
  SubmitRows(views_->views.pixels, rows, [this, rows](const Outputs& outputs) {
    Status status = AddRows(outputs, rows, networks_.config, &*views_);
    if (status.ok()) EndRound();
    return status;
  });
}

void InspectionJob::EndRound() {
  const EngineConfig& config = networks_.config;
  if (ScoreRound(*views_, config.full_image.rounds[round_], wishes_.correction, config, &inspection_)) {
    inspection_.views = static_cast<int>(std::count(views_->seen.begin(), views_->seen.end(), true));
    if (wishes_.heat_map) AddPatches(*views_, config, &inspection_);
    return;
  }
  ++round_;
  SubmitViews();
}

Status InspectionJob::FindFaces(const Image& image) {
  const FaceDetectorModel& model = networks_.config.face_detector;
  const ThreadPlan& plan = networks_.plan;
  DetectorInput input = MakeDetectorInput(image, model, !plan.detector_buckets.empty());
  const Result<Outputs> outputs =
      networks_.detector->RunAndWait(std::move(input.pixels), ticket_, plan.batcher_threads == 0);
  if (!outputs.ok()) return outputs.status();
  const Result<std::vector<Face>> found =
      DecodeFaces(outputs.value(), input, image.width, image.height, model);
  if (!found.ok()) return found.status();
  finds_ = SelectFinds(found.value());
  const FaceSpecialistModel& specialist = networks_.config.face_specialist;
  find_pixels_ = PixelBatch(static_cast<int>(finds_.size()), specialist.size_px, specialist.size_px);
  for (int i = 0; i < find_pixels_.rows; ++i)
    CropFace(image, finds_[i].points, specialist, find_pixels_.row(i));
  return {};
}

void InspectionJob::SubmitFinds() {
  const size_t places = kMaxScoredFaces - confirmed_.size();
  const size_t first = finds_submitted_;
  const size_t count = std::min(places, finds_.size() - first);
  if (count == 0) {
    inspection_.faces = ScoreFaces(confirmed_, networks_.config.face_specialist.joining);
    return;
  }
  finds_submitted_ += count;
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<int>(first));
  const auto begin = finds_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Face> finds(begin, begin + static_cast<std::ptrdiff_t>(count));
  SubmitRows(find_pixels_, rows, [this, finds = std::move(finds)](const Outputs& outputs) {
    Status status = ConfirmFaces(outputs, finds, networks_.config, &confirmed_);
    if (status.ok()) SubmitFinds();
    return status;
  });
}

// Last, while other threads run what was handed in. Without one the inspection is whole all the same.
void InspectionJob::AddPreview(const Image& image) {
  Result<Preview> preview = MakePreview(image, wishes_.preview_px);
  if (preview.ok()) inspection_.preview = std::move(preview).value();
}

void InspectionJob::SubmitRows(const PixelBatch& pixels, const std::vector<int>& rows,
                               std::function<Status(const Outputs&)> score) {
  PixelBatch part(static_cast<int>(rows.size()), pixels.height, pixels.width);
  for (int i = 0; i < part.rows; ++i) std::copy_n(pixels.row(rows[i]), pixels.row_size(), part.row(i));
  parts_left_.fetch_add(1);
  networks_.encoder->Submit(std::move(part), ticket_,
                            [job = shared_from_this(), score = std::move(score)](Result<Outputs> outputs) {
                              Status status = outputs.ok() ? score(outputs.value()) : outputs.status();
                              if (!status.ok()) job->Fail(std::move(status));
                              job->FinishPart();
                            });
}

void InspectionJob::Fail(Status status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(status);
}

void InspectionJob::FinishPart() {
  if (parts_left_.fetch_sub(1) > 1) return;
  if (!status_.ok()) return done_(status_);
  inspection_.timings.inference = MillisecondsSince(handed_in_);
  done_(std::move(inspection_));
}

}  // namespace telltale
