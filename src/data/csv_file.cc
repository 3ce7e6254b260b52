// SPDX-License-Identifier: Apache-2.0
#include "data/csv_file.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/csv/converter.h>
#include <arrow/csv/parser.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "data/arrow_guard.h"
#include "data/column_choice.h"
#include "data/csv_chunks.h"

namespace sosia {

namespace {

using arrow::csv::BlockParser;

constexpr auto kManyRows = std::numeric_limits<std::int32_t>::max();

std::string_view view_of(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(buffer.size())};
}

Fault bad_csv(const std::string& where) {
  return {ErrorKind::data, "this is not a CSV table", where, "check the delimiter and the quotes"};
}

/// What every pass over the file has in common.
struct CsvLayout {
  ByteSource source;
  arrow::csv::ParseOptions parse;
  arrow::csv::ConvertOptions convert;
  bool header = true;       ///< the first row holds names
  int columns = 0;          ///< in the file
  std::vector<int> chosen;  ///< of these
  std::shared_ptr<arrow::Schema> schema;
};

// Cuts the mark that some programs put at the start of UTF-8 files.
void skip_byte_order_mark(CsvChunk& chunk, const std::string& file) {
  const std::string_view text = view_of(*chunk.text);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    raise({ErrorKind::data, "the file is UTF-16", file, "save it as UTF-8"});
  }
  if (text.starts_with("\xEF\xBB\xBF")) chunk.text = arrow::SliceBuffer(chunk.text, 3);
}

/// The cells of the file's first row. If it is the header, it is taken off the first chunk.
std::vector<std::string> first_row(CsvChunk& chunk, arrow::csv::ParseOptions options, bool header,
                                   const std::string& file) {
  skip_byte_order_mark(chunk, file);
  options.ignore_empty_lines = true;
  BlockParser parser(options, -1, 1, 1);
  const std::string_view text = view_of(*chunk.text);
  std::uint32_t size = 0;
  const Fault fault = bad_csv(at_line(file, 1));
  const bool blank = text.find_first_not_of("\r\n") == std::string_view::npos;
  if (blank) raise({ErrorKind::data, "the file is empty", file, "a table has at least one row"});
  require(chunk.last ? parser.ParseFinal(text, &size) : parser.Parse(text, &size), fault);
  if (parser.num_rows() != 1) raise(fault);
  std::vector<std::string> cells;
  const auto add = [&](const std::uint8_t* data, std::uint32_t length, bool, bool) {
    cells.emplace_back(reinterpret_cast<const char*>(data), length);
    return arrow::Status::OK();
  };
  require(parser.VisitLastRow(add), fault);
  if (!header) return cells;
  chunk.first_line += count_lines(text.substr(0, size));
  chunk.text = arrow::SliceBuffer(chunk.text, size);
  return cells;
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
  std::string_view rest = view_of(*chunk.text);
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

void parse(const CsvLayout& layout, const CsvChunk& chunk, std::optional<BlockParser>& parser) {
  const std::string& file = layout.source.name();
  const std::string_view text = view_of(*chunk.text);
  Fault fault = bad_csv(at_line(file, chunk.first_line) + " or after");
  arrow::csv::ParseOptions options = layout.parse;
  options.invalid_row_handler = [&](const arrow::csv::InvalidRow& row) {
    const char* const start = row.text.data();
    const bool inside = start >= text.data() && start <= text.data() + text.size();
    const std::int64_t line =
        chunk.first_line + (inside ? count_lines(text.substr(0, static_cast<std::size_t>(start - text.data()))) : 0);
    fault = {ErrorKind::data,
             "a row has " + std::to_string(row.actual_columns) + " values where the first line has " +
                 std::to_string(row.expected_columns),
             at_line(file, line) + (inside ? "" : " or after"),
             "check the delimiter, and that values with a delimiter or a line end in them are quoted"};
    return arrow::csv::InvalidRowResult::Error;
  };
  parser.emplace(options, layout.columns, -1, kManyRows);
  std::uint32_t size = 0;
  const arrow::Status status = chunk.last ? parser->ParseFinal(text, &size) : parser->Parse(text, &size);
  require(status, fault);
  if (size != text.size()) raise(fault);
}

std::shared_ptr<arrow::RecordBatch> to_batch(const CsvLayout& layout, const CsvChunk& chunk) {
  check_utf8(chunk, layout.source.name());
  std::optional<BlockParser> parser;
  parse(layout, chunk, parser);
  const Fault fault = bad_csv(at_line(layout.source.name(), chunk.first_line) + " or after");
  const auto converter = require(arrow::csv::Converter::Make(arrow::utf8(), layout.convert), fault);
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const int column : layout.chosen) arrays.push_back(require(converter->Convert(*parser, column), fault));
  return arrow::RecordBatch::Make(layout.schema, parser->num_rows(), std::move(arrays));
}

/// Chunks are cut one after the other and parsed by whoever calls; then each waits for its turn to get its row number.
/// Errors wait too, so that the first in the file is the one reported.
class CsvScan : public TableScan {
 public:
  explicit CsvScan(std::shared_ptr<const CsvLayout> layout)
      : layout_(std::move(layout)), chunks_(layout_->source, layout_->parse) {}

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
    if (!started_) first_row(chunk, layout_->parse, layout_->header, layout_->source.name());
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

std::shared_ptr<const CsvLayout> read_layout(const ByteSource& source, const TableOptions& options, char delimiter) {
  auto layout = std::make_shared<CsvLayout>(CsvLayout{.source = source,
                                                      .parse = arrow::csv::ParseOptions::Defaults(),
                                                      .convert = arrow::csv::ConvertOptions::Defaults(),
                                                      .header = options.header,
                                                      .chosen = {},
                                                      .schema = nullptr});
  layout->parse.delimiter = delimiter;
  layout->parse.newlines_in_values = true;
  layout->convert.check_utf8 = false;  // done by the chunk
  CsvChunk chunk{arrow::Buffer::FromString(""), 1, true};
  CsvChunks(source, layout->parse).next(chunk);
  const std::vector<std::string> names =
      names_of(first_row(chunk, layout->parse, options.header, source.name()), options, source.name());
  layout->columns = static_cast<int>(names.size());
  layout->parse.ignore_empty_lines = names.size() > 1;
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
