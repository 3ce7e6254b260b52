// SPDX-License-Identifier: Apache-2.0
#include "data/csv_file.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "data/arrow_guard.h"
#include "data/column_choice.h"
#include "data/csv_chunks.h"
#include "data/csv_rows.h"
#include "data/text_column.h"

namespace sosia {

namespace {

Fault bad_csv(const std::string& where) {
  return {ErrorKind::data, "this is not a CSV table", where, "check the delimiter and the quotes"};
}

/// What every pass over the file has in common.
struct CsvLayout {
  ByteSource source;
  CsvDialect dialect;
  bool header = true;       ///< the first row holds names
  std::size_t columns = 0;  ///< in the file
  std::vector<int> chosen;  ///< of these
  std::shared_ptr<arrow::Schema> schema;
};

/// The number of cells in the first row; it was read, and so were the empty lines before it.
std::size_t first_row(CsvRows& rows, std::span<CsvCell> cells, const std::string& file) {
  while (rows.more()) {
    const std::size_t count = rows.next(cells);
    if (count > 0) return count;
  }
  raise({ErrorKind::data, "the file is empty", file, "a table has at least one row"});
}

std::vector<std::string> first_cells(const CsvChunk& chunk, const CsvDialect& dialect, const std::string& file) {
  CsvRows counted(chunk, dialect, file), rows(chunk, dialect, file);
  std::vector<CsvCell> cells(first_row(counted, {}, file));
  first_row(rows, cells, file);
  std::vector<std::string> texts;
  for (const CsvCell& cell : cells) texts.push_back(rows.text_of(cell));
  return texts;
}

void skip_header(CsvChunk& chunk, const CsvLayout& layout) {
  CsvRows rows(chunk, layout.dialect, layout.source.name());
  first_row(rows, {}, layout.source.name());
  chunk.first_line += count_lines(std::string_view(*chunk.text).substr(0, rows.used()));
  chunk.text = arrow::SliceBuffer(chunk.text, static_cast<std::int64_t>(rows.used()));
}

std::vector<std::string> names_of(const std::vector<std::string>& first, const TableOptions& options,
                                  const std::string& file) {
  if (options.header) return first;
  if (!options.names.empty() && options.names.size() != first.size()) {
    raise({ErrorKind::data,
           "the file has " + std::to_string(first.size()) + " columns without names, and there are " +
               std::to_string(options.names.size()) + " names for them",
           file, "name every column of the file, in its order"});
  }
  if (!options.names.empty()) return options.names;
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= first.size(); ++i) names.push_back("column_" + std::to_string(i));
  return names;
}

void check_utf8(const CsvChunk& chunk, const std::string& file) {
  std::string_view rest(*chunk.text);
  if (arrow::util::ValidateUTF8(rest)) return;
  std::int64_t line = chunk.first_line;
  for (; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    if (!arrow::util::ValidateUTF8(rest.substr(0, end))) break;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  raise({ErrorKind::data, "the text is not UTF-8", at_line(file, line),
         "convert the file, for instance: iconv -f latin1 -t utf8"});
}

/// Reads a row into the cells, which are as many as the file has columns; false if there is none.
bool read_row(const CsvLayout& layout, CsvRows& rows, std::span<CsvCell> cells) {
  while (rows.more()) {
    const std::size_t count = rows.next(cells);
    if (count == layout.columns) return true;
    if (count > 0) {
      raise(
          {ErrorKind::data,
           "a row has " + std::to_string(count) + " values where the first line has " + std::to_string(layout.columns),
           at_line(layout.source.name(), rows.line()),
           "check the delimiter, and that values with a delimiter in them are quoted"});
    }
    if (layout.columns == 1) return true;  // an empty line is an empty cell
  }
  return false;
}

std::shared_ptr<arrow::RecordBatch> to_batch(const CsvLayout& layout, const CsvChunk& chunk) {
  check_utf8(chunk, layout.source.name());
  constexpr std::size_t kCellsAtOnce = std::size_t{1} << 14;  // so many that they stay in the cache
  CsvRows rows(chunk, layout.dialect, layout.source.name());
  std::vector<TextColumn> columns(layout.chosen.size());
  std::vector<CsvCell> cells(layout.columns * std::max<std::size_t>(1, kCellsAtOnce / layout.columns));
  std::int64_t count = 0;
  for (std::size_t used = cells.size(); used == cells.size();) {
    for (used = 0; used < cells.size(); used += layout.columns) {
      if (!read_row(layout, rows, std::span(cells).subspan(used, layout.columns))) break;
      ++count;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto from = static_cast<std::size_t>(layout.chosen[i]);
      if (used > 0) columns[i].append(rows, std::span(cells).subspan(from, used - from), layout.columns);
    }
  }
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (TextColumn& column : columns) arrays.push_back(column.finish());
  return arrow::RecordBatch::Make(layout.schema, count, std::move(arrays));
}

/// Chunks are cut one after the other and parsed by whoever calls; then each waits for its turn to get its row number.
/// Errors wait too, so that the first in the file is the one reported.
class CsvScan : public TableScan {
 public:
  explicit CsvScan(std::shared_ptr<const CsvLayout> layout)
      : layout_(std::move(layout)), chunks_(layout_->source, layout_->dialect) {}

  bool next(TableBlock& block) override {
    return guarded(bad_csv(layout_->source.name()), [&] {
      while (read_block(block)) {
        if (block.batch->num_rows() > 0) return true;
      }
      return false;
    });
  }

 private:
  bool read_block(TableBlock& block) {
    std::exception_ptr error;
    CsvChunk chunk;
    std::unique_lock lock(mutex_);
    const std::int64_t turn = taken_++;
    bool more = false;
    try {
      more = !error_ && take(chunk);
    } catch (...) {
      error = std::current_exception();
    }
    lock.unlock();
    try {
      if (more) block.batch = to_batch(*layout_, chunk);
    } catch (...) {
      error = std::current_exception();
    }
    chunk.text.reset();
    lock.lock();
    turn_.wait(lock, [&] { return finished_ == turn; });
    ++finished_;
    turn_.notify_all();
    if (!error_) error_ = error;
    if (error_) std::rethrow_exception(error_);
    block.first_row = rows_;
    if (more) rows_ += block.batch->num_rows();
    return more;
  }

  bool take(CsvChunk& chunk) {
    if (!chunks_.next(chunk)) return false;
    if (!started_ && layout_->header) skip_header(chunk, *layout_);
    started_ = true;
    return true;
  }

  std::shared_ptr<const CsvLayout> layout_;
  std::mutex mutex_;
  std::condition_variable turn_;
  CsvChunks chunks_;
  std::exception_ptr error_;
  std::int64_t taken_ = 0, finished_ = 0, rows_ = 0;
  bool started_ = false;
};

class CsvFile : public TableFile {
 public:
  explicit CsvFile(std::shared_ptr<const CsvLayout> layout) : layout_(std::move(layout)) {
    for (const auto& field : layout_->schema->fields()) columns_.push_back({field->name(), "string"});
  }
  const std::vector<StoredColumn>& columns() const override { return columns_; }
  std::unique_ptr<TableScan> scan() const override {
    return guarded(bad_csv(name()), [&] { return std::make_unique<CsvScan>(layout_); });
  }
  const std::string& name() const override { return layout_->source.name(); }

 private:
  std::shared_ptr<const CsvLayout> layout_;
  std::vector<StoredColumn> columns_;
};

// The file's end of lines is that of its first one.
bool ends_with_crlf(std::string_view text, const CsvDialect& dialect) {
  return text.substr(0, first_row_end(text, dialect)).ends_with("\r\n");
}

std::shared_ptr<const CsvLayout> read_layout(const ByteSource& source, const TableOptions& options, char delimiter) {
  auto layout = std::make_shared<CsvLayout>(
      CsvLayout{.source = source,
                .dialect = {.delimiter = delimiter,
                            .quotes = options.quotes,
                            .multiline = options.multiline && options.quotes != Quotes::none},
                .header = options.header,
                .chosen = {},
                .schema = nullptr});
  CsvChunk chunk{arrow::Buffer::FromString("")};
  CsvChunks(source, layout->dialect).next(chunk);
  const std::string_view text(*chunk.text);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    raise({ErrorKind::data, "the file is UTF-16", source.name(), "save it as UTF-8"});
  }
  layout->dialect.crlf = ends_with_crlf(text, layout->dialect);
  const std::vector<std::string> names =
      names_of(first_cells(chunk, layout->dialect, source.name()), options, source.name());
  layout->columns = names.size();
  layout->chosen = chosen_columns(names, options.columns, source.name());
  arrow::FieldVector fields;
  for (const int i : layout->chosen) fields.push_back(arrow::field(names[static_cast<std::size_t>(i)], arrow::utf8()));
  layout->schema = arrow::schema(std::move(fields));
  return layout;
}

}  // namespace

std::shared_ptr<const TableFile> open_csv(const ByteSource& source, const TableOptions& options, char delimiter) {
  return guarded(bad_csv(source.name()), [&]() -> std::shared_ptr<const TableFile> {
    return std::make_shared<CsvFile>(read_layout(source, options, delimiter));
  });
}

}  // namespace sosia
