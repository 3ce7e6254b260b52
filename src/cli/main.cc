// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <sosia/error.h>

#include "cli/run.h"

namespace {

/// Standard output is a file like any other: a full disk must not pass for success.
void write_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that has seen enough, such as `head`, is no error.
  if (written || errno == EPIPE) return;
  throw sosia::Error(sosia::ErrorKind::io, std::string("cannot write the output: ") + std::strerror(errno),
                     "standard output", "check where the output goes, then try again");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const sosia::cli::Outcome outcome = sosia::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
    std::fputs(outcome.err.c_str(), stderr);
    write_out(outcome.out);
    return outcome.exit_code;
  } catch (const sosia::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    const sosia::Error memory = sosia::cli::no_memory();
    std::fprintf(stderr, "%s\n", memory.what());
    return memory.exit_code();
  } catch (const std::exception& error) {
    const sosia::Error internal(sosia::ErrorKind::internal, error.what(), "sosia",
                                "this is a bug in sosia: please report it with the command that led here");
    std::fprintf(stderr, "%s\n", internal.what());
    return internal.exit_code();
  }
}
