// SPDX-License-Identifier: Apache-2.0
#include "discovery/key_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/number_text.h"
#include "data/private_keys.h"
#include "privacy/door_keys.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

/// Numbers by size, other texts as they are.
void sort_numbers(std::vector<std::string>& texts) {
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& text : texts) {
    const std::optional<double> number = number_from(text);
    if (!number) return;
    numbers.emplace_back(*number, text);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = numbers[i].second;
}

}  // namespace

KeyValues::KeyValues(Search& search) : search_(search) {
  if (!is_needed() || search.promise.selection_delta > 0.0) return;
  throw Error(ErrorKind::usage, "values are to be discovered, but no part of delta is set aside for that",
              "discovery; nothing was spent", "promise a selection_delta, or declare the values");
}

DiscoveryStep KeyValues::step(double noise) const {
  const std::vector<std::size_t>& keys = search_.open.keys;
  const double sigma = count_sigma(noise, keys.size(), search_.promise);
  const double delta = search_.promise.selection_delta;
  return {"values",
          search_.names(keys),
          0,
          noise,
          sigma,
          delta,
          key_threshold(sigma, static_cast<int>(keys.size()), search_.promise.unit.max_rows, search_.promise.relation,
                        delta)};
}

void KeyValues::run(const Source& source, double noise) {
  const std::vector<std::size_t>& columns = search_.open.keys;
  const PrivateKeys table(keys_of(source.file, search_.names(columns), search_.schema,
                                  search_.options.spelling.missing_words, source.ledger.unit_hash()));
  const Keys keys = source.ledger.noisy_keys(
      table, {.noise = noise, .delta = search_.promise.selection_delta, .label = "discovery: values"}, source.threads);
  std::span<const double> counts = keys.counts.values();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::size_t i = columns[j];
    const std::vector<std::string>& texts = keys.columns[j];
    Column& column = search_.column(i);
    if (column.name == search_.schema.target) {
      for (std::size_t v = 0; v < texts.size(); ++v) search_.found.classes.emplace_back(texts[v], counts[v]);
    }
    search_.keep(i, texts, counts.first(texts.size()), keys.threshold);
    counts = counts.subspan(texts.size());
    if (!column.values) continue;
    if (column.type == ColumnType::ordinal) sort_numbers(*column.values);
    search_.tell(i, fmt::format("{} value{} found", column.values->size(), column.values->size() == 1 ? "" : "s"));
  }
}

}  // namespace sosia
