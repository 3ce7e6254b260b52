// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <sosia/report.h>

namespace sosia::report {

/// What is computed from real rows, as JSON: not for release.
class InternalPart {
 public:
  /// A verdict and its scores. Of pairs of columns, those among the columns that come out worst are kept.
  /// Real images may stand beside the scores of images.
  explicit InternalPart(const Scores& scores, const ImageSamples* real_images = nullptr);
  /// Several runs, without what their scores are made of.
  explicit InternalPart(std::span<const NamedScores> runs);
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

}  // namespace sosia::report
