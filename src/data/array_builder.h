// SPDX-License-Identifier: Apache-2.0
// Arrow arrays of any type from numbers and labels: what array_reader.h reads, in the other direction.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

/// Arrow's type of a StoredColumn::type ("int32", "timestamp[us, tz=UTC]", "dictionary<values=string, ...>"); text for
/// a type that the codec does not write.
std::shared_ptr<arrow::DataType> stored_type(std::string_view name);
/// In which type a column of numbers or dates comes out: the stored one, without a dictionary.
std::shared_ptr<arrow::DataType> number_type(const std::shared_ptr<arrow::DataType>& stored);

/// What a stored type can say: numbers up to `largest` steps of 10^-decimals, times in steps of so many seconds.
struct Precision {
  int decimals = 15;
  double largest = 4503599627370496.0;  ///< 2^52
  double seconds = 1;
};
Precision precision_of(const arrow::DataType& type);

/// `present[i]` is 0 where the value is missing. Text is spelled by the column: decimals, format.
std::shared_ptr<arrow::Array> build_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, const std::shared_ptr<arrow::DataType>& type);

/// Cell i is labels[codes[i]], or missing if the code is -1 or the type cannot say the label.
std::shared_ptr<arrow::Array> build_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, const std::shared_ptr<arrow::DataType>& type);

std::shared_ptr<arrow::Array> build_texts(const std::vector<std::string>& texts,
                                          const std::shared_ptr<arrow::DataType>& type);

}  // namespace sosia
