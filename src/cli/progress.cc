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
// What a signal handler may write: made before it is set.
std::array<char, 512> interrupt_note = {};
std::size_t interrupt_note_size = 0;

void note_interrupt(int /*signal*/) {
  interrupted = 1;
  static_cast<void>(!write(STDERR_FILENO, interrupt_note.data(), interrupt_note_size));
}

void set_interrupt_note(const std::string& way_on) {
  std::string note = "\nfinishing what is paid for; Ctrl-C again ends at once";
  if (!way_on.empty()) note += ", and this goes on then, at no further charge: " + way_on;
  note += '\n';
  interrupt_note_size = std::min(note.size(), interrupt_note.size());
  std::copy_n(note.begin(), interrupt_note_size, interrupt_note.begin());
}

}  // namespace

void notify(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string misfit_text(double residual) {
  return residual == 0.0 ? "" : fmt::format(", misfit {:.3g} (noise alone: 1)", residual);
}

Progress::Progress(bool is_quiet, const std::string& way_on)
    : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0), shown_(start_) {
  interrupted = 0;
  set_interrupt_note(way_on);
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // a second Ctrl-C ends the program at once
  sigaction(SIGINT, &action, nullptr);
}

Progress::~Progress() { std::signal(SIGINT, SIG_DFL); }

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
