// Tests that the complete engine checks callers' images before background images.
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "engine/engine.h"
#include "fixtures.h"
#include "real_models.h"

namespace telltale {
namespace {

// The only thread is busy while images are submitted, so that their order does not depend on timing.
TEST(PriorityTest, CallersArePutBeforeWhatNobodyWaitsFor) {
  EngineConfig config = RealModels();
  config.threads = 1;
  auto created = Engine::Create(config);
  ASSERT_TRUE(created.ok()) << created.status().message();
  const std::unique_ptr<Engine> engine = std::move(created).value();
  const std::vector<uint8_t> bytes = ReadFixture("images/" + AllFixtures().front().file);
  const auto background = std::make_shared<Cancellation>(TimePoint::max(), Priority::kBackground);
  std::promise<void> gate, held;
  std::string order;  // order of completion; written by the single thread only
  engine->Inspect(bytes, {}, background, [&](const Result<Inspection>&) {
    held.set_value();
    gate.get_future().wait();
  });
  held.get_future().wait();
  for (int i = 0; i < 3; ++i)
    engine->Inspect(bytes, {}, background, [&](const Result<Inspection>&) { order += 'b'; });
  engine->SearchPixels(bytes, background, [&](const Result<PixelMarks>&) { order += 'b'; });
  for (int i = 0; i < 2; ++i)
    engine->Inspect(bytes, {}, std::make_shared<Cancellation>(),
                    [&](const Result<Inspection>&) { order += 'c'; });
  engine->SearchPixels(bytes, std::make_shared<Cancellation>(),
                       [&](const Result<PixelMarks>&) { order += 'c'; });
  gate.set_value();
  engine->Close();
  ASSERT_EQ(order.size(), 7U);
  // Background work gets a small share, which is enough for one background image but not for two.
  std::string second = order;
  second.erase(second.find('b'), 1);
  EXPECT_EQ(second, "cccbbb") << order;
}

}  // namespace
}  // namespace telltale
