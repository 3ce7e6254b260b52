// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>

#include "data/arrow_guard.h"
#include "data/byte_source.h"

namespace sosia {

namespace {

std::string read_standard_input() {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::string bytes;
  for (std::size_t size = 0;;) {
    bytes.resize(size + kStep);
    const ssize_t count = ::read(STDIN_FILENO, bytes.data() + size, kStep);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      raise({ErrorKind::io, "standard input cannot be read", "standard input", "pipe a CSV table into it"});
    size += static_cast<std::size_t>(count);
    bytes.resize(size);
    if (count == 0) return bytes;
  }
}

}  // namespace

const std::string& standard_input() {
  static const std::string bytes = read_standard_input();
  return bytes;
}

}  // namespace sosia
