// SPDX-License-Identifier: Apache-2.0
// The one place where private rows are read, and the only maker of releases.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sosia/ledger.h>

#include "data/private_keys.h"
#include "data/private_table.h"
#include "privacy/bounded_map.h"
#include "privacy/count_map.h"
#include "privacy/factored_map.h"
#include "privacy/group_choice.h"
#include "privacy/label_scores.h"
#include "privacy/lattice.h"
#include "privacy/partial_sum.h"
#include "privacy/row_choice.h"
#include "random/secure_rng.h"

namespace sosia {

/// How many numbers a sum has: those of all parts, and their counts; all cells of all slots.
std::size_t numbers_of(const BoundedMap& map);
std::size_t numbers_of(const FactoredMap& map);
std::size_t numbers_of(const CountMap& map);

/// Throws a data error: the grid has room for so many rows only.
[[noreturn]] void refuse_rows(std::int64_t limit);

/// Where noise comes from. Switched off, nothing is private, and every release says so.
struct NoiseSource {
  SecureRng rng;
  bool is_off = false;
  bool has_guarantee() const { return !is_off && !rng.is_test(); }
};

struct Noise {
  std::vector<std::int64_t> cells;
  double sigma = 0.0;
  bool has_guarantee = false;
};

/// From rows to exact integer sums, and from these to a release. Only a ledger, which has charged the event, can use
/// it.
///
/// A row's part in a sum is an integer vector that depends on that row alone and has a norm of at most lattice.norm
/// (see Quantizer and FactorQuantizer; for counts by construction); of each unit at most max_rows rows take part (see
/// RowChoice). So the sums of neighbouring tables differ by at most the sensitivity that the Lattice states. The
/// integers are added in 64 bits without overflow: the result depends neither on the number of threads nor on the order
/// of the rows.
class Door {
  friend class Ledger;

  /// `table` must outlive the door. The request has been made from the ledger's promise.
  Door(const PrivateTable& table, const GridRequest& request, ThreadPool& threads);

  const Lattice& lattice() const { return lattice_; }
  /// Noise for a release, drawn before its rows are read (but for keys), so that its timing tells nothing about them.
  /// The same numbers from any number of threads.
  static Noise draw_noise(std::size_t size, const Lattice& lattice, NoiseSource& source, ThreadPool& threads);

  PartialSum sum(const BoundedMap& map, RowChoice& choice) const;
  PartialSum sum(const FactoredMap& map, RowChoice& choice) const;
  PartialSum sum(const CountMap& map, RowChoice& choice) const;
  /// The same by groups (door_groups.cc): each adds an integer vector of norm at most lattice.norm that depends on its
  /// rows alone. `bound` samples nothing.
  PartialSum sum(const FactoredMap& map, RowChoice& bound, const GroupChoice& groups) const;
  static Release release(const PartialSum& sum, Noise noise, const Event& event);
  /// The scores of the slots, with noise; the sensitivity in scores.h.
  static Release release_scores(const PartialSum& counts, const CountMap& map, std::span<const double> expected,
                                Noise noise, const Event& event);

  /// Slots picked one after the other by the exponential mechanism; range and sensitivity in label_scores.h.
  static std::vector<int> pick(const PartialSum& counts, const CountMap& map, const LabelScores& scores,
                               const Picks& how, NoiseSource& source);

  /// Counts the keys of each column, adds noise to each and keeps those above the threshold (door_keys.cc).
  static Keys release_keys(const PrivateKeys& keys, const GridRequest& request, const Event& event, double delta,
                           NoiseSource& source, ThreadPool& threads);

  std::unique_ptr<RowScan> open() const;
  /// Calls visit(worker, rows) for stretches of at most `most_rows` rows that take part; returns how many rows were
  /// read.
  template <class Visit>
  std::int64_t for_each_stretch(RowChoice& choice, std::size_t most_rows, const Visit& visit) const;

  const PrivateTable& table_;
  GridRequest request_;
  Lattice lattice_;
  ThreadPool& threads_;
};

}  // namespace sosia
