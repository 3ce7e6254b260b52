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
  const std::string list = sha256_of("a") + " " + sha256_of("abc") + "\n" + sha256_of("b") + " a folder\n" +
                           sha256_of("b/large") + " " + sha256_of(large) + "\n";
  EXPECT_EQ(sha256_of_file(folder), "folder:" + sha256_of(list));
  EXPECT_EQ(sha256_of_file(folder / ""), sha256_of_file(folder));
  EXPECT_THROW(sha256_of_file(folder / "none"), Error);
  fs::remove_all(folder);
}

TEST(Sha256, OfAFolderChangesWithAllThatIsInIt) {
  const fs::path folder = fs::path(testing::TempDir()) / "sosia_sha256_folder_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "b");
  std::ofstream(folder / "a") << "abc";
  std::ofstream(folder / "c") << "def";
  const std::string hash = sha256_of_file(folder);
  fs::create_directory(folder / "empty");
  EXPECT_NE(sha256_of_file(folder), hash);
  fs::remove(folder / "empty");
  fs::create_directory_symlink(folder / "b", folder / "link");
  EXPECT_NE(sha256_of_file(folder), hash);
  fs::remove(folder / "link");
  fs::create_symlink("link", folder / "link");  // to itself
  EXPECT_NE(sha256_of_file(folder), hash);
  fs::remove(folder / "link");
  EXPECT_EQ(sha256_of_file(folder), hash);
  // Two files, and one whose name tells of both.
  fs::remove(folder / "c");
  fs::rename(folder / "a", folder / ("a\n" + sha256_of("def") + " c"));
  EXPECT_NE(sha256_of_file(folder), hash);
  // A file that says what the folder held.
  const std::string list = sha256_of("a") + " " + sha256_of("abc") + "\n" + sha256_of("b") + " a folder\n" +
                           sha256_of("c") + " " + sha256_of("def") + "\n";
  ASSERT_EQ(hash, "folder:" + sha256_of(list));
  std::ofstream(folder / "list") << list;
  EXPECT_NE(sha256_of_file(folder / "list"), hash);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sosia
