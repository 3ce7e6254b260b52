// SPDX-License-Identifier: Apache-2.0
#include "example/clinic_table.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia {

namespace {

void must(const arrow::Status& status) {
  if (!status.ok()) throw Error(ErrorKind::io, "the table could not be built in memory", "clinic", "free some memory");
}

/// One array of what `value` says of every visit; an empty optional is a missing cell.
template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> column(const std::vector<Visit>& visits, const Value& value) {
  Builder builder;
  for (const Visit& visit : visits) {
    const std::optional cell = value(visit);
    must(cell ? builder.Append(*cell) : builder.AppendNull());
  }
  std::shared_ptr<arrow::Array> array;
  must(builder.Finish(&array));
  return array;
}

Column number(const char* name, ColumnType type, double min, double max, const char* unit, int decimals = 6) {
  Column made;
  made.name = name, made.type = type, made.min = min, made.max = max, made.unit = unit, made.decimals = decimals;
  return made;
}

Column category(const char* name, const std::vector<std::string>& values, ColumnType type = ColumnType::categorical) {
  Column made;
  made.name = name, made.type = type, made.values = values, made.outside = Outside::other;
  return made;
}

}  // namespace

Schema clinic_schema() {
  Column patient;
  patient.name = "patient", patient.type = ColumnType::identifier, patient.pattern = "P#######";
  Column crp = number("crp", ColumnType::real, 0.0, 500.0, "mg/l", 1);
  crp.missing = true;
  Column cost = number("cost", ColumnType::real, 0.0, 200000.0, "EUR", 2);
  cost.atoms = {0.0};
  const auto first = static_cast<double>(kClinicFirstDay), last = static_cast<double>(kClinicLastDay);
  Schema schema;
  schema.columns = {patient,
                    number("age", ColumnType::integer, 0.0, 104.0, "years"),
                    category("sex", {"F", "M"}),
                    number("admitted", ColumnType::date, first, last, ""),
                    number("discharged", ColumnType::date, first, last + 60.0, ""),
                    category("diagnosis", clinic_diagnoses()),
                    category("ward", clinic_wards()),
                    number("systolic", ColumnType::integer, 70.0, 240.0, "mmHg"),
                    number("diastolic", ColumnType::integer, 35.0, 150.0, "mmHg"),
                    number("bmi", ColumnType::real, 12.0, 60.0, "kg/m2", 1),
                    category("smoker", {"no", "yes"}, ColumnType::boolean),
                    crp,
                    cost,
                    category("readmitted", {"false", "true"}, ColumnType::boolean)};
  schema.target = "readmitted";
  schema.unit = {"patient", 4};
  return schema;
}

std::shared_ptr<arrow::Schema> clinic_fields() {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const Column& column : clinic_schema().columns) {
    std::shared_ptr<arrow::DataType> type = arrow::utf8();
    if (column.type == ColumnType::integer) type = arrow::int32();
    if (column.type == ColumnType::real) type = arrow::float64();
    if (column.type == ColumnType::date) type = arrow::date32();
    if (column.name == "readmitted") type = arrow::boolean();
    fields.push_back(arrow::field(column.name, type, column.missing));
  }
  return arrow::schema(fields);
}

std::shared_ptr<arrow::RecordBatch> clinic_batch(const std::vector<Visit>& visits) {
  using Texts = arrow::StringBuilder;
  using Integers = arrow::Int32Builder;
  using Reals = arrow::DoubleBuilder;
  using Dates = arrow::Date32Builder;
  using Flags = arrow::BooleanBuilder;
  const auto day = [](std::int64_t days) { return std::optional(static_cast<std::int32_t>(days)); };
  const auto text = [](const std::vector<std::string>& names, int i) {
    return std::optional<std::string>(names[static_cast<std::size_t>(i)]);
  };
  std::vector<std::shared_ptr<arrow::Array>> arrays = {
      column<Texts>(visits, [](const Visit& v) { return std::optional(fmt::format("P{:07}", v.patient)); }),
      column<Integers>(visits, [](const Visit& v) { return std::optional(v.age); }),
      column<Texts>(visits, [](const Visit& v) { return std::optional(v.female ? "F" : "M"); }),
      column<Dates>(visits, [&](const Visit& v) { return day(v.admitted); }),
      column<Dates>(visits, [&](const Visit& v) { return day(v.discharged); }),
      column<Texts>(visits, [&](const Visit& v) { return text(clinic_diagnoses(), v.diagnosis); }),
      column<Texts>(visits, [&](const Visit& v) { return text(clinic_wards(), v.ward); }),
      column<Integers>(visits, [](const Visit& v) { return std::optional(v.systolic); }),
      column<Integers>(visits, [](const Visit& v) { return std::optional(v.diastolic); }),
      column<Reals>(visits, [](const Visit& v) { return std::optional(v.bmi); }),
      column<Texts>(visits, [](const Visit& v) { return std::optional(v.smoker ? "yes" : "no"); }),
      column<Reals>(visits, [](const Visit& v) { return v.crp; }),
      column<Reals>(visits, [](const Visit& v) { return std::optional(v.cost); }),
      column<Flags>(visits, [](const Visit& v) { return std::optional(v.readmitted); })};
  return arrow::RecordBatch::Make(clinic_fields(), static_cast<std::int64_t>(visits.size()), std::move(arrays));
}

}  // namespace sosia
