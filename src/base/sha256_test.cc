// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sosia/error.h>

namespace sosia {
namespace {

namespace fs = std::filesystem;

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfFilesAndFolders) {
  const fs::path folder = fs::path(testing::TempDir()) / "sosia_sha256_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "b");
  std::ofstream(folder / "a") << "abc";
  const std::string large(3'000'000, 'x');
  std::ofstream(folder / "b" / "large") << large;
  EXPECT_EQ(sha256_of_file(folder / "a"), sha256_of("abc"));
  EXPECT_EQ(sha256_of_file(folder / "b" / "large"), sha256_of(large));
  EXPECT_EQ(sha256_of_file(folder), sha256_of(sha256_of("abc") + " a\n" + sha256_of(large) + " b/large\n"));
  EXPECT_THROW(sha256_of_file(folder / "none"), Error);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sosia
