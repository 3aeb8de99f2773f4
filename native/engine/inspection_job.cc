// The steps of checking one image, in their order.
#include "engine/inspection_job.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <utility>

#include "crops/embedded_images.h"
#include "image/decode.h"

namespace telltale {
namespace {

TimePoint Now() { return std::chrono::steady_clock::now(); }

double MillisecondsSince(TimePoint start) {
  return std::chrono::duration<double, std::milli>(Now() - start).count();
}

std::vector<CropType> CropTypesOf(const FullImageModel& model) {
  std::vector<CropType> crop_types;
  for (const JudgedCropType& judged : model.crop_types) crop_types.push_back(judged);
  return crop_types;
}

}  // namespace

InspectionJob::InspectionJob(const Networks& networks, Bytes bytes, InspectionOptions options,
                             std::shared_ptr<const Cancellation> cancellation, PostStep post_step, Done done)
    : networks_(networks),
      bytes_(bytes),
      options_(options),
      cancellation_(std::move(cancellation)),
      post_step_(std::move(post_step)),
      done_(std::move(done)),
      asked_(Now()) {}

InspectionJob::Area::Area(const Box& box, const Image& pixels, const EngineConfig& config)
    : box(box), crops(CutCrops(pixels, CropTypesOf(config.full_image), config.encoder.size_px), config) {
  found.width = pixels.width;
  found.height = pixels.height;
}

void InspectionJob::Begin(WorkerPool::Permit permit) {
  inspection_.timings.queue = MillisecondsSince(asked_);
  RunStep([&] { return Prepare(std::move(permit)); });
}

void InspectionJob::RunStep(const std::function<Status()>& step) {
  try {
    if (Status status = step(); !status.ok()) Fail(std::move(status));
  } catch (const std::bad_alloc&) {
    Fail(Status(StatusCode::kInternalError, kOutOfMemory));
  } catch (const std::exception& error) {  // thrown by OpenCV
    Fail({StatusCode::kInternalError, std::string("the image could not be processed: ") + error.what()});
  }
  FinishPart();
}

Status InspectionJob::Prepare(WorkerPool::Permit permit) {
  if (Status status = cancellation_->Check(Now()); !status.ok()) return status;
  const TimePoint decode_start = Now();
  Result<Image> decoded = Decode(bytes_, *cancellation_);
  if (!decoded.ok()) return decoded.status();
  const auto held = std::make_shared<const Held>(Held{std::move(permit), std::move(decoded).value()});
  const Image& image = held->image;
  inspection_.width = image.width;
  inspection_.height = image.height;
  inspection_.is_transparent = image.is_transparent;
  inspection_.colours = FindColours(image);
  inspection_.timings.decode = MillisecondsSince(decode_start);
  if (Status status = cancellation_->Check(Now()); !status.ok()) return status;

  CutAreas(image);
  // Crops are submitted first, so that idle threads work on them while this thread goes on.
  handed_in_ = Now();
  for (Area& area : areas_) SubmitCrops(area);
  SubmitToDetector(held);
  // Preview and scene hash come last, because other threads work on the submitted crops meanwhile.
  if (options_.preview_px > 0) AddPreview(image);
  if (options_.hash_scene) inspection_.scene = HashScene(image);
  return {};
}

void InspectionJob::CutAreas(const Image& image) {
  const EngineConfig& config = networks_.config;
  areas_.emplace_back(Box{0, 0, image.width, image.height}, image, config);
  if (config.full_image.embedded_images) {
    for (const Box& panel : FindEmbeddedImages(image, config.full_image.embedded_images->least_px))
      areas_.emplace_back(panel, CutBox(image, panel), config);
  }
}

void InspectionJob::SubmitCrops(Area& area) {
  const std::vector<CropStage>& stages = networks_.config.full_image.stages;
  // A heat map needs all crops of the whole image. The score uses the same crops as without a heat map.
  const bool sees_all = options_.heat_map && &area == &areas_.front();
  const std::vector<int> rows = MissingRows(area.crops, sees_all ? stages.back() : stages[area.stage]);
  if (rows.empty()) return EndStage(area);
  SubmitRows(area.crops.crops.pixels, rows, [this, &area, rows](const Outputs& outputs) {
    Status status = AddRows(outputs, rows, networks_.config, &area.crops);
    if (status.ok()) EndStage(area);
    return status;
  });
}

void InspectionJob::EndStage(Area& area) {
  const EngineConfig& config = networks_.config;
  const CropStage& stage = config.full_image.stages[area.stage];
  if (ScoreStage(area.crops, stage, config, &area.found)) return;
  ++area.stage;
  SubmitCrops(area);
}

void InspectionJob::JoinAreas() {
  const EngineConfig& config = networks_.config;
  for (const Area& area : areas_)
    inspection_.views += static_cast<int>(std::count(area.crops.seen.begin(), area.crops.seen.end(), true));
  inspection_.is_blank = areas_.front().found.is_blank;
  // Drops embedded images of one colour, which cannot be judged.
  areas_.erase(
      std::remove_if(areas_.begin() + 1, areas_.end(), [](const Area& area) { return area.found.is_blank; }),
      areas_.end());
  for (auto area = areas_.begin() + 1; area != areas_.end(); ++area)
    inspection_.panels.push_back({area->box, area->found.full_image_score, area->found.drawn});
  const double drawn_odds =
      config.full_image.embedded_images ? config.full_image.embedded_images->drawn_odds : 0;
  const auto lead = [&](const Area& area) { return LeadOf(area.found, drawn_odds); };
  const auto chosen = std::max_element(areas_.begin(), areas_.end(),
                                       [&](const Area& a, const Area& b) { return lead(a) < lead(b); });
  inspection_.full_image_score = chosen->found.full_image_score;
  inspection_.drawn = chosen->found.drawn;
  inspection_.part = chosen->found.part;
  if (chosen != areas_.begin()) {
    inspection_.panel = chosen->box;
    if (inspection_.part) {
      inspection_.part->box.x += chosen->box.x;
      inspection_.part->box.y += chosen->box.y;
    }
  }
  if (options_.heat_map) AddPatches(areas_.front().crops, config, &inspection_);
}

void InspectionJob::SubmitToDetector(HeldPtr held) {
  faces_start_ = Now();
  const bool square = !networks_.plan.detector_buckets.empty();
  detector_input_ = MakeDetectorInput(held->image, networks_.config.face_detector, square);
  PixelBatch pixels = std::move(detector_input_.pixels);
  SubmitPart(*networks_.detector, std::move(pixels),
             [job = shared_from_this(), held = std::move(held)](Result<Outputs> outputs) mutable {
               try {
                 job->post_step_([job, held = std::move(held), outputs = std::move(outputs)]() mutable {
                   job->RunStep([&] { return job->TakeFaces(std::move(held), outputs); });
                 });
               } catch (const std::bad_alloc&) {  // the step was not posted
                 job->RunStep([] { return Status(StatusCode::kInternalError, kOutOfMemory); });
               }
             });
}

Status InspectionJob::TakeFaces(HeldPtr held, const Result<Outputs>& outputs) {
  const Image& image = held->image;
  if (!outputs.ok()) return outputs.status();
  if (Status status = cancellation_->Check(Now()); !status.ok()) return status;
  const Result<std::vector<Face>> found = DecodeFaces(outputs.value(), detector_input_, image.width,
                                                      image.height, networks_.config.face_detector);
  if (!found.ok()) return found.status();
  candidates_ = SelectCandidates(found.value());
  const FaceSpecialistModel& specialist = networks_.config.face_specialist;
  candidate_pixels_ =
      PixelBatch(static_cast<int>(candidates_.size()), specialist.size_px, specialist.size_px);
  for (int i = 0; i < candidate_pixels_.rows; ++i)
    CropFace(image, candidates_[i].points, specialist, candidate_pixels_.row(i));
  SubmitCandidates();
  inspection_.timings.faces = MillisecondsSince(faces_start_);
  return {};
}

void InspectionJob::SubmitCandidates() {
  const size_t places = kMaxScoredFaces - confirmed_.size();
  const size_t first = candidates_submitted_;
  const size_t count = std::min(places, candidates_.size() - first);
  if (count == 0) {
    inspection_.faces = ScoreFaces(confirmed_, networks_.config.face_specialist.aggregation);
    return;
  }
  candidates_submitted_ += count;
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<int>(first));
  const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Face> candidates(begin, begin + static_cast<std::ptrdiff_t>(count));
  SubmitRows(candidate_pixels_, rows, [this, candidates = std::move(candidates)](const Outputs& outputs) {
    Status status = ConfirmFaces(outputs, candidates, networks_.config, &confirmed_);
    if (status.ok()) SubmitCandidates();
    return status;
  });
}

// Adds the preview if making it succeeds. The check succeeds without a preview too.
void InspectionJob::AddPreview(const Image& image) {
  Result<Preview> preview = MakePreview(image, options_.preview_px);
  if (preview.ok()) inspection_.preview = std::move(preview).value();
}

void InspectionJob::SubmitRows(const PixelBatch& pixels, const std::vector<int>& rows,
                               std::function<Status(const Outputs&)> score) {
  PixelBatch part(static_cast<int>(rows.size()), pixels.height, pixels.width);
  for (int i = 0; i < part.rows; ++i) std::copy_n(pixels.row(rows[i]), pixels.row_size(), part.row(i));
  SubmitPart(
      *networks_.encoder, std::move(part),
      [job = shared_from_this(), score = std::move(score)](Result<Outputs> outputs) {
        job->RunStep([&] { return outputs.ok() ? score(outputs.value()) : std::move(outputs).status(); });
      });
}

// Submits pixels to a network and counts them as unfinished work, which their callback will finish. Does not
// count them if the submission fails.
void InspectionJob::SubmitPart(Batcher& batcher, PixelBatch pixels, Batcher::Done done) {
  parts_left_.fetch_add(1);
  try {
    batcher.Submit(std::move(pixels), cancellation_, std::move(done));
  } catch (const std::bad_alloc&) {
    parts_left_.fetch_sub(1);
    throw;
  }
}

void InspectionJob::Fail(Status status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(status);
}

void InspectionJob::FinishPart() {
  if (parts_left_.fetch_sub(1) > 1) return;
  try {
    if (status_.ok()) JoinAreas();
  } catch (const std::bad_alloc&) {
    Fail(Status(StatusCode::kInternalError, kOutOfMemory));
  }
  if (!status_.ok()) return done_(std::move(status_));
  inspection_.timings.inference = MillisecondsSince(handed_in_);
  done_(std::move(inspection_));
}

}  // namespace telltale
