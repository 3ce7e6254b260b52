// SPDX-License-Identifier: Apache-2.0
#include "generate/class_shares.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sosia {

namespace {

constexpr double kCellsOfAll = 32.0;    // what all fields say counts as so many cells of the field's own
constexpr double kLeastOfCommon = 0.1;  // of a group's share in all rows remains in each class

/// Counts of one field by class, in shares of the class.
struct ByClass {
  std::size_t field = 0;
  std::vector<std::uint32_t> group;             ///< of each group of the field's finest view
  std::vector<std::uint32_t> part;              ///< of each class
  std::vector<double> common, common_variance;  ///< shares of all rows, and the variance of their noise
  std::vector<double> size;                     ///< share of each part
  std::vector<std::vector<double>> share;       ///< by part and group
  std::vector<double> variance;                 ///< of the noise of a share, by part
  double excess = 0.0, cells = 0.0;  ///< sum of squares beyond noise, in units of it, and the cells it is made of
  double unit = 0.0;                 ///< the excess for a variance of 1 between classes
};

std::optional<ByClass> by_class(const Measurements& measured, const Measurement& known,
                                const std::vector<std::vector<double>>& shares) {
  if (known.views.size() != 2) return std::nullopt;
  const auto view = [&](std::size_t k) -> const View& {
    return measured.views[static_cast<std::size_t>(known.views[k])];
  };
  const auto label = static_cast<std::size_t>(*measured.label);
  const bool is_first = view(0).field == *measured.label;
  if (!is_first && view(1).field != *measured.label) return std::nullopt;
  const View &classes = view(is_first ? 0 : 1), &values = view(is_first ? 1 : 0);
  ByClass out;
  out.field = static_cast<std::size_t>(values.field);
  out.group = coarser_group(measured.views[out.field], values);
  out.part = coarser_group(measured.views[label], classes);
  out.common.resize(values.width);
  out.common_variance.resize(values.width);
  out.size.resize(classes.width);
  const Measurement& single = measured.list[out.field];
  for (std::size_t g = 0; g < out.group.size(); ++g) {
    const double sigma = (single.cell_sigma.empty() ? single.sigma : single.cell_sigma[g]) / measured.rows;
    out.common[out.group[g]] += shares[out.field][g];
    out.common_variance[out.group[g]] += sigma * sigma;
  }
  for (std::size_t c = 0; c < out.part.size(); ++c) out.size[out.part[c]] += shares[label][c];
  for (std::uint32_t part = 0; part < classes.width; ++part) {
    const double rows = std::max(1.0, measured.rows * out.size[part]);
    std::vector<double>& share = out.share.emplace_back();
    for (std::uint32_t value = 0; value < values.width; ++value) {
      const std::size_t cell = is_first ? part * values.width + value : value * classes.width + part;
      share.push_back(known.counts[cell] / rows);
    }
    out.variance.push_back(std::max(known.sigma * known.sigma, 1e-9) / (rows * rows));
  }
  return out;
}

/// How far shares of classes are apart, beyond what noise explains (DerSimonian and Laird).
void measure_excess(ByClass& field) {
  double weights = 0.0, squares = 0.0;
  for (const double variance : field.variance) {
    weights += 1.0 / variance;
    squares += 1.0 / (variance * variance);
  }
  for (std::size_t g = 0; g < field.common.size(); ++g) {
    double mean = 0.0;
    for (std::size_t c = 0; c < field.share.size(); ++c) mean += field.share[c][g] / (field.variance[c] * weights);
    for (std::size_t c = 0; c < field.share.size(); ++c) {
      field.excess += (field.share[c][g] - mean) * (field.share[c][g] - mean) / field.variance[c];
    }
  }
  field.cells = static_cast<double>(field.common.size() * (field.share.size() - 1));
  field.excess -= field.cells;
  field.unit = weights - squares / weights;
}

/// Brings the shares of each class to their mean given all counts. `between`: variance between classes of a group
/// that has all rows.
void shrink(ByClass& field, double between) {
  double squared_sizes = 0.0;
  for (const double size : field.size) squared_sizes += size * size;
  for (std::size_t g = 0; g < field.common.size(); ++g) {
    const double prior = between * field.common[g];
    double weight = 1.0 / (field.common_variance[g] + prior * squared_sizes + 1e-12), weights = weight;
    double centre = weight * field.common[g];
    for (std::size_t c = 0; c < field.share.size(); ++c) {
      weight = 1.0 / (field.variance[c] + prior);
      weights += weight;
      centre += weight * field.share[c][g];
    }
    centre /= weights;
    for (std::size_t c = 0; c < field.share.size(); ++c) {
      double& share = field.share[c][g];
      share =
          std::max(kLeastOfCommon * field.common[g], centre + prior / (prior + field.variance[c]) * (share - centre));
    }
  }
}

}  // namespace

std::vector<std::vector<std::vector<double>>> class_shares(const Measurements& measured,
                                                           const std::vector<std::vector<double>>& shares) {
  const std::size_t classes = shares[static_cast<std::size_t>(*measured.label)].size();
  std::vector<std::vector<std::vector<double>>> out(classes, shares);
  std::vector<ByClass> fields;
  std::vector<bool> seen(measured.fields);
  double excess = 0.0, unit = 0.0;
  for (const Measurement& known : measured.list) {
    std::optional<ByClass> field = by_class(measured, known, shares);
    if (!field || seen[field->field]) continue;
    seen[field->field] = true;
    measure_excess(*field);
    excess += field->excess;
    unit += field->unit;
    fields.push_back(std::move(*field));
  }
  for (ByClass& field : fields) {
    const double of_all = kCellsOfAll * std::max(0.0, excess / unit);
    shrink(field, std::max(0.0, (field.cells * field.excess / field.unit + of_all) / (field.cells + kCellsOfAll)));
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<double>& to = out[c][field.field];
      double total = 0.0;
      for (std::size_t g = 0; g < to.size(); ++g) {
        const double common = field.common[field.group[g]];
        to[g] *= common > 0.0 ? field.share[field.part[c]][field.group[g]] / common : 0.0;
        total += to[g];
      }
      for (double& share : to) share = total > 0.0 ? share / total : 1.0 / static_cast<double>(to.size());
    }
  }
  return out;
}

}  // namespace sosia
