// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/tree.h"

#include <numeric>

#include "eval/learners/split_search.h"
#include "eval/rows.h"
#include "simd/parallel.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kFeaturesPerPiece = 4;

template <class Item>
class Grower {
 public:
  Grower(const FeatureCodes& codes, std::size_t width, std::vector<Item> items, const TreeOptions& options,
         ThreadPool& pool)
      : codes_(codes), width_(width), items_(std::move(items)), options_(options), pool_(pool) {
    features_.resize(codes.features());
    std::iota(features_.begin(), features_.end(), std::size_t{0});
  }

  GrownTree grow() {
    std::vector<std::uint32_t> places(codes_.rows(), GrownTree::kNowhere);
    std::uint32_t leaves = 0;
    nodes_.emplace_back();
    // Depth first, without recursion: a tree may be as deep as there are rows.
    std::vector<Task> tasks = {{0, 0, items_.size(), 0}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      const std::span<Item> items = std::span(items_).subspan(task.first, task.last - task.first);
      const Split split = task.depth < options_.depth && !is_pure(items) ? best_split(items) : Split{};
      if (!split.exists()) {
        for (const Item& item : items) places[item.row] = leaves;
        nodes_[task.node].low = leaves++;
        continue;
      }
      const std::size_t middle = task.first + partition(items, split);
      const auto low = static_cast<std::uint32_t>(nodes_.size());
      const double cut =
          0.5 * codes_.value(split.feature, split.last_low) + 0.5 * codes_.value(split.feature, split.first_high);
      nodes_[task.node] = {cut, static_cast<std::uint32_t>(split.feature), low, low + 1};
      nodes_.resize(nodes_.size() + 2);
      tasks.push_back({low + 1, middle, task.last, task.depth + 1});
      tasks.push_back({low, task.first, middle, task.depth + 1});
    }
    return {Tree(std::move(nodes_), leaves), std::move(places)};
  }

 private:
  /// A node that is still to be split, and its items.
  struct Task {
    std::uint32_t node;
    std::size_t first, last, depth;
  };

  static bool is_pure(std::span<const Item> items) {
    return std::all_of(items.begin(), items.end(), [&](const Item& item) { return item.is_like(items.front()); });
  }

  Split best_split(std::span<const Item> items) {
    std::vector<double> total(width_, 0.0);
    for (const Item& item : items) item.add_to(total.data());
    const bool draws = options_.tried > 0 && options_.tried < features_.size();
    if (draws || pool_.size() == 1 || items.size() * features_.size() < 2 * simd::kPieceSize) {
      SplitSearch<Item> search(codes_, items, total);
      for (std::size_t i = 0; i < features_.size(); ++i) {
        if (draws && i >= options_.tried && search.best().exists()) break;
        if (draws) std::swap(features_[i], features_[i + draw_below(features_.size() - i, options_.rng)]);
        search.try_feature(features_[i]);
      }
      return search.best();
    }
    std::vector<Split> found((features_.size() + kFeaturesPerPiece - 1) / kFeaturesPerPiece);
    simd::for_ranges(pool_, features_.size(), kFeaturesPerPiece, [&](std::size_t first, std::size_t last) {
      SplitSearch<Item> search(codes_, items, total);
      for (std::size_t f = first; f < last; ++f) search.try_feature(f);
      found[first / kFeaturesPerPiece] = search.best();
    });
    return *std::max_element(found.begin(), found.end(),
                             [](const Split& a, const Split& b) { return a.score < b.score; });
  }

  /// Low ones first, both sides in their order, so that columns are read forwards. Returns how many are low.
  std::size_t partition(std::span<Item> items, const Split& split) {
    const auto codes = codes_.of(split.feature);
    high_.clear();
    std::size_t low = 0;
    for (const Item& item : items) {
      if (codes[item.row] <= split.last_low) {
        items[low++] = item;
      } else {
        high_.push_back(item);
      }
    }
    std::copy(high_.begin(), high_.end(), items.begin() + static_cast<std::ptrdiff_t>(low));
    return low;
  }

  const FeatureCodes& codes_;
  std::size_t width_;
  std::vector<Item> items_, high_;
  TreeOptions options_;
  ThreadPool& pool_;
  std::vector<std::size_t> features_;
  std::vector<Tree::Node> nodes_;
};

}  // namespace

GrownTree grow_tree(const FeatureCodes& codes, const ClassTarget& target, std::span<const double> weights,
                    const TreeOptions& options, ThreadPool& pool) {
  std::vector<ClassItem> items;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) items.push_back({static_cast<std::uint32_t>(i), target.labels[i], weights[i]});
  }
  return Grower<ClassItem>(codes, target.classes, std::move(items), options, pool).grow();
}

GrownTree grow_tree(const FeatureCodes& codes, const NumberTarget& target, std::span<const double> weights,
                    const TreeOptions& options, ThreadPool& pool) {
  std::vector<NumberItem> items;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) items.push_back({static_cast<std::uint32_t>(i), weights[i], target.numbers[i]});
  }
  return Grower<NumberItem>(codes, 2, std::move(items), options, pool).grow();
}

}  // namespace sosia::eval
