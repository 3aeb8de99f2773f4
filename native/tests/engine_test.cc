// Tests of the complete engine with the project's models: real files go in, scores or error codes come out.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include "crops/embedded_images.h"
#include "fixtures.h"
#include "image/decode.h"
#include "image/encode.h"
#include "image/sniff.h"
#include "real_models.h"

namespace telltale {
namespace {

std::unique_ptr<Engine> Start(int threads = 2, int queue_limit = 64) {
  EngineConfig config = RealModels();
  config.threads = threads;
  config.queue_limit = queue_limit;
  auto engine = Engine::Create(config);
  if (!engine.ok()) ADD_FAILURE() << engine.status().message();
  return engine.ok() ? std::move(engine).value() : nullptr;
}

std::future<Result<Inspection>> Inspect(
    Engine& engine, Bytes bytes,
    std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>()) {
  auto promise = std::make_shared<std::promise<Result<Inspection>>>();
  engine.Inspect(bytes, {.heat_map = true}, std::move(cancellation),
                 [promise](Result<Inspection> result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

// Returns the first test images of the table.
std::vector<std::vector<uint8_t>> SomeImages(size_t count) {
  std::vector<std::vector<uint8_t>> images;
  for (size_t i = 0; i < count; ++i) images.push_back(ReadFixture("images/" + AllFixtures().at(i * 7).file));
  return images;
}

TEST(EngineTest, GivesScoresAndPatchesInsideTheImage) {
  const auto engine = Start();
  ASSERT_TRUE(engine);
  for (const auto& bytes : SomeImages(6)) {
    const auto result = Inspect(*engine, bytes).get();
    ASSERT_TRUE(result.ok()) << result.status().message();
    const Inspection& inspection = result.value();
    const auto sniffed = Sniff(bytes);
    EXPECT_EQ(inspection.width, sniffed.value().width);
    EXPECT_EQ(inspection.height, sniffed.value().height);
    EXPECT_GE(inspection.full_image_score, 0);
    EXPECT_LE(inspection.full_image_score, 1);
    EXPECT_FALSE(inspection.patches.empty());
    for (const PatchScore& patch : inspection.patches) {
      EXPECT_GE(patch.score, 0);
      EXPECT_LE(patch.score, 1);
      EXPECT_LE(patch.box.x + patch.box.width, inspection.width);
      EXPECT_LE(patch.box.y + patch.box.height, inspection.height);
    }
  }
  EXPECT_EQ(engine->stats().inspected, 6U);
  EXPECT_EQ(engine->stats().running, 0U);
}

// Compares the scores of two images in a collage with the scores of the same images as separate files.
TEST(EngineTest, AnEmbeddedImageScoresAsTheImageAlone) {
  const Image scene = Decode(ReadFixture("images/jpeg/scene.jpg"), Cancellation()).value();
  Image collage{2 * scene.width, scene.height, {}};
  collage.pixels.resize(2 * scene.pixels.size());
  const size_t row_size = size_t{3} * scene.width;
  for (int y = 0; y < scene.height; ++y) {
    std::copy_n(scene.row(y), row_size, collage.row(y));
    // The right half is upside down, so that the colours jump at the dividing line.
    for (int x = 0; x < scene.width; ++x)
      std::copy_n(scene.row(scene.height - 1 - y) + 3 * x, 3, collage.row(y) + row_size + 3 * x);
  }
  const auto engine = Start();
  ASSERT_TRUE(engine);
  const Inspection found = Inspect(*engine, EncodePng(collage).value()).get().value();
  ASSERT_EQ(found.panels.size(), 2U);
  for (const EmbeddedImageScore& panel : found.panels) {
    const auto bytes = EncodePng(CutBox(collage, panel.box)).value();
    const Inspection alone = Inspect(*engine, bytes).get().value();
    EXPECT_EQ(panel.score, alone.full_image_score);
    EXPECT_EQ(panel.drawn, alone.drawn);
  }
  if (found.panel) {
    const bool is_of_one =
        std::any_of(found.panels.begin(), found.panels.end(), [&](const EmbeddedImageScore& panel) {
          return panel.score == found.full_image_score && panel.box.x == found.panel->x;
        });
    EXPECT_TRUE(is_of_one);
  }
}

// Scores must be equal to the last bit, whether images are checked concurrently or one by one. Therefore a
// run must have only one row: activations are quantised by their range over all rows of a run.
TEST(EngineTest, ManyAtOnceScoreAsOneByOne) {
  const auto images = SomeImages(8);
  std::vector<Inspection> alone;
  const auto engine = Start(1);
  ASSERT_TRUE(engine);
  for (const auto& bytes : images) alone.push_back(Inspect(*engine, bytes).get().value());

  const auto crowd = Start(3);
  std::vector<std::future<Result<Inspection>>> results;
  for (int round = 0; round < 2; ++round) {
    for (const auto& bytes : images) results.push_back(Inspect(*crowd, bytes));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Inspection found = results[i].get().value();
    const Inspection& expected = alone[i % alone.size()];
    EXPECT_EQ(found.full_image_score, expected.full_image_score) << i;
    ASSERT_EQ(found.patches.size(), expected.patches.size()) << i;
    for (size_t p = 0; p < found.patches.size(); ++p)
      EXPECT_EQ(found.patches[p].score, expected.patches[p].score) << i;
  }
  const EngineStats stats = crowd->stats();
  EXPECT_EQ(stats.inspected, results.size());
  EXPECT_EQ(stats.encoder.batches, stats.encoder.rows);
}

TEST(EngineTest, RefusesWhatItCanNotHold) {
  const auto images = SomeImages(1);
  const auto engine = Start(1, 2);
  ASSERT_TRUE(engine);
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 40; ++i) results.push_back(Inspect(*engine, images[0]));
  size_t done = 0;
  size_t refused = 0;
  for (auto& future : results) {
    const auto result = future.get();
    if (result.ok()) {
      ++done;
    } else {
      EXPECT_EQ(result.status().code(), StatusCode::kOverloaded);
      ++refused;
    }
  }
  EXPECT_GE(done, 3U);
  EXPECT_GE(refused, 1U);
  EXPECT_EQ(engine->stats().inspected, done);
  EXPECT_EQ(engine->stats().refused, refused);
}

TEST(EngineTest, DropsCancelledAndExpiredWork) {
  const auto images = SomeImages(1);
  const auto engine = Start(1);
  ASSERT_TRUE(engine);
  const auto cancelled = std::make_shared<Cancellation>();
  cancelled->Cancel();
  EXPECT_EQ(Inspect(*engine, images[0], cancelled).get().status().code(), StatusCode::kCancelled);
  const auto expired = std::make_shared<Cancellation>(std::chrono::steady_clock::now());
  EXPECT_EQ(Inspect(*engine, images[0], expired).get().status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(engine->stats().encoder.rows, 0U);
}

TEST(EngineTest, FailsByCodeOnWhatIsNoImage) {
  const auto engine = Start(1);
  ASSERT_TRUE(engine);
  const std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(Inspect(*engine, text).get().status().code(), StatusCode::kUnsupportedFormat);
  auto cut = SomeImages(1)[0];
  cut.resize(cut.size() / 2);
  EXPECT_EQ(Inspect(*engine, cut).get().status().code(), StatusCode::kImageCorrupt);
  EXPECT_EQ(Inspect(*engine, {}).get().status().code(), StatusCode::kUnsupportedFormat);
}

TEST(EngineTest, CloseFinishesWhatWasAcceptedAndRefusesTheRest) {
  const auto images = SomeImages(1);
  const auto engine = Start(2);
  ASSERT_TRUE(engine);
  std::vector<std::future<Result<Inspection>>> results;
  for (int i = 0; i < 10; ++i) results.push_back(Inspect(*engine, images[0]));
  engine->Close();
  for (auto& future : results) EXPECT_TRUE(future.get().ok());
  EXPECT_EQ(Inspect(*engine, images[0]).get().status().code(), StatusCode::kOverloaded);
  engine->Close();
}

TEST(EngineTest, RecompressesAndAnnotates) {
  const auto images = SomeImages(1);
  const auto engine = Start(1);
  ASSERT_TRUE(engine);
  const auto wait = [](auto&& ask) {
    std::promise<Result<std::vector<uint8_t>>> promise;
    ask([&](Result<std::vector<uint8_t>> file) { promise.set_value(std::move(file)); });
    return promise.get_future().get();
  };
  const auto cancellation = std::make_shared<Cancellation>();
  const auto jpeg = wait([&](Engine::FileDone done) {
    engine->Recompress(images[0], {48, 70}, cancellation, done);
  });
  ASSERT_TRUE(jpeg.ok());
  const auto header = Sniff(jpeg.value());
  EXPECT_EQ(header.value().format, ImageFormat::kJpeg);
  EXPECT_EQ(std::max(header.value().width, header.value().height), 48);
  EXPECT_NEAR(header.value().jpeg_quality, 70, 2);

  Annotation annotation;
  annotation.long_side_px = 4000;
  annotation.patches = {{{0, 0, 30, 30}, 1.0}};
  annotation.faces = {{{-5, 10, 400, 20}, "a label that is far too long for an image of this width", true}};
  annotation.caption = "AI";
  const auto png =
      wait([&](Engine::FileDone done) { engine->Annotate(images[0], annotation, cancellation, done); });
  ASSERT_TRUE(png.ok()) << png.status().message();
  const auto drawn = Decode(png.value());
  const auto plain = Decode(images[0]);
  ASSERT_TRUE(drawn.ok());
  // The flagged face is also drawn enlarged, to the right of the image.
  EXPECT_GT(drawn.value().width, plain.value().width);
  EXPECT_NE(drawn.value().pixels, plain.value().pixels);
}

TEST(EngineTest, SaysWhyADeviceCanNotBeHad) {
  for (const Device device : {Device::kCuda, Device::kTensorRt}) {
    if (WhyUnavailable(device, "").empty()) GTEST_SKIP() << "this machine has " << DeviceName(device);
    EngineConfig config = RealModels();
    config.device = device;
    const auto engine = Engine::Create(config);
    ASSERT_FALSE(engine.ok());
    EXPECT_EQ(engine.status().code(), StatusCode::kDeviceUnavailable);
    EXPECT_NE(engine.status().message().find(DeviceName(device)), std::string::npos);
    EXPECT_GT(engine.status().message().size(), 30U);
  }
}

TEST(EngineTest, RefusesAModelThatIsNone) {
  EngineConfig config = RealModels();
  std::swap(config.encoder.cpu_path, config.face_detector.path);
  auto engine = Engine::Create(config);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kModelInvalid);
  config = RealModels();
  config.encoder.cpu_path = TELLTALE_SOURCE_DIR "/README.md";
  engine = Engine::Create(config);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kModelInvalid);
}

// Copies the network's file without the separate file of its weights.
TEST(EngineTest, RefusesAGraphWithoutItsWeights) {
  EngineConfig config = RealModels();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "telltale-no-weights";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(config.encoder.cpu_path, folder / "cpu.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  config.encoder.cpu_path = folder / "cpu.onnx";
  const auto engine = Engine::Create(config);
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kModelInvalid);
}

TEST(EngineTest, RefusesANetworkOfAnotherSize) {
  EngineConfig config = RealModels();
  const std::string size = std::to_string(config.encoder.size_px);
  config.encoder.size_px = 32;
  auto engine = Engine::Create(config);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kModelInvalid);
  EXPECT_EQ(engine.status().message(), "encoder: its input is " + size + "x" + size + " px, not 32x32");
  config = RealModels();
  config.encoder.columns = 77;
  engine = Engine::Create(config);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kModelInvalid);
  EXPECT_EQ(engine.status().message(),
            "encoder: its output '" + config.encoder.logits_output + "' has not 77 columns");
  config = RealModels();
  config.encoder.tokens_output = config.encoder.logits_output;
  engine = Engine::Create(config);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().message(),
            "encoder: its output '" + config.encoder.logits_output + "' has not 196 columns");
}

}  // namespace
}  // namespace telltale
