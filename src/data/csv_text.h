// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <string>
#include <string_view>

#include "data/arrow_guard.h"

namespace sosia {

/// Rows as CSV text. Quotes only what needs them; missing values are the missing word. In a table of one column an
/// empty text is "" lest readers skip its line.
class CsvText {
 public:
  CsvText(const arrow::Schema& schema, char delimiter, std::string missing_word, Fault fault);

  void append_header(const arrow::Schema& schema, std::string& out) const;
  void append_rows(const arrow::RecordBatch& batch, std::string& out) const;

 private:
  char* put(std::string_view text, bool plain, char* out) const;

  char delimiter_;
  std::string missing_word_;
  bool one_column_;
  bool plain_numbers_;  ///< no number or date has the delimiter in it
  std::array<bool, 256> needs_quotes_{};
  Fault fault_;
};

}  // namespace sosia
