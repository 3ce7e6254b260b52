// SPDX-License-Identifier: Apache-2.0
#include "cli/report_text.h"

#include <algorithm>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia::cli {

std::string verdict_text(const Scores& scores) {
  const Verdict verdict = verdict_of(scores);
  std::string text = verdict.sentence + "\n";
  std::size_t width = 0;
  for (const Verdict::Answer& answer : verdict.answers) width = std::max(width, answer.question.size());
  for (const Verdict::Answer& answer : verdict.answers) {
    const char* grade = answer.grade == Grade::unknown ? "-" : name_of(answer.grade);
    text += fmt::format("  {:<{}}  {:<4}  {}\n", answer.question, width, grade, answer.sentence);
  }
  return text;
}

void refuse_existing(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  throw Error(ErrorKind::io, "there is a file of this name already", path.string(),
              "choose another name, or remove it");
}

}  // namespace sosia::cli
