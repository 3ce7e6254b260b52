// SPDX-License-Identifier: Apache-2.0
// What was made, under which guarantee, and how good it is: pages for a browser, complete in one file each.
// What may be published and what may not are made from different things: the first from a model alone, the second from
// scores, which are computed on real rows. docs/report.md says what is where.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <sosia/evaluate.h>
#include <sosia/image_samples.h>
#include <sosia/model.h>

namespace sosia {

/// How good something is, from best to worst; `unknown`: nothing that says it was measured.
enum class Grade { best, good, fair, weak, poor, unknown };
const char* name_of(Grade grade) noexcept;

/// Scores in plain words, by the rules of docs/report.md.
struct Verdict {
  struct Answer {
    std::string question = {}, sentence = {};
    Grade grade = Grade::unknown;
    std::vector<std::string> metrics = {};  ///< that it rests on
  };
  Grade grade = Grade::unknown;  ///< the worst answer, those about rare values and copying left aside
  std::string sentence;
  std::vector<Answer> answers;
};
Verdict verdict_of(const Scores& scores);

/// False: noise was reproducible or absent, and nothing that is made from the model is for release.
bool has_guarantee(const Model& model);

/// 16 hexadecimal digits that no other model has: the first of the hash that its file ends with. Scores may carry it.
std::string fingerprint_of(const Model& model);

/// A page that may be published like the model itself. A usage error if the model was made without noise, or has not
/// been trained.
std::string publishable_page(const Model& model);
/// The same, and what the scores tell. Not for release. A data error if the scores are of columns that the model lacks.
/// Of a model of images, the page may have real ones (first_images) beside the synthetic ones.
std::string internal_page(const Model& model, const Scores& scores, const ImageSamples* real_images = nullptr);

struct NamedScores {
  std::string name;
  Scores scores;
};
/// Several runs side by side. Not for release. There is at least one.
std::string comparison_page(std::span<const NamedScores> runs);

/// Writes a page for its owner's eyes, who may hand on what is for release. An existing file is never touched.
void write_page(const std::string& page, const std::filesystem::path& path);

}  // namespace sosia
