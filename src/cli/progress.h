// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include <sosia/evaluate.h>
#include <sosia/fit.h>

namespace sosia::cli {

/// Writes to standard error at once, not at the end of the command.
void notify(const std::string& text);

/// ", misfit 1.2 (noise alone: 1)", or nothing where it is not known.
std::string misfit_text(double residual);

/// How a training goes: a line that is rewritten on a terminal, a plain line now and then otherwise. While it lives,
/// Ctrl-C asks the training to end with what there is; so it should live from before the first release on, since what
/// was paid for must not be lost. A second Ctrl-C ends the program at once, and so does `kill`.
class Progress {
 public:
  /// `way_on`: what is charged and how to go on after the program was ended, for Ctrl-C and `kill` to say.
  explicit Progress(bool is_quiet, const std::string& way_on = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether Ctrl-C was pressed.
  static bool is_interrupted();
  /// False once it was.
  bool operator()(const TrainingStep& step);
  /// The training is over: what is written next begins a line.
  void end_line() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool is_quiet_, is_terminal_;
  Clock::time_point start_ = Clock::now(), shown_;
};

/// How an evaluation or a check goes, in the same way.
class StatusLine {
 public:
  explicit StatusLine(bool is_quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void operator()(const std::string& text);
  void operator()(const EvaluateStep& step);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_quiet_, is_terminal_;
  Clock::time_point shown_ = Clock::now();
};

}  // namespace sosia::cli
