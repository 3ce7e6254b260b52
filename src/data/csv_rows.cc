// SPDX-License-Identifier: Apache-2.0
#include "data/csv_rows.h"

#include <arrow/buffer.h>

#include <cstring>

#include "data/arrow_guard.h"

namespace sosia {

namespace {

// What is wrong with quotes, and what to do about it.
constexpr const char* kQuoteFix =
    "quote the whole cell and write its quotes twice; --escape backslash reads files that write them as \\\", "
    "--quote none takes quotes for text";

constexpr const char* kNeverClosed = "a quote is opened and never closed";
constexpr const char* kNotClosed = "a quote is opened and not closed in its line";
constexpr const char* kCloseFix =
    "close it; --escape backslash reads files that write quotes as \\\", --quote none takes quotes for text";
constexpr const char* kCloseInLineFix =
    "close it; --escape backslash reads files that write quotes as \\\", --quote none takes quotes for text, "
    "--multiline allows line ends in quotes";

bool marks(const std::array<bool, 256>& table, char c) { return table[static_cast<unsigned char>(c)]; }

}  // namespace

CsvRows::CsvRows(const CsvChunk& chunk, const CsvDialect& dialect, const std::string& file)
    : file_(file),
      dialect_(dialect),
      first_line_(chunk.first_line),
      begin_(reinterpret_cast<const char*>(chunk.text->data())),
      end_(begin_ + chunk.text->size()),
      at_(begin_),
      row_(begin_) {
  const auto mark = [](std::array<bool, 256>& table, char c) { table[static_cast<unsigned char>(c)] = true; };
  for (const char c : {dialect.delimiter, '\r', '\n'}) mark(ends_plain_, c);
  if (dialect.quotes != Quotes::none) mark(ends_plain_, '"');
  mark(ends_quoted_, '"');
  if (dialect.quotes == Quotes::escaped) mark(ends_quoted_, '\\');
  if (!dialect.multiline) mark(ends_quoted_, '\r'), mark(ends_quoted_, '\n');
}

// Every chunk ends with a line end, so that plain cells need not look for the end of the chunk.
std::size_t CsvRows::next(std::span<CsvCell> cells) {
  row_ = at_;
  if (std::string_view(at_, end_).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  const char* const first = at_;
  std::size_t count = 0;
  for (;; ++at_) {
    const bool quoted = *at_ == '"' && dialect_.quotes != Quotes::none;
    const CsvCell cell = quoted ? quoted_cell() : plain_cell();
    if (count < cells.size()) cells[count] = cell;
    ++count;
    if (*at_ != dialect_.delimiter) break;
  }
  const bool empty = at_ == first;
  end_row();
  return empty ? 0 : count;
}

CsvCell CsvRows::plain_cell() {
  const char* const start = at_;
  while (!marks(ends_plain_, *at_)) ++at_;
  if (*at_ == '"' && dialect_.quotes != Quotes::none) {
    refuse("a quote stands in a cell that is not in quotes", kQuoteFix, at_);
  }
  return {static_cast<std::uint32_t>(start - begin_), static_cast<std::uint32_t>(at_ - start), 0};
}

CsvCell CsvRows::quoted_cell() {
  const char* const start = ++at_;
  bool coded = false;
  for (;; ++at_) {
    while (at_ != end_ && !marks(ends_quoted_, *at_)) ++at_;
    if (at_ == end_ || *at_ == '\r' || *at_ == '\n') {
      refuse(dialect_.multiline ? kNeverClosed : kNotClosed, dialect_.multiline ? kCloseFix : kCloseInLineFix, row_);
    }
    // A line end follows at the latest.
    const char after = at_[1];
    const bool pair = *at_ == '"' ? after == '"' && dialect_.quotes == Quotes::doubled : after == '"' || after == '\\';
    if (*at_ == '"' && !pair) break;
    coded = coded || pair;
    if (pair) ++at_;
  }
  const auto size = static_cast<std::uint32_t>(at_ - start);
  ++at_;
  if (*at_ != dialect_.delimiter && *at_ != '\r' && *at_ != '\n') {
    refuse("text follows a closing quote", kQuoteFix, at_);
  }
  return {static_cast<std::uint32_t>(start - begin_), size, coded ? 1U : 0U};
}

void CsvRows::end_row() {
  const bool carriage = *at_ == '\r';
  if (carriage) ++at_;
  if (at_ == end_ || *at_ != '\n' || carriage != dialect_.crlf) {
    refuse("a line end is not that of the first line",
           "give all lines the same end, for instance by dos2unix; a cell with a line end must be in quotes, and needs "
           "--multiline",
           row_);
  }
  ++at_;
  if (at_ - row_ > kCsvMaxRow) raise_long_row(at_line(file_, line()));
}

char* CsvRows::write(const CsvCell& cell, char* out) const {
  const char* const text = begin_ + cell.begin;
  if (cell.coded == 0) {
    if (cell.size <= kCsvSlack) {
      std::memcpy(out, text, kCsvSlack);
    } else {
      std::memcpy(out, text, cell.size);
    }
    return out + cell.size;
  }
  for (std::uint32_t i = 0; i < cell.size; ++i) {
    const char after = i + 1 < cell.size ? text[i + 1] : '\0';
    const bool doubled = text[i] == '"';
    const bool escaped = text[i] == '\\' && dialect_.quotes == Quotes::escaped && (after == '"' || after == '\\');
    if (doubled || escaped) ++i;
    *out++ = text[i];
  }
  return out;
}

std::string CsvRows::text_of(const CsvCell& cell) const {
  std::string text(cell.size + kCsvSlack, '\0');
  text.resize(static_cast<std::size_t>(write(cell, text.data()) - text.data()));
  return text;
}

std::int64_t CsvRows::line_of(const char* place) const {
  return first_line_ + count_lines(std::string_view(begin_, place));
}

void CsvRows::refuse(const char* problem, const char* fix, const char* place) const {
  raise({ErrorKind::data, problem, at_line(file_, line_of(place)), fix});
}

}  // namespace sosia
