// SPDX-License-Identifier: Apache-2.0
// Arrow arrays of the many types that files store columns in.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/schema.h>

#include <arrow/type_fwd.h>

namespace sosia::testing {

/// By Arrow's name of it: "int8", "timestamp[us, tz=UTC]", "decimal128(12, 2)", "dictionary" for one of texts.
std::shared_ptr<arrow::DataType> arrow_type(std::string_view name);

/// As build_numbers and build_labels have it, in any type.
std::shared_ptr<arrow::Array> typed_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, std::string_view type);
std::shared_ptr<arrow::Array> typed_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, std::string_view type);

}  // namespace sosia::testing
