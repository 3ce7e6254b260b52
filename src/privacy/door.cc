// SPDX-License-Identifier: Apache-2.0
#include "privacy/door.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "base/thread_pool.h"
#include "privacy/quantize.h"
#include "privacy/quantize_factors.h"
#include "privacy/scores.h"
#include "random/exponential_choice.h"
#include "random/lattice_gaussian.h"

namespace sosia {

namespace {

constexpr std::uint32_t kNoPart = 0xffffffff;
// Numbers whose noise is drawn in one go; more are spread over threads.
constexpr std::size_t kNoisePiece = 3000;

// Refuses rows beyond the public limit: the grid has room for that many.
class LimitedScan : public RowScan {
 public:
  LimitedScan(std::unique_ptr<RowScan> scan, const PrivateTable& table, std::int64_t limit)
      : scan_(std::move(scan)),
        columns_(static_cast<std::size_t>(table.columns())),
        has_units_(table.has_units()),
        limit_(limit) {}

  bool next(RowBlock& block) override {
    if (!scan_->next(block)) return false;
    SOSIA_CHECK(block.rows.cols == columns_, "a block of rows has another number of columns than its table");
    SOSIA_CHECK(block.units.size() == (has_units_ ? block.rows.rows : 0),
                "a block of rows has other unit ids than its table");
    const auto rows = static_cast<std::int64_t>(block.rows.rows);
    if (rows_.fetch_add(rows) + rows > limit_) refuse_rows(limit_);
    return true;
  }

 private:
  std::unique_ptr<RowScan> scan_;
  std::size_t columns_;
  bool has_units_;
  std::int64_t limit_;
  std::atomic<std::int64_t> rows_ = 0;
};

template <class T>
std::string fingerprint(const std::vector<T>& facts) {
  unsigned char hash[crypto_generichash_BYTES_MIN];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(facts.data()), facts.size() * sizeof(T),
                     nullptr, 0);
  std::string text;
  for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

std::size_t rows_in_stretch(std::size_t row_bytes) { return std::max<std::size_t>(1, kStretchBytes / row_bytes); }

void merge(std::vector<std::vector<std::int64_t>>& parts, std::vector<std::int64_t>& total) {
  for (const std::vector<std::int64_t>& part : parts) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  }
}

}  // namespace

std::size_t numbers_of(const BoundedMap& map) {
  return static_cast<std::size_t>(map.parts()) * (static_cast<std::size_t>(map.dim()) + (map.count_weight() > 0.0));
}

std::size_t numbers_of(const FactoredMap& map) {
  std::size_t size = map.sign_weight() > 0.0 ? 1 : 0;
  for (const FactorShape& shape : map.shapes()) size += shape.size();
  return size;
}

std::size_t numbers_of(const CountMap& map) {
  std::size_t cells = 0;
  for (const CountSlot& slot : map.slots()) cells += slot.width;
  return cells;
}

void refuse_rows(std::int64_t limit) {
  throw Error(ErrorKind::data,
              fmt::format("the table has more rows than its declared limit of {} (count withheld: private)", limit),
              "reading a private table; what was charged for it stays spent",
              "declare a higher row limit for the table");
}

Door::Door(const PrivateTable& table, const GridRequest& request, ThreadPool& threads)
    : table_(table), request_(request), lattice_(make_lattice(request)), threads_(threads) {}

std::unique_ptr<RowScan> Door::open() const {
  return std::make_unique<LimitedScan>(table_.scan(TableKey()), table_, request_.row_limit);
}

template <class Visit>
std::int64_t Door::for_each_stretch(RowChoice& choice, std::size_t most_rows, const Visit& visit) const {
  if (table_.has_units()) {
    choice.bound_units([this] { return open(); }, threads_);
  }
  std::atomic<std::int64_t> rows_read = 0;
  const std::unique_ptr<RowScan> scan = open();
  threads_.run([&](int worker) {
    const auto visit_in_stretches = [&](MatrixView<const float> rows) {
      for (std::size_t first = 0; first < rows.rows; first += most_rows) {
        const std::size_t count = std::min(most_rows, rows.rows - first);
        visit(worker, MatrixView<const float>(rows.data + first * rows.stride, count, rows.cols, rows.stride));
      }
    };
    const auto columns = static_cast<std::size_t>(table_.columns());
    std::vector<float> gathered;  // of small samples, from several blocks: a stretch of few rows is slow
    const auto visit_gathered = [&] {
      visit_in_stretches({gathered.data(), gathered.size() / columns, columns});
      gathered.clear();
    };
    RowBlock block;
    while (scan->next(block)) {
      rows_read += static_cast<std::int64_t>(block.rows.rows);
      if (choice.takes_all()) {
        visit_in_stretches(block.rows);
        continue;
      }
      choice.gather(block, gathered);
      if (gathered.size() >= most_rows * columns) visit_gathered();
    }
    visit_gathered();
  });
  return rows_read;
}

PartialSum Door::sum(const BoundedMap& map, RowChoice& choice) const {
  const auto dim = static_cast<std::size_t>(map.dim());
  const std::size_t size = numbers_of(map);
  const Quantizer quantizer(lattice_, map.dim(), request_.nonnegative);
  const std::size_t most_rows = rows_in_stretch(dim * sizeof(float));
  std::vector<std::vector<std::int64_t>> sums(threads_.size(), std::vector<std::int64_t>(size));
  std::vector<std::vector<float>> vectors(threads_.size());
  std::vector<std::vector<std::uint32_t>> parts(threads_.size());

  PartialSum result(request_, lattice_,
                    fingerprint(std::vector<double>{1.0, static_cast<double>(dim), request_.norm_bound,
                                                    request_.nonnegative ? 1.0 : 0.0, static_cast<double>(map.parts()),
                                                    request_.count_weight}),
                    size);
  result.rows_ = for_each_stretch(choice, most_rows, [&](int worker, MatrixView<const float> rows) {
    // Cleared first: what a map forgets to write must not be left over from another row.
    vectors[worker].assign(rows.rows * dim, 0.0F);
    const MatrixView<float> out(vectors[worker].data(), rows.rows, dim);
    map.forward(rows, out);
    parts[worker].assign(rows.rows, kNoPart);
    map.assign(rows, parts[worker]);
    quantizer.add(out, parts[worker], sums[worker]);
  });
  merge(sums, result.cells_);
  return result;
}

PartialSum Door::sum(const FactoredMap& map, RowChoice& choice) const {
  const std::size_t size = numbers_of(map);
  std::vector<double> facts = {3.0, request_.norm_bound, request_.count_weight, static_cast<double>(map.terms())};
  std::size_t row_bytes = 0;
  for (const FactorShape& shape : map.shapes()) {
    facts.insert(facts.end(), {static_cast<double>(shape.inputs), static_cast<double>(shape.outputs)});
    row_bytes += map.terms() * (shape.inputs + shape.outputs) * (sizeof(float) + sizeof(double));
  }
  std::vector<std::vector<std::int64_t>> sums(threads_.size(), std::vector<std::int64_t>(size));
  std::vector<FactorQuantizer> quantizers(threads_.size(), FactorQuantizer(lattice_, map.shapes(), map.terms()));

  PartialSum result(request_, lattice_, fingerprint(facts), size);
  result.rows_ = for_each_stretch(choice, rows_in_stretch(row_bytes), [&](int worker, MatrixView<const float> rows) {
    map.forward(rows, quantizers[worker].room(rows.rows));
    quantizers[worker].add(sums[worker]);
  });
  merge(sums, result.cells_);
  return result;
}

PartialSum Door::sum(const CountMap& map, RowChoice& choice) const {
  const std::span<const CountSlot> slots = map.slots();
  const std::vector<std::int64_t> weights = grid_weights(slots, lattice_);
  const std::size_t size = numbers_of(map);
  std::vector<double> facts = {2.0};
  for (const CountSlot& slot : slots) facts.insert(facts.end(), {static_cast<double>(slot.width), slot.weight});
  const std::size_t most_rows = rows_in_stretch(slots.size() * sizeof(std::uint32_t));
  std::vector<std::vector<std::int64_t>> counts(threads_.size(), std::vector<std::int64_t>(size));
  std::vector<std::vector<std::uint32_t>> cells(threads_.size());

  PartialSum result(request_, lattice_, fingerprint(facts), size);
  result.rows_ = for_each_stretch(choice, most_rows, [&](int worker, MatrixView<const float> rows) {
    cells[worker].assign(rows.rows * slots.size(), CountMap::kNoCell);
    const MatrixView<std::uint32_t> out(cells[worker].data(), rows.rows, slots.size());
    map.forward(rows, out);
    add_counts(out, slots, counts[worker]);
  });
  merge(counts, result.cells_);
  std::size_t cell = 0;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    for (const std::size_t end = cell + slots[j].width; cell < end; ++cell) result.cells_[cell] *= weights[j];
  }
  return result;
}

Noise Door::draw_noise(std::size_t size, const Lattice& lattice, NoiseSource& source, ThreadPool& threads) {
  Noise noise{std::vector<std::int64_t>(size), source.is_off ? 0.0 : lattice.sigma(), source.has_guarantee()};
  if (source.is_off) return noise;
  if (size <= kNoisePiece) {
    add_lattice_gaussian(noise.cells, lattice.bits, source.rng);
    return noise;
  }
  // Each piece has a generator of its own, whoever draws it.
  std::vector<SecureRng> rngs;
  for (std::size_t first = 0; first < size; first += kNoisePiece) rngs.push_back(source.rng.fork());
  threads.parallel_for(static_cast<std::int64_t>(rngs.size()), [&](std::int64_t i) {
    const std::size_t first = static_cast<std::size_t>(i) * kNoisePiece;
    const std::span<std::int64_t> piece = std::span(noise.cells).subspan(first, std::min(kNoisePiece, size - first));
    add_lattice_gaussian(piece, lattice.bits, rngs[static_cast<std::size_t>(i)]);
  });
  return noise;
}

namespace {

// Modulo 2^64: a post-processing like any other, and it takes noise of 2^26 sigma to see it.
void add(std::span<const std::int64_t> sum, std::vector<std::int64_t>& noise) {
  SOSIA_CHECK(sum.size() == noise.size(), "there must be noise for every number that is released");
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(noise[i]) + static_cast<std::uint64_t>(sum[i]));
  }
}

}  // namespace

Release Door::release(const PartialSum& sum, Noise noise, const Event& event) {
  add(sum.cells_, noise.cells);
  return {std::move(noise.cells), sum.lattice_.step, noise.sigma, event, noise.has_guarantee};
}

Release Door::release_scores(const PartialSum& counts, const CountMap& map, std::span<const double> expected,
                             Noise noise, const Event& event) {
  const Lattice& lattice = counts.lattice_;
  add(slot_scores(map.slots(), grid_weights(map.slots(), lattice), counts.cells_, expected), noise.cells);
  return {std::move(noise.cells), lattice.step, noise.sigma, event, noise.has_guarantee};
}

Release::Release(std::vector<std::int64_t> cells, double step, double sigma, Event event, bool has_guarantee)
    : cells_(std::move(cells)), step_(step), sigma_(sigma), event_(std::move(event)), has_guarantee_(has_guarantee) {
  values_.reserve(cells_.size());
  for (const std::int64_t cell : cells_) values_.push_back(static_cast<double>(cell) * step_);
}

std::vector<int> Door::pick(const PartialSum& counts, const CountMap& map, const LabelScores& label_scores,
                            const Picks& how, NoiseSource& source) {
  std::vector<std::int64_t> scores =
      label_scores.of(map.slots(), grid_weights(map.slots(), counts.lattice_), counts.cells_);
  for (std::size_t j = 0; j < how.chance.size(); ++j) scores[j] -= LabelScores::of_rows(how.chance[j]);
  if (source.is_off) return largest(scores, how.count);
  // P(slot) ~ e^(epsilon score / (2 sensitivity)), epsilon rounded down to a multiple of 2^-32.
  const auto rate = static_cast<std::uint64_t>(std::floor(std::ldexp(how.epsilon, 32)));
  const std::int64_t sensitivity = label_scores.sensitivity(counts.request_.relation, counts.request_.max_rows);
  const u128 under = (u128(1) << 33) * static_cast<std::uint64_t>(sensitivity);
  std::vector<int> slots(scores.size()), picked;
  std::iota(slots.begin(), slots.end(), 0);
  while (static_cast<int>(picked.size()) < how.count) {
    const auto i = static_cast<std::ptrdiff_t>(exponential_choice(scores, rate, under, source.rng));
    picked.push_back(slots[static_cast<std::size_t>(i)]);
    slots.erase(slots.begin() + i);
    scores.erase(scores.begin() + i);
  }
  return picked;
}

}  // namespace sosia
