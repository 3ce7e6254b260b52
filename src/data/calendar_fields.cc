// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <string>

#include "data/number_fields.h"

namespace sosia {

namespace {

constexpr int kMonths = 12, kWeekdays = 7, kHours = 24;

/// Each part has a state of its own for missing, where the column may be missing.
class CalendarFields : public NumberFields {
 public:
  CalendarFields(const Column& column, const NumberGrid& grid)
      : name_(column.name), grid_(grid), hours_(column.type == ColumnType::datetime) {}

  std::vector<Field> fields() const override {
    const int missing = grid_.missing() ? 1 : 0;
    std::vector<Field> fields = {{name_, Field::Kind::code, kMonths + missing, "month", kMonths},
                                 {name_, Field::Kind::code, kWeekdays + missing, "weekday", kWeekdays}};
    if (hours_) fields.push_back({name_, Field::Kind::code, kHours + missing, "hour", kHours});
    return fields;
  }

  void write(std::span<const GridCell> cells, MatrixView<float> rows) const override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto out = rows.row(i);
      if (cells[i].state == GridCell::kMissing) {
        out[0] = kMonths;
        out[1] = kWeekdays;
        if (hours_) out[2] = kHours;
        continue;
      }
      const double value = grid_.value(cells[i].number);
      const double day = hours_ ? std::floor(value / 86400.0) : value;
      const std::chrono::sys_days days{std::chrono::days(static_cast<int>(day))};
      out[0] = static_cast<float>(static_cast<unsigned>(std::chrono::year_month_day(days).month()) - 1);
      out[1] = static_cast<float>(std::chrono::weekday(days).iso_encoding() - 1);
      if (hours_) out[2] = static_cast<float>(std::floor((value - day * 86400.0) / 3600.0));
    }
  }

  void read(MatrixView<const float> /*rows*/, MatrixView<const float> /*uniforms*/,
            std::span<GridCell> /*cells*/) const override {}

 private:
  std::string name_;
  const NumberGrid& grid_;
  bool hours_;
};

}  // namespace

std::unique_ptr<NumberFields> calendar_fields(const Column& column, const NumberGrid& grid) {
  return std::make_unique<CalendarFields>(column, grid);
}

}  // namespace sosia
