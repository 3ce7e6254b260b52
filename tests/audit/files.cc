// SPDX-License-Identifier: Apache-2.0
// From a table in a file to the release: unit ids, schema and codec are on the way. A unit that contributes nothing is
// one without rows here.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <sosia/discovery.h>

#include "base/thread_pool.h"
#include "data/open_table.h"
#include "discovery/number_scale.h"
#include "discovery/survey.h"
#include "grid.h"

namespace sosia::audit {

namespace {

namespace fs = std::filesystem;

/// For the files of one run of the audit.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("sosia_audit_{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path file(const std::string& text) {
    fs::path path = path_ / fmt::format("{}.csv", files_++);
    std::ofstream(path) << text;
    return path;
  }

 private:
  fs::path path_;
  int files_ = 0;
};

/// The table with or without the canary: others are from the middle of all ranges.
std::string table_of(const UnitShape& shape, Neighbors relation, bool with_canary) {
  std::string text = "id,word,number,side\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("u{},common,{},{}\n", i, 500 + i, i % 2 == 0 ? "left" : "right");
  if (!with_canary && relation != Neighbors::replace) return text;
  for (int i = 0; i < shape.rows; ++i) text += with_canary ? "canary,mine,0,left\n" : "canary,own,1023,right\n";
  return text;
}

struct Asked {
  UnitShape shape;
  Neighbors relation;
  fs::path without, with;
  Schema schema = {};
  DiscoveryOptions options = {};
  Promise promise = {};

  const fs::path& file(bool with_canary) const { return with_canary ? with : without; }
};

Asked asked(const std::shared_ptr<Folder>& folder, const UnitShape& shape, Neighbors relation) {
  const auto file = [&](bool canary) { return folder->file(table_of(shape, relation, canary)); };
  Asked result{shape, relation, file(false), file(true)};
  result.schema = {.columns = {{.name = "number", .type = ColumnType::integer, .min = 0.0, .max = 1023.0}},
                   .unit = shape.unit,
                   .relation = relation};
  if (!shape.unit.column.empty()) {
    result.schema.columns.push_back({.name = shape.unit.column, .type = ColumnType::identifier});
  }
  result.options.threads = 1;
  result.promise = {.epsilon = 100.0, .delta = 0.1, .relation = relation, .unit = shape.unit, .selection_delta = 0.05};
  return result;
}

/// All counts of the tree that quantiles are read off: the claim is attained, as both ends of the range are in other
/// nodes at every level.
Scenario quantiles(const std::shared_ptr<Folder>& folder, const UnitShape& shape, Neighbors relation) {
  const Asked a = asked(folder, shape, relation);
  return {.name = name_of("quantiles", shape, relation),
          .claim = {relation, {{Gaussian{1.0}}}},
          .reach = 1.0,
          .cost = 20,
          .run = [a, folder](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = Ledger::for_tests(a.promise, seed);
            const Search search(a.schema, a.options, a.promise);
            const Column& column = a.schema.columns.front();
            const NumberScale scale = fine_cells(column);
            Survey survey;
            const std::size_t tree = survey.ask_tree(scale.cut(as_counted(column)), TreeShape(scale.size()));
            const auto file = open_table(a.file(canary), a.schema, {});
            survey.hold({file, ledger, threads}, search, {.noise = 1.0, .label = "audit"});
            Shown result{.is_normal = true};
            for (const double count : survey.answer(tree)) result.numbers.push_back(count / survey.sigma());
            return result;
          }};
}

/// Everything is open. What is compared is what is published as numbers: rows and classes, with their noise.
Scenario discovery(const std::shared_ptr<Folder>& folder, const UnitShape& shape, Neighbors relation) {
  Asked a = asked(folder, shape, relation);
  a.schema.columns.front().min = a.schema.columns.front().max = {};
  a.schema.columns.push_back({.name = "word"});
  a.schema.columns.push_back({.name = "side", .values = std::vector<std::string>{"left", "right"}});
  a.schema.target = "side";
  a.promise.epsilon = 3.0;
  Plan claim{relation, {}};
  const auto steps = plan_discovery(a.schema, a.options, Ledger::for_tests(a.promise, 1));
  for (const DiscoveryStep& step : steps) {
    claim.events.push_back({Gaussian{step.noise}});
    if (step.delta > 0.0) claim.events.push_back({PartitionSelection{0.0, step.delta}});
  }
  return {.name = name_of("discovery", shape, relation),
          .claim = claim,
          .reach = 1.0 / steps.front().noise,
          .is_attained = false,
          .cost = 20,
          .run = [a, folder, sigma = steps.front().sigma](bool canary, std::uint64_t seed) {
            Ledger ledger = Ledger::for_tests(a.promise, seed);
            const Discovery found = discover(a.file(canary), a.schema, a.options, ledger);
            Shown result{.numbers = {found.rows / sigma}, .is_normal = true};
            for (const auto& [value, count] : found.classes) result.numbers.push_back(count / sigma);
            return result;
          }};
}

}  // namespace

std::vector<Scenario> scenarios_of_files() {
  const auto folder = std::make_shared<Folder>();
  std::vector<Scenario> all;
  for (const UnitShape& shape : kUnitShapes) {
    for (const Neighbors relation : kRelations) all.push_back(quantiles(folder, shape, relation));
  }
  for (const UnitShape& shape : kUnitShapes) {
    for (const Neighbors relation : kRelations) all.push_back(discovery(folder, shape, relation));
  }
  return all;
}

}  // namespace sosia::audit
