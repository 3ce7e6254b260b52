// SPDX-License-Identifier: Apache-2.0
#include "data/parquet_file.h"

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "data/arrow_guard.h"
#include "data/column_choice.h"
#include "data/typed_blocks.h"

namespace sosia {

namespace {

Fault damaged_parquet(const std::string& where) {
  return {ErrorKind::io, "the Parquet file is damaged, cut short or of a kind that cannot be read", where,
          "write or copy it again"};
}

/// A row group of one of the files.
struct RowGroup {
  std::size_t file = 0;
  int index = 0;
  std::int64_t first_row = 0, rows = 0;
};

/// What every pass has in common.
struct ParquetLayout {
  std::string name;
  std::vector<ByteSource> sources;
  std::vector<std::shared_ptr<parquet::FileMetaData>> metadata;
  std::vector<RowGroup> groups;
  std::vector<int> leaves;  ///< Parquet's own columns, of which the chosen ones are made
  std::vector<int> texts;   ///< those of them that are chosen columns of text
  std::vector<StoredColumn> columns;
};

/// Whether every value of the column is a code of the row group's dictionary.
bool is_coded(const parquet::ColumnChunkMetaData& chunk) {
  bool has_codes = false;
  for (const parquet::PageEncodingStats& pages : chunk.encoding_stats()) {
    if (pages.page_type == parquet::PageType::DICTIONARY_PAGE) continue;
    if (pages.encoding != parquet::Encoding::RLE_DICTIONARY && pages.encoding != parquet::Encoding::PLAIN_DICTIONARY) {
      return false;
    }
    has_codes = true;
  }
  return has_codes;
}

/// Reads `group`, if there is one, with text as it is stored: a dictionary's codes are not spelled out row by row.
std::unique_ptr<parquet::arrow::FileReader> open_reader(const ByteSource& source,
                                                        const std::shared_ptr<parquet::FileMetaData>& metadata,
                                                        int columns, const std::vector<int>& texts = {},
                                                        int group = -1) {
  constexpr std::int64_t kBuffers = std::int64_t{32} << 20;
  parquet::ReaderProperties properties = parquet::default_reader_properties();
  properties.enable_buffered_stream();
  properties.set_buffer_size(std::clamp<std::int64_t>(kBuffers / std::max(columns, 1), 4096, 1 << 20));
  parquet::ArrowReaderProperties how = parquet::default_arrow_reader_properties();
  how.set_use_threads(true);
  how.set_pre_buffer(false);  // it would hold a whole row group
  how.set_batch_size(rows_per_block(columns));
  for (const int leaf : texts) how.set_read_dictionary(leaf, is_coded(*metadata->RowGroup(group)->ColumnChunk(leaf)));
  return require(
      parquet::arrow::FileReader::Make(arrow::default_memory_pool(),
                                       parquet::ParquetFileReader::Open(source.file(), properties, metadata), how),
      damaged_parquet(source.name()));
}

/// The rest of a row group, read block by block by one thread at a time.
class GroupStream {
 public:
  GroupStream(const ParquetLayout& layout, const RowGroup& group)
      : columns_(layout.columns),
        where_(layout.sources[group.file].name() + ", row group " + std::to_string(group.index + 1)),
        row_(group.first_row),
        end_(group.first_row + group.rows) {
    reader_ = open_reader(layout.sources[group.file], layout.metadata[group.file],
                          static_cast<int>(layout.leaves.size()), layout.texts, group.index);
    batches_ = require(reader_->GetRecordBatchReader({group.index}, layout.leaves), damaged_parquet(where_));
  }

  /// False after the last row.
  bool next(TableBlock& block) {
    return guarded(damaged_parquet(where_), [&] {
      std::shared_ptr<arrow::RecordBatch> batch;
      if (row_ == end_) return false;
      require(batches_->ReadNext(&batch), damaged_parquet(where_));
      if (!batch || batch->num_rows() == 0 || batch->num_rows() > end_ - row_) raise(damaged_parquet(where_));
      block.batch = checked_columns(*batch, columns_, where_);
      block.first_row = row_;
      row_ += batch->num_rows();
      return true;
    });
  }

 private:
  const std::vector<StoredColumn>& columns_;
  std::string where_;
  std::int64_t row_, end_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class ParquetScan : public TableScan {
 public:
  explicit ParquetScan(std::shared_ptr<const ParquetLayout> layout) : layout_(std::move(layout)) {}

  bool next(TableBlock& block) override {
    while (std::unique_ptr<GroupStream> stream = take()) {
      bool more = false;
      try {
        more = stream->next(block);
      } catch (...) {
        give_back(nullptr, std::current_exception());
        throw;
      }
      give_back(more ? std::move(stream) : nullptr);
      if (more) return true;
    }
    return false;
  }

 private:
  /// A row group that nobody is reading, or a new one; at the end waits for what others may give back.
  std::unique_ptr<GroupStream> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !idle_.empty() || opened_ < layout_->groups.size() || busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
    std::unique_ptr<GroupStream> stream;
    if (!idle_.empty()) {
      stream = std::move(idle_.back());
      idle_.pop_back();
    } else if (opened_ < layout_->groups.size()) {
      const RowGroup& group = layout_->groups[opened_++];
      const Fault fault = damaged_parquet(layout_->sources[group.file].name());
      try {
        stream = guarded(fault, [&] { return std::make_unique<GroupStream>(*layout_, group); });
      } catch (...) {
        error_ = std::current_exception();
        throw;
      }
    }
    if (stream) ++busy_;
    return stream;
  }

  void give_back(std::unique_ptr<GroupStream> stream, const std::exception_ptr& error = nullptr) {
    const std::lock_guard lock(mutex_);
    --busy_;
    if (!error_) error_ = error;
    if (stream) idle_.push_back(std::move(stream));
    changed_.notify_all();
  }

  std::shared_ptr<const ParquetLayout> layout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<GroupStream>> idle_;
  std::exception_ptr error_;  ///< nobody may take the rest for complete
  std::size_t opened_ = 0;
  int busy_ = 0;
};

class ParquetTable : public TableFile {
 public:
  explicit ParquetTable(std::shared_ptr<const ParquetLayout> layout) : layout_(std::move(layout)) {}
  const std::vector<StoredColumn>& columns() const override { return layout_->columns; }
  std::unique_ptr<TableScan> scan() const override { return std::make_unique<ParquetScan>(layout_); }
  const std::string& name() const override { return layout_->name; }

 private:
  std::shared_ptr<const ParquetLayout> layout_;
};

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.column_index >= 0) leaves.push_back(field.column_index);
  for (const auto& child : field.children) add_leaves(child, leaves);
}

/// Adds a file; the first one says what the columns are.
void add_file(ParquetLayout& layout, const ByteSource& source, const TableOptions& options,
              std::shared_ptr<arrow::Schema>& schema, std::int64_t& rows) {
  const Fault fault = damaged_parquet(source.name());
  const auto reader = open_reader(source, nullptr, 1);
  std::shared_ptr<arrow::Schema> own;
  require(reader->GetSchema(&own), fault);
  if (!schema) {
    schema = own;
    const std::vector<int> chosen = chosen_columns(own->field_names(), options.columns, source.name());
    layout.columns = stored_columns(*own, chosen);
    for (const int i : chosen) {
      const auto& field = reader->manifest().schema_fields[static_cast<std::size_t>(i)];
      add_leaves(field, layout.leaves);
      if (own->field(i)->type()->id() == arrow::Type::STRING) layout.texts.push_back(field.column_index);
    }
    std::sort(layout.leaves.begin(), layout.leaves.end());
  }
  if (!schema->Equals(*own, false)) {
    raise({ErrorKind::data, "the Parquet files of a folder have different columns or types",
           source.name() + " against " + layout.sources.front().name(), "write them with one schema"});
  }
  const auto metadata = reader->parquet_reader()->metadata();
  const std::size_t file = layout.metadata.size();
  layout.metadata.push_back(metadata);
  for (int i = 0; i < metadata->num_row_groups(); ++i) {
    const std::int64_t count = metadata->RowGroup(i)->num_rows();
    if (count < 0 || count > (std::int64_t{1} << 48)) raise(fault);
    if (count > 0) layout.groups.push_back({file, i, rows, count});
    rows += count;
  }
}

}  // namespace

std::shared_ptr<const TableFile> open_parquet(const std::vector<ByteSource>& sources, const std::string& name,
                                              const TableOptions& options) {
  auto layout = std::make_shared<ParquetLayout>();
  layout->name = name;
  layout->sources = sources;
  std::shared_ptr<arrow::Schema> schema;
  std::int64_t rows = 0;
  for (const ByteSource& source : sources) {
    guarded(damaged_parquet(source.name()), [&] { add_file(*layout, source, options, schema, rows); });
  }
  return std::make_shared<ParquetTable>(std::move(layout));
}

}  // namespace sosia
