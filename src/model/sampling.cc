// SPDX-License-Identifier: Apache-2.0
#include "model/sampling.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "base/thread_pool.h"
#include "data/table_file.h"
#include "data/table_format.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

// Rows that are made to follow the model together. More would follow it no closer, and take more memory.
constexpr std::int64_t kBlockRows = 65536;
// Streams of randomness: generators use the block's number, decoding these.
constexpr std::uint64_t kDecoding = std::uint64_t{1} << 63;

/// The field and state of a value, by encoding it.
std::pair<int, std::uint32_t> state_of(const Codec& codec, const std::string& name, const std::string& value) {
  const Column* column = codec.schema().find(name);
  std::size_t field = 0;
  const auto fields = codec.fields();
  while (field < fields.size() && fields[field].column != name) ++field;
  if (column == nullptr || field == fields.size()) {
    throw Error(ErrorKind::usage, "the model has no column " + shown(name), "the condition of a sample",
                "name a column with values or bounds");
  }
  if (fields[field].kind == Field::Kind::scalar) {
    throw Error(ErrorKind::usage, "this model makes column " + shown(name) + " as a number, not by bins",
                "the condition of a sample", "name a column with values, or fit by a method that counts in bins");
  }
  arrow::StringBuilder builder;
  std::shared_ptr<arrow::Array> cells;
  SOSIA_CHECK(builder.Append(value).ok() && builder.Finish(&cells).ok(), "a text could not be stored");
  Schema schema;
  schema.columns = {*column};
  schema.purchases = codec.schema().purchases;
  const Codec single(schema, codec.options());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field(name, arrow::utf8())}), 1, {cells});
  std::vector<float> row(static_cast<std::size_t>(single.width()));
  Trouble trouble;
  single.encode(*batch, {row.data(), 1, row.size()}, trouble);
  const CellCounts& counts = trouble.columns.front();
  if (counts.outside > 0 || counts.unreadable > 0) {
    throw Error(ErrorKind::usage, shown(value) + " is no value of column " + shown(name), "the condition of a sample",
                "ask for a declared value, or a number within the bounds");
  }
  return {static_cast<int>(field), static_cast<std::uint32_t>(row[0])};
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> sample_block(const ModelContents& model, const Codec& codec,
                                                 const SampleBlock& wanted) {
  const auto n = static_cast<std::size_t>(wanted.rows);
  const auto width = static_cast<std::size_t>(codec.width()), draws = static_cast<std::size_t>(codec.draws());
  std::vector<float> values(n * width), uniforms(n * draws);
  model.generator->sample(wanted.seed, wanted.block, wanted.condition, {values.data(), n, width});
  PublicRng rng(wanted.seed, kDecoding + wanted.block);
  for (float& uniform : uniforms) uniform = static_cast<float>(rng.next_u32() >> 8) * 0x1p-24F;
  return codec.decode({values.data(), n, width}, {uniforms.data(), n, draws});
}

std::int64_t rows_wanted(const ModelContents& model, const SampleOptions& options) {
  const std::int64_t rows =
      options.rows > 0 ? options.rows : std::max<std::int64_t>(1, std::llround(rows_of(model.released)));
  constexpr std::int64_t kMostRows = std::int64_t{1} << 40;
  if (rows > kMostRows) {
    throw Error(ErrorKind::usage, "that are too many rows", "sample", "ask for up to 2^40 rows at a time");
  }
  return rows;
}

std::int64_t write_samples(const ModelContents& model, const std::filesystem::path& file,
                           const SampleOptions& options) {
  CodecOptions coding = model.codec;
  coding.typed = ending_of(file, {}).format != TableFormat::csv;
  const Codec codec(model.schema, coding);
  SOSIA_CHECK(static_cast<std::size_t>(codec.width()) == model.generator->widths().size(),
              "the model's codec and generator differ");
  Condition condition;
  for (const auto& [name, value] : options.where) condition.push_back(state_of(codec, name, value));
  const std::int64_t rows = rows_wanted(model, options);
  const auto blocks = (rows + kBlockRows - 1) / kBlockRows;
  // Missing cells as the private table has them: whoever read that one by its words can read this one.
  const std::vector<std::string>& words = model.codec.missing_words;
  const auto writer = TableWriter::create(
      file, codec.table_schema(),
      {.delimiter = options.delimiter, .missing_word = words.empty() ? std::string() : words.front()});
  ThreadPool threads(options.threads);
  std::vector<std::shared_ptr<arrow::RecordBatch>> made(static_cast<std::size_t>(threads.size()));
  for (std::int64_t first = 0; first < blocks; first += threads.size()) {
    const std::int64_t count = std::min<std::int64_t>(threads.size(), blocks - first);
    threads.parallel_for(count, [&](std::int64_t i) {
      const std::int64_t block = first + i;
      // All blocks of about the same size: a small one at the end would follow the model less well.
      const std::int64_t size = rows / blocks + (block < rows % blocks ? 1 : 0);
      made[static_cast<std::size_t>(i)] =
          sample_block(model, codec, {options.seed, static_cast<std::uint64_t>(block), size, condition});
    });
    for (std::int64_t i = 0; i < count; ++i) writer->write(*made[static_cast<std::size_t>(i)]);
  }
  writer->close();
  return rows;
}

}  // namespace sosia
