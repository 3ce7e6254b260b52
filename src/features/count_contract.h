// SPDX-License-Identifier: Apache-2.0
// The contract that every map of counts keeps, whatever it counts. To be run on each of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix.h"
#include "privacy/count_map.h"

namespace sosia {

/// The cells of encoded rows of `fields` numbers, read from a matrix with room between its rows.
inline std::vector<std::uint32_t> cells_hit(const CountMap& map, const std::vector<float>& rows, std::size_t fields,
                                            std::size_t gap = 0) {
  const std::size_t count = rows.size() / fields, slots = map.slots().size();
  std::vector<float> spaced(count * (fields + gap), -1.0F);
  for (std::size_t i = 0; i < rows.size(); ++i) spaced[i / fields * (fields + gap) + i % fields] = rows[i];
  std::vector<std::uint32_t> cells(count * (slots + gap), 0xabcdabcd), tight;
  map.forward({spaced.data(), count, fields, fields + gap}, {cells.data(), count, slots, slots + gap});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % (slots + gap) < slots) {
      tight.push_back(cells[i]);
    } else {
      EXPECT_EQ(cells[i], 0xabcdabcd) << "written outside";
    }
  }
  return tight;
}

/// A row has one cell or none in each slot; so its contribution, spelled out, has at most the norm that the door takes.
inline void expect_norm_bound(const CountMap& map, const std::vector<float>& rows, std::size_t fields) {
  const auto slots = map.slots();
  double bound = 0.0;
  for (const CountSlot& slot : slots) bound += slot.weight * slot.weight;
  const std::vector<std::uint32_t> cells = cells_hit(map, rows, fields);
  ASSERT_EQ(cells.size(), rows.size() / fields * slots.size());
  for (std::size_t r = 0; r < rows.size() / fields; ++r) {
    double squares = 0.0;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      const std::uint32_t cell = cells[r * slots.size() + j];
      EXPECT_TRUE(cell < slots[j].width || cell == CountMap::kNoCell) << "row " << r << ", slot " << j;
      if (cell < slots[j].width) squares += slots[j].weight * slots[j].weight;
    }
    EXPECT_LE(std::sqrt(squares), std::sqrt(bound));
  }
}

/// To the bit: alone, in another place, among other neighbours, in a matrix of another stride.
inline void expect_row_independence(const CountMap& map, const std::vector<float>& rows, std::size_t fields) {
  const std::size_t count = rows.size() / fields, slots = map.slots().size();
  const std::vector<std::uint32_t> together = cells_hit(map, rows, fields);
  EXPECT_EQ(cells_hit(map, rows, fields, 3), together);
  const auto row_of = [](const auto& table, std::size_t r, std::size_t width) {
    return std::vector(table.begin() + static_cast<std::ptrdiff_t>(r * width),
                       table.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
  };
  std::vector<float> reversed;
  for (std::size_t r = count; r-- > 0;) {
    for (const float number : row_of(rows, r, fields)) reversed.push_back(number);
  }
  const std::vector<std::uint32_t> backwards = cells_hit(map, reversed, fields);
  for (std::size_t r = 0; r < count; ++r) {
    const std::vector<float> row = row_of(rows, r, fields);
    const std::vector<std::uint32_t> expected = row_of(together, r, slots);
    EXPECT_EQ(cells_hit(map, row, fields), expected) << "row " << r << " alone";
    EXPECT_EQ(row_of(backwards, count - 1 - r, slots), expected) << "row " << r << " in another place";
    std::vector<float> twins = row;
    twins.insert(twins.end(), row.begin(), row.end());
    EXPECT_EQ(row_of(cells_hit(map, twins, fields), 1, slots), expected) << "row " << r << " beside itself";
  }
}

inline void expect_contract(const CountMap& map, const std::vector<float>& rows, std::size_t fields) {
  expect_norm_bound(map, rows, fields);
  expect_row_independence(map, rows, fields);
}

}  // namespace sosia
