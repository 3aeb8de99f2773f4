// Reading the table of test images.
#include "tests/fixtures.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace telltale {
namespace {

std::filesystem::path Folder() { return std::filesystem::path(TELLTALE_SOURCE_DIR) / "test" / "fixtures"; }

[[noreturn]] void GiveUp(const std::filesystem::path& path) {
  std::fprintf(stderr, "can't read %s\n", path.c_str());
  std::abort();
}

std::vector<Fixture> ReadTable() {
  const std::filesystem::path path = Folder() / "images.tsv";
  std::ifstream table(path);
  std::string line;
  if (!std::getline(table, line)) GiveUp(path);
  std::vector<Fixture> fixtures;
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    Fixture fixture;
    cells >> fixture.file >> fixture.width >> fixture.height >> fixture.orientation >> fixture.frames >>
        fixture.tolerance >> fixture.reference >> std::hex >> fixture.crc;
    if (!cells) GiveUp(path);
    fixtures.push_back(fixture);
  }
  return fixtures;
}

}  // namespace

const std::vector<Fixture>& AllFixtures() {
  static const auto* const fixtures = new std::vector<Fixture>(ReadTable());
  return *fixtures;
}

std::vector<uint8_t> ReadFixture(const std::filesystem::path& path) {
  std::ifstream file(Folder() / path, std::ios::binary);
  if (!file) GiveUp(Folder() / path);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

std::string TestName(const Fixture& fixture) {
  std::string name = fixture.file;
  for (char& letter : name) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return name;
}

uint32_t Crc32(const uint8_t* data, size_t size) {
  return static_cast<uint32_t>(crc32(0, data, static_cast<uInt>(size)));
}

}  // namespace telltale
