// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sosia/schema.h>

#include "data/column_profile.h"

namespace sosia {

/// Whether a column looks like the id of somebody with several rows: a patient, a household, an account. Said to the
/// owner alone, who decides; a wrong guess costs a word. By these rules:
///  - dates, and numbers with decimals, never;
///  - a name that says somebody ("patient_id", "userId", "Subject", or "id" itself): from 10 different ids on;
///  - a name that ends in an id ("order_id"), or cells that look like ids: more different ones than a draft lists.
///  Codes
///    of few values ("dept_id") are none.
/// Where nearly all cells differ, rows are taken for units: up to 7 % of repeated rows go unnoticed.
bool is_likely_unit(const Column& column, const ColumnProfile& profile);

}  // namespace sosia
