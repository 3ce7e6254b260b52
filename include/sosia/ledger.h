// SPDX-License-Identifier: Apache-2.0
// The promise, the budget, and the one door through which private data leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/accounting.h>
#include <sosia/plan.h>

namespace sosia {

class BoundedMap;    // src/privacy/bounded_map.h
class Certificate;   // sosia/certificate.h
class CountMap;      // src/privacy/count_map.h
class FactoredMap;   // src/privacy/factored_map.h
class PartialSum;    // src/privacy/partial_sum.h
class LedgerFile;    // sosia/ledger_file.h
class PrivateKeys;   // src/data/private_keys.h
class PrivateTable;  // src/data/private_table.h
class RunFile;       // sosia/run_file.h
class UnitHash;      // src/data/unit_hash.h
class SecureRng;     // src/random/secure_rng.h
class ThreadPool;    // src/base/thread_pool.h

/// Whose privacy is protected. Without an id column each row is a unit of its own. With one, all rows of a unit
/// are protected together: at most `max_rows` of them are used, and every sensitivity is multiplied by that.
struct PrivacyUnit {
  std::string column = {};
  std::int64_t max_rows = 1;
  bool operator==(const PrivacyUnit&) const = default;
};

/// The guarantee, made once, before any data is read.
struct Promise {
  double epsilon = 1.0;
  double delta = 1e-6;
  Neighbors relation = Neighbors::add_remove;
  PrivacyUnit unit = {};
  double selection_delta = 0.0;  ///< part of delta set aside for partition selection, fixed here
  bool operator==(const Promise&) const = default;
};

/// How a ledger decides whether one more event is affordable. All three are proved (docs/methods/accounting.md).
enum class Spending {
  gaussian,  ///< Gaussian-DP filter: events and their noise may depend on earlier releases (default)
  renyi,     ///< Renyi filter at one order fixed here: the same for any event, sampled ones too; looser
  planned    ///< a plan fixed here, priced by the tightest accountant; nothing outside it is allowed
};

/// "gaussian", "renyi" or "planned", and back. An unknown name is a usage error that lists the valid ones.
const char* name_of(Spending spending) noexcept;
Spending spending_from(std::string_view name);

/// A noisy vector, the scale of its noise and its price. Only a ledger can make one.
class Release {
 public:
  /// The released numbers: cells()[i] * step().
  std::span<const double> values() const { return values_; }
  /// The same as integers on the release's grid. Every output lies on it, whatever the data.
  std::span<const std::int64_t> cells() const { return cells_; }
  double step() const { return step_; }
  /// Standard deviation of the noise on each value.
  double sigma() const { return sigma_; }
  const Event& event() const { return event_; }
  /// False if there was no noise, or if it was reproducible, for tests only.
  bool has_guarantee() const { return has_guarantee_; }

 private:
  friend class Door;
  Release(std::vector<std::int64_t> cells, double step, double sigma, Event event, bool has_guarantee);

  std::vector<std::int64_t> cells_;
  std::vector<double> values_;
  double step_, sigma_;
  Event event_;
  bool has_guarantee_;
};

/// How to take a noisy sum.
struct NoisySum {
  double noise = 0.0;      ///< the multiplier of the event, > 0: sigma / sensitivity, or see SampledGaussian
  double rate = 1.0;       ///< Poisson sampling rate of units; below 1 the event is a SampledGaussian
  std::string label = {};  ///< what it is for
  /// Above 0, for maps by factors: units are spread over so many groups at random, afresh for each sum; groups are
  /// sampled, and the bound holds for the vector of a group, the sum of its rows'. The event is a GroupedGaussian.
  std::int64_t groups = 0;
};

/// What taking `count` such sums costs.
Event event_of(const NoisySum& how, std::int64_t count = 1);

/// How to find the keys of columns whose values nobody has declared.
struct NoisyKeys {
  double noise = 0.0;      ///< the multiplier of the Gaussian event, > 0
  double delta = 0.0;      ///< the chance that a key which one unit alone holds is shown; out of selection_delta
  std::string label = {};  ///< what it is for
};

/// The keys that many units hold, in the order of their text, and about how many rows hold them.
struct Keys {
  std::vector<std::vector<std::string>> columns;
  Release counts;          ///< one number for each key, column after column
  double threshold = 0.0;  ///< noisy counts up to this were left out
};

/// Candidates picked by noisy scores, best first, with the scores that they were picked by.
struct Choice {
  std::vector<int> picked;
  Release scores;
};

/// How to pick slots one after the other.
struct Picks {
  int count = 1;
  double epsilon = 0.0;             ///< of the exponential mechanism, for each of them
  std::vector<double> chance = {};  ///< of each slot, a public number of rows to take off its score; empty: none
  std::string label = {};           ///< what they are for
};

/// The epsilon of each of `count` picks that cost together what one Gaussian release of this noise multiplier does.
double epsilon_of_picks(double noise, int count);

/// Not thread-safe: one call at a time.
class Ledger {
 public:
  /// Opens a ledger whose noise comes from the operating system, or from the key of a run. Refuses a promise that means
  /// nothing.
  explicit Ledger(const Promise& promise, Spending spending = Spending::gaussian, const RunFile* run = nullptr);
  /// Opens a ledger for exactly these events. Refuses a plan above the promise.
  Ledger(const Promise& promise, Plan plan, const RunFile* run = nullptr);
  /// The same, after the whole promise (or the plan) has been reserved from the data set's ledger file: on return it is
  /// on the disk, and spent whatever becomes of this ledger. The promise must have the file's relation and unit. Not
  /// for renyi spending, whose promise is no event that a file could hold. A run that has reserved before goes on with
  /// that reservation, and nothing is charged.
  static Ledger reserved(LedgerFile& file, const Promise& promise, const std::string& purpose,
                         const RunFile* run = nullptr);
  static Ledger reserved(LedgerFile& file, const Promise& promise, const Plan& plan, const std::string& purpose,
                         const RunFile* run = nullptr);
  /// For tests only: the noise is reproducible, so everything made with it is stamped as carrying no guarantee.
  static Ledger for_tests(const Promise& promise, std::uint64_t seed, Spending spending = Spending::gaussian);
  static Ledger for_tests(const Promise& promise, const Plan& plan, std::uint64_t seed);
  /// No noise and no budget: nothing made with it is private, and everything says so.
  static Ledger without_privacy(Neighbors relation, const PrivacyUnit& unit);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  const Promise& promise() const;
  const std::vector<Event>& events() const;
  /// What the ledger was opened for; null unless it was a plan.
  const Plan* plan() const;
  bool has_guarantee() const;
  bool is_private() const;
  /// What those who read tables for this ledger hash ids of units by, under a secret key: fresh, or that of the run.
  const UnitHash& unit_hash() const;

  /// The epsilon that would be spent, at the promise's delta, if the event were charged now. Infinite if it can
  /// never be. Spends nothing.
  double price(const Event& event) const;
  double spent_epsilon() const;
  /// The smallest multiplier of a Gaussian release that takes this share of what is left of mu^2.
  double noise_for_share(double share) const;

  /// The door. The event is charged before any row is read; what would overspend is refused and costs nothing.
  Release noisy_sum(const PrivateTable& table, const BoundedMap& map, const NoisySum& how, ThreadPool& threads);
  Release noisy_sum(const PrivateTable& table, const FactoredMap& map, const NoisySum& how, ThreadPool& threads);
  Release noisy_counts(const PrivateTable& table, const CountMap& map, const NoisySum& how, ThreadPool& threads);

  /// The door for keys. Two events: the noise, and the chance that the threshold fails. Both are charged before any row
  /// is read, or none.
  Keys noisy_keys(const PrivateKeys& keys, const NoisyKeys& how, ThreadPool& threads);

  /// The sum of one shard, without noise: still private, to be merged and then noised once by `noisy_sum`.
  PartialSum partial_sum(const PrivateTable& table, const BoundedMap& map, const NoisySum& how,
                         ThreadPool& threads) const;
  PartialSum partial_counts(const PrivateTable& table, const CountMap& map, const NoisySum& how,
                            ThreadPool& threads) const;
  Release noisy_sum(const PartialSum& sum, const NoisySum& how);

  /// The smaller door: picks the `picks` slots whose counts lie farthest (in L1, times the slot's weight) from the
  /// public `expected` counts, of which there is one for every cell of every slot.
  Choice private_choice(const PrivateTable& table, const CountMap& map, std::span<const double> expected, int picks,
                        const NoisySum& how, ThreadPool& threads);

  /// The smallest door: slots whose values say most about the class, best first, by the exponential mechanism; nothing
  /// is shown but which. A slot's cells are the classes times the values, the value running fastest; `class_shares` are
  /// public, or all 0: those of the rows themselves. Many slots cost no more than few.
  std::vector<int> private_picks(const PrivateTable& table, const CountMap& map, std::span<const double> class_shares,
                                 const Picks& how, ThreadPool& threads);

  /// What was promised, spent, assumed and released, to be published with everything made from the releases.
  Certificate certificate() const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  template <class Map>
  Release release_of(const PrivateTable& table, const Map& map, const NoisySum& how, ThreadPool& threads);
  template <class Map>
  PartialSum partial_of(const PrivateTable& table, const Map& map, const NoisySum& how, ThreadPool& threads) const;
  std::unique_ptr<State> state_;
};

}  // namespace sosia
