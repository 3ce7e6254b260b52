// SPDX-License-Identifier: Apache-2.0
// Keys that nobody has declared: a noisy count for each key that occurs, and a threshold.
//
// Claim: with Gaussian noise of multiplier `noise` on the counts, which is one Gaussian event, and the threshold tau,
// which is one event of total variation `delta`, what is released is private.
//
// Proof. Of two neighbouring tables let A be the keys that both hold, B those that only one holds. Each key's noise is
// its own, so a release is a pair: what passes of A, and what passes of B. The counts of A differ by at most the
// sensitivity of the lattice (one count of weight 1 in each column, max_rows rows a unit): a Gaussian event. B belongs
// to the unit that differs: at most `keys` of them, counted at most max_rows each, so that with probability 1 - delta
// none of them passes, which is all that the other table can show. Keys, threshold and noise of one key depend on no
// other key, so the pair is a composition of the two. Under `replace` both units may have keys of their own.
#include "privacy/door_keys.h"

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/json_reader.h"
#include "base/thread_pool.h"
#include "privacy/accounting/partition_selection.h"
#include "privacy/door.h"

namespace sosia {

namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using KeyCounts = std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>>;

/// The rows part of the keys, for what bounds units.
class FingerprintScan : public RowScan {
 public:
  explicit FingerprintScan(std::unique_ptr<KeyScan> scan) : scan_(std::move(scan)) {}

  bool next(RowBlock& block) override {
    KeyBlock keys;
    if (!scan_->next(keys)) return false;
    block = std::move(keys.rows);
    return true;
  }

 private:
  std::unique_ptr<KeyScan> scan_;
};

void add(const KeyBlock& block, const RowChoice& choice, std::vector<KeyCounts>& counts) {
  for (std::size_t j = 0; j < counts.size(); ++j) {
    for (std::size_t i = 0; i < block.texts[j].size(); ++i) {
      const std::string_view text = block.texts[j][i];
      if (text.data() == nullptr || choice.drops(block.rows.first_row + static_cast<std::int64_t>(i))) continue;
      const auto found = counts[j].find(text);
      found == counts[j].end() ? void(counts[j].emplace(text, 1)) : void(++found->second);
    }
  }
}

/// In the order of their text, which is the order in which noise is drawn.
std::map<std::string, std::int64_t> merged(std::vector<std::vector<KeyCounts>>& parts, std::size_t column) {
  std::map<std::string, std::int64_t> total;
  for (auto& part : parts) {
    for (const auto& [text, count] : part[column]) {
      if (is_clean_text(text)) total[text] += count;
    }
    part[column].clear();
  }
  return total;
}

}  // namespace

double key_threshold(double sigma, int columns, std::int64_t max_rows, Neighbors relation, double delta) {
  const std::int64_t own_keys = max_rows * columns * (relation == Neighbors::replace ? 2 : 1);
  return accounting::gaussian_threshold(sigma, own_keys, static_cast<double>(max_rows), delta);
}

Keys Door::release_keys(const PrivateKeys& keys, const GridRequest& request, const Event& event, double delta,
                        NoiseSource& source, ThreadPool& threads) {
  const auto columns = static_cast<std::size_t>(keys.columns());
  RowChoice choice(1.0, request.max_rows, nullptr);
  const auto open = [&] { return keys.scan(TableKey()); };
  if (keys.has_units()) choice.bound_units([&] { return std::make_unique<FingerprintScan>(open()); }, threads);

  std::vector<std::vector<KeyCounts>> counts(static_cast<std::size_t>(threads.size()), std::vector<KeyCounts>(columns));
  std::atomic<std::int64_t> rows = 0;
  const std::unique_ptr<KeyScan> scan = open();
  threads.run([&](int worker) {
    KeyBlock block;
    while (scan->next(block)) {
      SOSIA_CHECK(block.texts.size() == columns, "a block of keys has another number of columns than its table");
      const auto read = static_cast<std::int64_t>(block.rows.rows.rows);
      if (rows.fetch_add(read) + read > request.row_limit) refuse_rows(request.row_limit);
      add(block, choice, counts[static_cast<std::size_t>(worker)]);
    }
  });

  const Lattice lattice = make_lattice(request);
  const std::vector<std::int64_t> weights = grid_weights(std::vector<CountSlot>(columns, {1, 1.0}), lattice);
  const double sigma = source.is_off ? 0.0 : lattice.sigma();
  const double threshold =
      source.is_off ? 0.0 : key_threshold(sigma, keys.columns(), request.max_rows, request.relation, delta);
  Keys result{std::vector<std::vector<std::string>>(columns),
              Release({}, lattice.step, sigma, event, source.has_guarantee()), threshold};
  std::vector<std::int64_t> kept;
  for (std::size_t j = 0; j < columns; ++j) {
    const auto total = merged(counts, j);
    std::vector<std::int64_t> cells = draw_noise(total.size(), lattice, source, threads).cells;
    std::size_t i = 0;
    for (const auto& [text, count] : total) {
      const std::int64_t cell = cells[i++] + count * weights[j];
      // Noise is rounded to the grid, so by less than a step: what is above by a step would be above without rounding.
      if (static_cast<double>(cell) * lattice.step <= threshold + lattice.step) continue;
      result.columns[j].push_back(text);
      kept.push_back(cell);
    }
  }
  result.counts = Release(std::move(kept), lattice.step, sigma, event, source.has_guarantee());
  return result;
}

}  // namespace sosia
