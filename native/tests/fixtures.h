// The test images of test/fixtures, as parameters of GoogleTest tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace telltale {

// A line of test/fixtures/images.tsv, the table of test images.
struct Fixture {
  std::string file;  // such as "png/rgba.png"
  int width = 0;     // pixels, upright
  int height = 0;
  int orientation = 1;
  int frames = 1;
  int tolerance = 0;      // largest allowed difference of a sample from the reference
  std::string reference;  // file in test/fixtures/references
  uint32_t crc = 0;       // CRC-32 of the reference's RGB bytes
};

// Returns all test images in the order of the table. Ends the test program if the table cannot be read.
const std::vector<Fixture>& AllFixtures();

// Returns the content of the file test/fixtures/`path`. Ends the test program if the file cannot be read.
std::vector<uint8_t> ReadFixture(const std::filesystem::path& path);

// Returns the name of a test image in characters that GoogleTest accepts.
std::string TestName(const Fixture& fixture);

uint32_t Crc32(const uint8_t* data, size_t size);

}  // namespace telltale
