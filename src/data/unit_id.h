// SPDX-License-Identifier: Apache-2.0
// Cells as the ids of privacy units, each id in one exact form.
#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sosia {

class MissingWords;

/// Calls see(row, form) for every cell that is an id. A form is a letter for the kind of value and the value itself,
/// not a text to be shown: two cells have the same form if and only if they hold the same value, and what type stores
/// it, which may depend on other rows, makes no difference.
///   t text: its bytes as they stand
///   n number: its exact value, so that 1, 1.0 and the decimal 1.00 are one id, and -0.0 is 0
///   m moment (dates, timestamps): seconds since 1970 UTC and nanoseconds; a date is its first moment
///   b bytes
/// Not calls it for what is no id: null, not a number, infinity, numpy's "not a time", and texts of which, apart from
/// spaces, nothing is left or a word that stands for nothing (`missing`, and is_no_id).
///
/// What a cell becomes depends on that cell and on the column's type alone. A type of which none of these is made
/// (truth, times of the day, durations, nested values) is a data error, whatever the cells hold.
void for_each_id(const arrow::Array& cells, const MissingWords& missing,
                 const std::function<void(std::size_t row, std::string_view form)>& see);

/// Whether a text is no id: empty but for spaces and characters that cannot be seen, or, in any case and between
/// spaces, one of the words that programs write where nothing is. Rows of several people may have them.
bool is_no_id(std::string_view text);

/// The exact value of a decimal number, "-12.50" or "1.25E+3", in one form: digits that neither begin nor end with a
/// zero, and a power of ten ("-125e-1", "+1e2"); "0" for all zeros.
std::string number_form(std::string_view text);
/// The same of a double that is no infinity and not a number. Exact: 0.1 is not the decimal 0.1.
std::string number_form(double value);

}  // namespace sosia
