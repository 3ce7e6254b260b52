// SPDX-License-Identifier: Apache-2.0
#include "base/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia {

namespace {

using std::filesystem::path;

[[noreturn]] void fail(const std::string& problem, const path& file, int code) {
  const char* fix = "check the file and the rights of its folder, then try again";
  if (code == ENOENT) fix = "check the path";
  if (code == EEXIST) fix = "choose another name: an existing file is never overwritten";
  if (code == ENOSPC || code == EDQUOT) fix = "free some space on this disk, then try again: nothing was lost";
  if (code == EACCES || code == EPERM || code == EROFS) fix = "get the right to read and write the file and its folder";
  throw Error(ErrorKind::io, fmt::format("{}: {}", problem, std::strerror(code)), file.string(), fix);
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const path& file, int flags, mode_t mode = 0) : fd_(::open(file.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

path folder_of(const path& file) { return file.has_parent_path() ? file.parent_path() : path("."); }

/// A rename survives a power cut only after the folder itself has been written.
void sync_folder(const path& file) {
  const Descriptor folder(folder_of(file), O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) fail("cannot write the folder of the file", file, errno);
}

void write_all(int fd, const std::string& text, const path& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("cannot write the file", file, errno);
    done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(fd) != 0) fail("cannot write the file through to the disk", file, errno);
}

/// Writes a new file beside `target`; removed again unless it is moved into its place.
class Draft {
 public:
  Draft(const path& target, const std::string& suffix, const std::string& text, mode_t mode)
      : target_(target), draft_(target.string() + suffix) {
    // A draft of this name is the leavings of a killed process.
    ::unlink(draft_.c_str());
    const Descriptor file(draft_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (file.get() < 0) fail("cannot write in the folder of the file", target_, errno);
    try {
      if (::fchmod(file.get(), mode) != 0) fail("cannot set the mode of the file", target_, errno);
      write_all(file.get(), text, target_);
    } catch (...) {
      ::unlink(draft_.c_str());
      throw;
    }
  }
  ~Draft() {
    if (!moved_) ::unlink(draft_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void move_over() {
    if (::rename(draft_.c_str(), target_.c_str()) != 0) fail("cannot replace the file", target_, errno);
    moved_ = true;
    sync_folder(target_);
  }

  /// As above, for a target that must not exist.
  void move_to_new() {
    int result = ::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
    moved_ = result == 0;
    // Some file systems cannot rename this way; a link does not replace either.
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) result = ::link(draft_.c_str(), target_.c_str());
    if (result != 0) fail("cannot create the file", target_, errno);
    sync_folder(target_);
  }

 private:
  path target_, draft_;
  bool moved_ = false;
};

std::string read_all(int fd, const path& file) {
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read the file", file, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > kMaxTextFile) fail("cannot read the file", file, EFBIG);
  }
}

}  // namespace

std::string read_text_file(const path& file) {
  const Descriptor input(file, O_RDONLY | O_NOCTTY);
  if (input.get() < 0) fail("cannot open the file", file, errno);
  return read_all(input.get(), file);
}

std::string read_secret_file(const path& file) {
  const Descriptor input(file, O_RDONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  if (input.get() < 0 || ::fstat(input.get(), &status) != 0) fail("cannot open the file", file, errno);
  if (!S_ISREG(status.st_mode)) fail("this is not a regular file", file, EINVAL);
  if (status.st_uid != ::geteuid() || (status.st_mode & 0077) != 0) {
    throw Error(ErrorKind::io, "others may know what this file keeps secret: it is theirs, or open to them",
                file.string(),
                "use a file that you have made, of mode 600; if others may have read this one, remove it");
  }
  return read_all(input.get(), file);
}

void create_durable_file(const path& file, const std::string& text) {
  struct stat existing{};
  if (::lstat(file.c_str(), &existing) == 0) fail("cannot create the file", file, EEXIST);
  // A random name keeps two creators apart; the lock cannot, as there is no file to lock yet.
  std::random_device random;
  Draft(file, fmt::format(".new{:08x}{:08x}", random(), random()), text, 0600).move_to_new();
}

FileLock::FileLock(const path& file, double wait_seconds) : path_(file) {
  using Clock = std::chrono::steady_clock;
  const double wait = std::clamp(std::isnan(wait_seconds) ? 0.0 : wait_seconds, 0.0, 1e6);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait));
  while (!try_lock()) {
    if (Clock::now() >= end) {
      throw Error(ErrorKind::io, "the file is in use by another process", path_.string(),
                  "wait until the other run has ended its reservation, then try again");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

FileLock::~FileLock() { ::close(file_); }

bool FileLock::try_lock() {
  Descriptor file(path_, O_RDWR | O_NONBLOCK | O_NOCTTY);
  struct stat opened{}, named{};
  if (file.get() < 0 || ::fstat(file.get(), &opened) != 0) fail("cannot open the file", path_, errno);
  if (!S_ISREG(opened.st_mode)) fail("this is not a regular file", path_, EINVAL);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    fail("cannot lock the file", path_, errno);
  }
  // Another process may have replaced the file between open and lock: then this is the lock of a file that is gone.
  if (::stat(path_.c_str(), &named) != 0) fail("cannot open the file", path_, errno);
  if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) return false;
  if (named.st_nlink != 1) {
    throw Error(ErrorKind::io, "the file has several names (hard links): they would part at the next change",
                path_.string(), "keep one name and remove the others");
  }
  file_ = file.release();
  return true;
}

void FileLock::replace(const std::string& text) {
  struct stat old{};
  if (::fstat(file_, &old) != 0) fail("cannot read the file", path_, errno);
  // Under the lock nobody else writes this draft, so one name will do and a killed run leaves one at most.
  Draft(path_, ".new", text, old.st_mode & 0777).move_over();
}

}  // namespace sosia
