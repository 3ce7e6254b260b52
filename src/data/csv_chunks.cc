// SPDX-License-Identifier: Apache-2.0
#include "data/csv_chunks.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <cstring>

#include "data/arrow_guard.h"

namespace sosia {

namespace {

using arrow::Buffer;

Fault unreadable(const std::string& name, bool packed) {
  if (packed) {
    return {ErrorKind::io, "the compressed file is damaged or cut short", name,
            "make or copy it again; gzip -t or zstd -t tells whether it is whole"};
  }
  return {ErrorKind::io, "reading the file failed", name, "check the disk, and copy the file again"};
}

/// Behind the first line end outside quotes, or behind the last one; 0: there is none.
std::size_t end_outside_quotes(std::string_view text, Quotes quotes, bool first) {
  std::size_t end = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size() && !(first && end > 0); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside) end = i + 1;
    if (text[i] == '\\' && inside && quotes == Quotes::escaped) ++i;
  }
  return end;
}

}  // namespace

std::string at_line(const std::string& file, std::int64_t line) { return file + ", line " + std::to_string(line); }

// By short pieces, whose number fits a byte: compilers make that fast.
std::int64_t count_lines(std::string_view text) {
  std::int64_t lines = 0;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), std::size_t{128}))) {
    std::uint8_t here = 0;
    for (const char c : text.substr(0, 128)) here = static_cast<std::uint8_t>(here + (c == '\n' ? 1 : 0));
    lines += here;
  }
  return lines;
}

void raise_long_row(const std::string& where) {
  raise({ErrorKind::data, "a row is longer than 64 MiB", where, "most often a quote is opened there and never closed"});
}

std::size_t first_row_end(std::string_view text, const CsvDialect& dialect) {
  return dialect.multiline ? end_outside_quotes(text, dialect.quotes, true) : text.find('\n') + 1;
}

std::size_t last_row_end(std::string_view text, const CsvDialect& dialect) {
  return dialect.multiline ? end_outside_quotes(text, dialect.quotes, false) : text.rfind('\n') + 1;
}

CsvChunks::CsvChunks(const ByteSource& source, const CsvDialect& dialect)
    : name_(source.name()),
      packed_(source.packing() != Packing::none),
      dialect_(dialect),
      input_(source.stream()),
      carry_(Buffer::FromString("")) {}

// What is left over and about kCsvChunk bytes more; at the end of the file with its last line end.
std::shared_ptr<Buffer> CsvChunks::read() {
  const Fault fault = unreadable(name_, packed_);
  const std::string_view line_end = dialect_.crlf ? "\r\n" : "\n";
  const std::int64_t kept = carry_->size(), wanted = kept + kCsvChunk;
  const auto room = wanted + static_cast<std::int64_t>(line_end.size() + kCsvSlack);
  std::unique_ptr<arrow::ResizableBuffer> text = require(arrow::AllocateResizableBuffer(room), fault);
  std::memcpy(text->mutable_data(), carry_->data(), static_cast<std::size_t>(kept));
  std::int64_t size = kept;
  while (size < wanted && !ended_) {
    const std::int64_t count = require(input_.stream->Read(wanted - size, text->mutable_data() + size), fault);
    ended_ = count == 0;
    size += count;
  }
  if (ended_ && size > 0 && text->data()[size - 1] != '\n') {
    std::memcpy(text->mutable_data() + size, line_end.data(), line_end.size());
    size += static_cast<std::int64_t>(line_end.size());
  }
  require(text->Resize(size, false), fault);
  return text;
}

bool CsvChunks::next(CsvChunk& chunk) {
  if (ended_) return false;
  std::shared_ptr<Buffer> text;
  std::size_t whole = 0;
  while (!ended_ && whole == 0) {
    if (carry_->size() > kCsvMaxRow) raise_long_row(at_line(name_, line_));
    text = read();
    const std::string_view view(*text);
    whole = ended_ ? view.size() : last_row_end(view, dialect_);
    carry_ = arrow::SliceBuffer(text, static_cast<std::int64_t>(whole));
  }
  chunk = {arrow::SliceBuffer(text, 0, static_cast<std::int64_t>(whole)), line_};
  line_ += count_lines(std::string_view(*chunk.text));
  return whole > 0;
}

}  // namespace sosia
