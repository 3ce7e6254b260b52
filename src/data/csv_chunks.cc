// SPDX-License-Identifier: Apache-2.0
#include "data/csv_chunks.h"

#include <arrow/buffer.h>
#include <arrow/csv/chunker.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/delimiting.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/arrow_guard.h"

namespace sosia {

namespace {

using arrow::Buffer;

Fault unclosed(const std::string& where) {
  return {ErrorKind::data, "a quote is opened and never closed", where,
          "close it; inside a quoted value a quote is written twice"};
}

Fault unreadable(const std::string& name, bool packed) {
  if (packed) {
    return {ErrorKind::io, "the compressed file is damaged or cut short", name,
            "make or copy it again; gzip -t or zstd -t tells whether it is whole"};
  }
  return {ErrorKind::io, "reading the file failed", name, "check the disk, and copy the file again"};
}

std::unique_ptr<arrow::Chunker> make_chunker(arrow::csv::ParseOptions options, bool newlines_in_values) {
  options.newlines_in_values = newlines_in_values;
  return arrow::csv::MakeChunker(options);
}

}  // namespace

std::string at_line(const std::string& file, std::int64_t line) { return file + ", line " + std::to_string(line); }

std::int64_t count_lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

CsvChunks::CsvChunks(const ByteSource& source, const arrow::csv::ParseOptions& options)
    : name_(source.name()),
      packed_(source.packing() != Packing::none),
      quote_(options.quote_char),
      input_(source.stream()),
      by_line_(make_chunker(options, false)),
      by_row_(make_chunker(options, true)),
      carry_(Buffer::FromString("")) {}

CsvChunks::~CsvChunks() = default;

// What is left over and about kCsvChunk bytes more.
std::shared_ptr<Buffer> CsvChunks::read() {
  const Fault fault = unreadable(name_, packed_);
  const std::int64_t kept = carry_->size();
  std::unique_ptr<arrow::ResizableBuffer> text = require(arrow::AllocateResizableBuffer(kept + kCsvChunk + 1), fault);
  std::memcpy(text->mutable_data(), carry_->data(), static_cast<std::size_t>(kept));
  std::int64_t size = kept, wanted = kept + kCsvChunk;
  while (size < wanted) {
    const std::int64_t count = require(input_.stream->Read(wanted - size, text->mutable_data() + size), fault);
    if (count == 0) ended_ = true;
    if (count == 0) break;
    size += count;
    // A line end of two characters must not be torn apart.
    if (size == kept + kCsvChunk && text->data()[size - 1] == '\r') ++wanted;
  }
  require(text->Resize(size, false), fault);
  return text;
}

std::shared_ptr<Buffer> CsvChunks::whole_rows(const std::shared_ptr<Buffer>& text) {
  const bool quoted = std::memchr(text->data(), quote_, static_cast<std::size_t>(text->size())) != nullptr;
  std::shared_ptr<Buffer> whole, partial;
  require((quoted ? by_row_ : by_line_)->Process(text, &whole, &partial), unreadable(name_, packed_));
  carry_ = partial;
  return whole;
}

// A line end put after the rest ends its row, unless it falls inside quotes.
void CsvChunks::check_closed(const std::shared_ptr<Buffer>& rest, std::int64_t lines_before) const {
  if (rest->size() == 0) return;
  std::shared_ptr<Buffer> whole, partial;
  const Fault fault = unclosed(at_line(name_, line_ + lines_before));
  require(by_row_->Process(Buffer::FromString(rest->ToString() + "\n"), &whole, &partial), fault);
  if (whole->size() == 0) raise(fault);
}

bool CsvChunks::next(CsvChunk& chunk) {
  if (ended_) return false;
  std::shared_ptr<Buffer> text = read();
  std::shared_ptr<Buffer> whole = whole_rows(text);
  while (!ended_ && whole->size() == 0) {
    if (text->size() > kCsvMaxRow) {
      raise({ErrorKind::data, "a row is longer than 64 MiB", at_line(name_, line_),
             "most often a quote is opened there and never closed"});
    }
    text = read();
    whole = whole_rows(text);
  }
  const std::int64_t whole_lines = count_lines(std::string_view(*whole));
  if (ended_) check_closed(carry_, whole_lines);
  chunk = {ended_ ? text : whole, line_, ended_};
  line_ += whole_lines;
  return chunk.text->size() > 0;
}

}  // namespace sosia
