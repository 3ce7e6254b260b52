// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/report.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "report/embedded.h"
#include "report/guarantee.h"
#include "report/internal_part.h"
#include "report/public_part.h"

namespace sosia {

namespace {

using report::InternalPart;
using report::PublicPart;

/// JSON inside a script element: "<" would let a text end the element. JSON has it in texts only, where it may be
/// written as an escape.
std::string in_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// The template with every mark <!-- name --> replaced.
std::string filled(const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string page;
  std::string_view rest = report::page_template();
  for (const auto& [name, value] : values) {
    const std::string mark = "<!-- " + std::string(name) + " -->";
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(value);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

/// Either part may be absent; then its block is `null`.
std::string page_of(const PublicPart* open, const InternalPart* internal) {
  const std::string open_json = open != nullptr ? in_script(open->json()) : "null";
  const std::string internal_json = internal != nullptr ? in_script(internal->json()) : "null";
  return filled({{"licences", report::chart_licences()},
                 {"style", report::page_style()},
                 {"publishable", open_json},
                 {"internal", internal_json},
                 {"library", report::chart_library()},
                 {"scripts", report::page_scripts()}});
}

void check_kind(const Schema& schema, const Scores& scores) {
  if (schema.images.has_value() == !scores.features.empty()) return;
  throw Error(ErrorKind::data, "the scores are of a table and the model makes images, or the other way round",
              "the scores and the model", "give the scores of what this model made");
}

/// Scores that say whose they are must be of this model; two models of one schema cannot be told apart otherwise.
void check_model(const Model& model, const Scores& scores) {
  if (scores.model.empty() || scores.model == fingerprint_of(model)) return;
  throw Error(ErrorKind::data, "the scores are of what another model made", "the scores and the model",
              "give the model that was scored, or score what this one makes");
}

/// Scores name the columns that they are of; those of another table would be told by that.
void check_columns(const Schema& schema, const Scores& scores) {
  constexpr std::array kOfColumns = {"tvd_1", "tvd_2", "probability", "ks", "jsd", "mutual_information"};
  for (const MetricScores& metric : scores.metrics) {
    const auto* found = std::find(kOfColumns.begin(), kOfColumns.end(), metric.metric.name);
    if (found == kOfColumns.end()) continue;
    for (const NamedScore& part : metric.parts) {
      if (schema.find(part.of.front()) != nullptr) continue;
      throw Error(ErrorKind::data, "the scores are of a column that the model does not have: " + shown(part.of.front()),
                  "the scores and the model", "give the scores of rows that this model made");
    }
  }
}

}  // namespace

std::string fingerprint_of(const Model& model) {
  constexpr std::size_t kBytes = 8;
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string bytes = model_bytes(model.contents());
  std::string digits;
  for (const char byte : bytes.substr(bytes.size() - kModelHashBytes, kBytes)) {
    digits += {kDigits[static_cast<unsigned char>(byte) >> 4], kDigits[static_cast<unsigned char>(byte) & 15]};
  }
  return digits;
}

bool has_guarantee(const Model& model) { return report::explained(model.certificate()).at("guarantee").get<bool>(); }

std::string publishable_page(const Model& model) {
  if (!report::explained(model.certificate()).at("private").get<bool>()) {
    throw Error(ErrorKind::usage, "the model was made without noise: nothing of it may be published", "report",
                "fit it under a finite epsilon; for a report that is not for release, give its scores");
  }
  const PublicPart part(model);
  return page_of(&part, nullptr);
}

std::string internal_page(const Model& model, const Scores& scores, const ImageSamples* real_images) {
  check_model(model, scores);
  check_kind(model.schema(), scores);
  check_columns(model.schema(), scores);
  const PublicPart open(model);
  const InternalPart internal(scores, real_images);
  return page_of(&open, &internal);
}

std::string comparison_page(std::span<const NamedScores> runs) {
  const InternalPart internal(runs);
  return page_of(nullptr, &internal);
}

void write_page(const std::string& page, const std::filesystem::path& path) { create_durable_file(path, page); }

}  // namespace sosia
