// SPDX-License-Identifier: Apache-2.0
// Small files that are read, replaced and locked as a whole (POSIX). Every failure is an io error.
#pragma once

#include <filesystem>
#include <string>

namespace sosia {

/// The whole file, at most kMaxTextFile bytes of it.
std::string read_text_file(const std::filesystem::path& path);
/// The same of a file that holds a secret: refused if it is a link, or anybody but this user may read or have made it.
std::string read_secret_file(const std::filesystem::path& path);
inline constexpr std::size_t kMaxTextFile = std::size_t{256} << 20;

/// Makes the file with mode 0600, complete and on the disk, or not at all. An existing file is never touched.
void create_durable_file(const std::filesystem::path& path, const std::string& text);

/// The exclusive right to replace a file, held by at most one object on this machine, in any process.
class FileLock {
 public:
  /// Waits up to `wait_seconds` for another holder, then throws. The file must be a regular file with one name only:
  /// replacing one of several hard links would leave the old contents behind under the others.
  FileLock(const std::filesystem::path& path, double wait_seconds);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Puts `text` in the place of the whole file: after a crash at any moment either the old or the new contents are
  /// there, on return the new ones are on the disk. On an error before that the old contents are untouched.
  void replace(const std::string& text);

 private:
  bool try_lock();

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace sosia
