// SPDX-License-Identifier: Apache-2.0
// Arrow arrays of the few types that are written, from numbers and labels.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

/// The type of a column that is written: text, or in a typed file what the schema says, out of few: utf8, bool, int64,
/// double, date32, timestamp[us].
std::shared_ptr<arrow::DataType> output_type(const Column& column, bool typed);

/// `present[i]` is 0 where the value is missing. Text is spelled by the column: decimals, format.
std::shared_ptr<arrow::Array> build_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, const std::shared_ptr<arrow::DataType>& type);

/// Cell i is labels[codes[i]], or missing if the code is -1 or the type cannot say the label.
std::shared_ptr<arrow::Array> build_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, const std::shared_ptr<arrow::DataType>& type);

}  // namespace sosia
