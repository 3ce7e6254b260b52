// SPDX-License-Identifier: Apache-2.0
// What one row of a CSV file holds is not for others to decide.
#include "data/csv_rows.h"

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sosia/error.h>

#include "data/csv_file.h"
#include "data/neighbour_test_support.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text, const TableOptions& options = {}, char delimiter = ',') {
  const auto batch = read_table(*open_csv(ByteSource(text, "test"), options, delimiter));
  return batch ? texts_of(*batch) : Rows{};
}

std::string refusal_of(const std::string& text, const TableOptions& options = {}, char delimiter = ',') {
  try {
    rows_of(text, options, delimiter);
  } catch (const Error& error) {
    return error.where() + ": " + error.problem();
  }
  return "read";
}

/// A thousand rows, of which the tenth and the ninehundredth hold the texts, and perhaps a further row in the middle.
std::string thousand(const std::string& tenth, const std::string& late, const std::string& more, char delimiter) {
  std::string text = std::string("id") + delimiter + "note\n";
  for (int i = 1; i <= 1000; ++i) {
    const std::string note = i == 10 ? tenth : i == 900 ? late : "nothing";
    text += std::to_string(i) + delimiter + note + "\n";
    if (i == 500 && !more.empty()) text += std::string("1001") + delimiter + more + "\n";
  }
  return text;
}

TEST(csv_rows, one_row_does_not_swallow_others) {
  const std::string tenth = R"("wants a TV of 42\"")", late = R"("says \"hi\" and leaves")";
  const std::string more = R"("says \"yo\" and stays")";
  EXPECT_EQ(refusal_of(thousand(tenth, late, "", ',')), "test, line 11: a quote is opened and not closed in its line");
  EXPECT_NE(refusal_of(thousand(tenth, late, more, ',')), "read");
  EXPECT_NE(refusal_of(thousand(tenth, late, more, ','), {.multiline = true}), "read");
  const TableOptions options{.quotes = Quotes::escaped};
  const Rows rows = rows_of(thousand(tenth, late, "", ','), options);
  Rows longer = rows_of(thousand(tenth, late, more, ','), options);
  ASSERT_EQ(rows.size(), 1000u);
  EXPECT_EQ(rows[9][1], "wants a TV of 42\"");
  EXPECT_EQ(longer.at(500)[1], "says \"yo\" and stays");
  longer.erase(longer.begin() + 500);
  EXPECT_EQ(longer, rows);
}

TEST(csv_rows, text_without_quotes_is_read_where_that_is_declared) {
  const std::string tenth = "\"cold hands", late = "5' 6\" tall", more = "\"";
  EXPECT_EQ(refusal_of(thousand(tenth, late, "", '\t'), {}, '\t'),
            "test, line 11: a quote is opened and not closed in its line");
  EXPECT_EQ(refusal_of(thousand("fine", late, "", '\t'), {}, '\t'),
            "test, line 901: a quote stands in a cell that is not in quotes");
  const TableOptions options{.quotes = Quotes::none};
  const Rows rows = rows_of(thousand(tenth, late, "", '\t'), options, '\t');
  Rows longer = rows_of(thousand(tenth, late, more, '\t'), options, '\t');
  ASSERT_EQ(rows.size(), 1000u);
  EXPECT_EQ(rows[9][1], tenth);
  EXPECT_EQ(rows[899][1], late);
  longer.erase(longer.begin() + 500);
  EXPECT_EQ(longer, rows);
}

TEST(csv_rows, a_carriage_return_does_not_make_rows) {
  EXPECT_EQ(refusal_of("a\nx\na\rb\rb\ny\n"), "test, line 3: a line end is not that of the first line");
  EXPECT_EQ(refusal_of("a\r\nx\r\na\rb\r\n"), "test, line 3: a line end is not that of the first line");
  EXPECT_EQ(refusal_of("a\nx\ny\r\n"), "test, line 3: a line end is not that of the first line");
  EXPECT_EQ(refusal_of("a\r\nx\r\ny\n"), "test, line 3: a line end is not that of the first line");
  EXPECT_EQ(refusal_of("a\nx\n\"a\rb\"\n"), "test, line 3: a quote is opened and not closed in its line");
  EXPECT_EQ(rows_of("a\nx\n\"a\rb\"\n", {.multiline = true}), (Rows{{"x"}, {"a\rb"}}));
}

TEST(csv_rows, escapes_stand_in_quotes_only) {
  const TableOptions options{.quotes = Quotes::escaped};
  EXPECT_EQ(rows_of(R"(a,b
"p\"q","C:\dir\\"
C:\dir\,\n
"","\\\""
)",
                    options),
            (Rows{{"p\"q", "C:\\dir\\"}, {"C:\\dir\\", "\\n"}, {"", "\\\""}}));
  EXPECT_EQ(refusal_of("a,b\n\"p\"\"q\",1\n", options), "test, line 2: text follows a closing quote");
  EXPECT_EQ(refusal_of("a,b\np\\\"q,1\n", options), "test, line 2: a quote stands in a cell that is not in quotes");
  EXPECT_EQ(refusal_of("a,b\n1,\"C:\\\"\n", options), "test, line 2: a quote is opened and not closed in its line");
}

TEST(csv_rows, a_mark_at_the_start_of_a_row_is_skipped_wherever_the_row_stands) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(rows_of("a,b\n1,x\n" + mark + "2,y\n\"" + mark + "3\"," + mark + "\n"),
            (Rows{{"1", "x"}, {"2", "y"}, {mark + "3", mark}}));
}

TEST(csv_rows, line_ends_in_names_need_to_be_allowed) {
  EXPECT_EQ(rows_of("\"a\nb\",c\r\n1,\"x\ny\"\r\n", {.multiline = true}), (Rows{{"1", "x\ny"}}));
  EXPECT_EQ(refusal_of("\"a\nb\",c\n1,x\n"), "test, line 1: a quote is opened and not closed in its line");
}

// Several chunks, and an odd number of quotes in every row.
TEST(csv_rows, chunks_end_with_rows_whatever_is_escaped) {
  constexpr std::size_t kRows = 800'000;
  std::string text = "a,b\n";
  for (std::size_t i = 0; i < kRows; ++i) text += i % 3 == 0 ? "1,\"x\\\"\ny\"\n" : "2,\"\\\"\n\"\n";
  EXPECT_EQ(rows_of(text, {.quotes = Quotes::escaped, .multiline = true}).size(), kRows);
}

/// Nothing if the file is refused.
std::optional<Rows> read_or_refused(const std::string& text, const TableOptions& options) {
  try {
    return rows_of(text, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Lines that open, close and escape in a table of one column or two, a quarter of them made of pieces.
std::vector<std::string> drawn_lines(std::mt19937_64& random, std::size_t most, bool one_column) {
  static const std::vector<std::string> one{"x", R"("x")", R"(")", R"(x")", R"("x)", R"("\"")", R"(\"")", ""};
  static const std::vector<std::string> two{"x,x",  R"(x,"x")",  R"(x,")",    R"(",x)",
                                            R"(")", R"(x,"\"")", R"(\"x",x)", ""};
  static const std::vector<std::string> pieces{"x", ",", R"(")", R"("x")", "\\", R"(\")", "\r", R"("")"};
  const std::vector<std::string>& whole = one_column ? one : two;
  std::vector<std::string> lines(random() % most);
  for (std::string& line : lines) {
    const bool made = random() % 4 == 0;
    if (!made) line = whole[random() % whole.size()];
    for (std::size_t i = random() % 4; made && i > 0; --i) line += pieces[random() % pieces.size()];
  }
  return lines;
}

// Most pairs are refused; of those that are not, there must be enough to say something.
void expect_neighbours_to_agree(const TableOptions& options, const std::string& header, int least) {
  std::mt19937_64 random(7);
  const bool one_column = header != "a,b\n";
  int accepted = 0;
  for (int i = 0; i < 12'000; ++i) {
    std::vector<std::string> lines = drawn_lines(random, 7, one_column);
    const auto first = read_or_refused(header + text_of_lines(lines), options);
    if (!first) continue;
    const auto place = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
    const auto other = drawn_lines(random, 2, one_column);
    lines.insert(lines.begin() + place, other.begin(), other.end());
    const std::string text = header + text_of_lines(lines);
    const auto second = read_or_refused(text, options);
    if (!second) continue;
    const Difference rest = difference_of(*first, *second);
    ASSERT_LE(rest.first, options.multiline ? 1u : 0u) << text;
    ASSERT_LE(rest.second, 1u) << text;
    accepted += other.empty() || first->empty() ? 0 : 1;
  }
  EXPECT_GE(accepted, least);
}

TEST(csv_rows, neighbours_agree_on_all_other_rows) {
  for (const Quotes quotes : {Quotes::doubled, Quotes::escaped, Quotes::none}) {
    for (const bool multiline : {false, true}) {
      if (multiline && quotes == Quotes::none) continue;
      expect_neighbours_to_agree({.quotes = quotes, .multiline = multiline}, "a,b\n", 100);
      expect_neighbours_to_agree({.quotes = quotes, .multiline = multiline}, "a\n", 100);
      expect_neighbours_to_agree({.header = false, .quotes = quotes, .multiline = multiline, .names = {"a"}}, "", 100);
    }
  }
}

}  // namespace
}  // namespace sosia
