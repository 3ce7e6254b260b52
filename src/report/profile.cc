// SPDX-License-Identifier: Apache-2.0
#include "report/profile.h"

#include <algorithm>
#include <cmath>

#include "model/contents.h"
#include "model/sampling.h"

namespace sosia::report {

namespace {

constexpr int kMostBins = 40;
/// The share of rows beyond each end of a histogram: one far value must not squeeze all others into one bar.
constexpr double kTail = 0.002;

/// Numbers between their bounds as scalars, missing as a state: without atoms and edges, so that equal steps are equal.
Codec plain_codec(const ModelContents& model) {
  Schema schema = model.schema;
  for (Column& column : schema.columns) {
    column.atoms.clear();
    column.edges.clear();
  }
  return Codec(std::move(schema),
               {.numbers = NumberCoding::scaled, .exact = false, .missing_words = model.codec.missing_words});
}

void add_numbers(const Column& column, std::vector<double> values, ColumnProfile& profile) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  const double low = values[static_cast<std::size_t>(std::floor(kTail * last))];
  const double high = values[static_cast<std::size_t>(std::ceil((1.0 - kTail) * last))];
  profile.low = low;
  profile.high = high > low ? high : low + 1.0;
  int bins = kMostBins;
  if (column.type == ColumnType::integer || column.type == ColumnType::date) {
    // As many whole numbers in each bar as in any other.
    const double count = high - low + 1.0, step = std::ceil(count / kMostBins);
    bins = static_cast<int>(std::ceil(count / step));
    profile.low = low - 0.5;
    profile.high = profile.low + step * bins;
  }
  profile.shares.assign(static_cast<std::size_t>(bins), 0.0);
  for (const double value : values) {
    const double place = std::floor((value - profile.low) / (profile.high - profile.low) * bins);
    profile.shares[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1.0))] += 1.0;
  }
}

void add_states(const Column& column, int width, const std::vector<int>& states, ColumnProfile& profile) {
  profile.labels = column.values.value_or(std::vector<std::string>{"false", "true"});
  const int present = width - (column.missing ? 1 : 0);
  if (present > static_cast<int>(profile.labels.size())) profile.labels.emplace_back("other");
  profile.shares.assign(static_cast<std::size_t>(present), 0.0);
  for (const int state : states) {
    double& share = state < present ? profile.shares[static_cast<std::size_t>(state)] : profile.missing;
    share += 1.0;
  }
}

}  // namespace

std::vector<ColumnProfile> profiles_of(const Model& model, std::int64_t rows) {
  const ModelContents& contents = model.contents();
  const Codec made(contents.schema, contents.codec), plain = plain_codec(contents);
  const auto batch = sample_block(contents, made, {.seed = 1, .block = 0, .rows = rows, .condition = {}});
  const auto count = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(plain.width());
  std::vector<float> codes(count * width);
  Trouble trouble;
  plain.encode(*batch, {codes.data(), count, width}, trouble);
  std::vector<ColumnProfile> profiles;
  const auto fields = plain.fields();
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Column& column = *contents.schema.find(fields[f].column);
    ColumnProfile profile{.name = column.name, .type = column.type};
    if (has_bounds(column.type)) {
      const bool has_state = f + 1 < fields.size() && fields[f + 1].column == column.name;
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) {
        const float* row = codes.data() + i * width + f;
        if (has_state && row[1] > 0.0F) {
          profile.missing += 1.0;
        } else {
          values.push_back(*column.min + static_cast<double>(row[0]) * (*column.max - *column.min));
        }
      }
      add_numbers(column, std::move(values), profile);
      f += has_state ? 1 : 0;
    } else {
      std::vector<int> states(count);
      for (std::size_t i = 0; i < count; ++i) states[i] = static_cast<int>(codes[i * width + f]);
      add_states(column, fields[f].width, states, profile);
    }
    for (double& share : profile.shares) share /= static_cast<double>(rows);
    profile.missing /= static_cast<double>(rows);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace sosia::report
