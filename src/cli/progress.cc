// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace sosia::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// What a signal handler writes: made before it is set.
class Note {
 public:
  void set(const std::string& text, const std::string& way_on) {
    const std::string note = "\n" + text + (way_on.empty() ? "" : ": " + way_on) + "\n";
    size_ = std::min(note.size(), text_.size());
    std::copy_n(note.begin(), size_, text_.begin());
  }
  void write() const { static_cast<void>(!::write(STDERR_FILENO, text_.data(), size_)); }

 private:
  std::array<char, 1024> text_ = {};
  std::size_t size_ = 0;
};
Note interrupt_note, end_note;

void on_interrupt(int /*signal*/) {
  interrupted = 1;
  interrupt_note.write();
}

/// The signal ends the program once this has returned. What is on the disk is whole at any moment.
void on_end(int signal) {
  end_note.write();
  static_cast<void>(std::raise(signal));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // a second one ends the program at once
  sigaction(signal, &action, nullptr);
}

}  // namespace

void notify(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string misfit_text(double residual) {
  return residual == 0.0 ? "" : fmt::format(", misfit {:.3g} (noise alone: 1)", residual);
}

Progress::Progress(bool is_quiet, const std::string& way_on)
    : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0), shown_(start_) {
  interrupted = 0;
  interrupt_note.set("finishing what is paid for; Ctrl-C again ends at once", way_on);
  end_note.set("ended", way_on);
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_end);
}

Progress::~Progress() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void Progress::end_line() const {
  if (is_terminal_ && !is_quiet_) notify("\n");
}

bool Progress::is_interrupted() { return interrupted != 0; }

bool Progress::operator()(const TrainingStep& step) {
  const Clock::time_point now = Clock::now();
  if (step.step == 1) start_ = shown_ = now;
  const std::chrono::duration<double> run = now - start_, since = now - shown_;
  if (!is_quiet_ && since.count() > (is_terminal_ ? 0.1 : 5.0)) {
    shown_ = now;
    const double left = run.count() / step.step * (step.most - step.step);
    const std::string line = fmt::format("step {} of at most {}{}, up to {:.0f} s left", step.step, step.most,
                                         misfit_text(step.residual), left);
    notify(is_terminal_ ? "\r" + line + "\033[K" : line + "\n");
  }
  return !is_interrupted();
}

StatusLine::StatusLine(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() {
  if (is_terminal_ && !is_quiet_) notify("\r\033[K");
}

void StatusLine::operator()(const std::string& text) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since = now - shown_;
  if (is_quiet_ || since.count() < (is_terminal_ ? 0.1 : 5.0)) return;
  shown_ = now;
  notify(is_terminal_ ? "\r" + text + "\033[K" : text + "\n");
}

void StatusLine::operator()(const EvaluateStep& step) {
  (*this)(fmt::format("{} of {}: {}, {} table", step.step, step.most, step.metric, step.table));
}

}  // namespace sosia::cli
