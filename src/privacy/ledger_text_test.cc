// SPDX-License-Identifier: Apache-2.0
#include "privacy/ledger_text.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>
#include <sosia/plan_file.h>

namespace sosia {
namespace {

using testing::HasSubstr;

/// A ledger of three entries. The prices are invented: the text knows nothing of them.
LedgerContents sample() {
  LedgerContents contents{"adult", "2026-01-31T23:59:59Z", {.epsilon = 1.0, .delta = 1e-6}, Spending::gaussian, {}, {}};
  contents.promise.unit = {"person", 3};
  contents.head = first_head(contents);
  for (int i = 1; i <= 3; ++i) {
    const Plan plan{Neighbors::add_remove, {{Gaussian{4.0 / i}, i, "step"}, {Laplace{0.1}, 1, ""}}};
    LedgerEntry entry{"2026-02-01T00:00:00Z", "run " + std::to_string(i), plan, 0.1 * i, {}};
    entry.head = next_head(contents.head, entry, contents.entries.size() + 1);
    contents.head = entry.head;
    contents.entries.push_back(entry);
  }
  return contents;
}

std::string refusal(const std::string& text) {
  try {
    parse_ledger(text, "a.ledger");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start) + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

TEST(LedgerText, ComesBackAsItWas) {
  const LedgerContents before = sample();
  const LedgerContents after = parse_ledger(to_text(before), "a.ledger");
  EXPECT_EQ(to_text(after), to_text(before));
  EXPECT_EQ(after.head, before.head);
  EXPECT_EQ(after.dataset, "adult");
  EXPECT_EQ(after.created, "2026-01-31T23:59:59Z");
  EXPECT_EQ(after.promise.delta, 1e-6);
  EXPECT_EQ(after.promise.unit.column, "person");
  EXPECT_EQ(after.promise.unit.max_rows, 3);
  ASSERT_EQ(after.entries.size(), 3U);
  EXPECT_EQ(after.entries[1].purpose, "run 2");
  EXPECT_EQ(after.entries[2].spent_epsilon, 0.1 * 3);
  EXPECT_EQ(to_json(after.entries[2].plan), to_json(before.entries[2].plan));
}

TEST(LedgerText, TheHashIsBlake2b) {
  // python3: hashlib.blake2b(b"abc", digest_size=32).hexdigest()
  EXPECT_EQ(chain("a", "bc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(LedgerText, EveryCutIsSeen) {
  const std::string text = to_text(sample());
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_NE(refusal(text.substr(0, size)), "accepted") << size;
  EXPECT_THAT(refusal(text.substr(0, text.size() - 1)), HasSubstr("cut short"));
  EXPECT_THAT(refusal(text.substr(0, text.size() - 1)), HasSubstr("entry 4"));
}

TEST(LedgerText, EveryChangedBitIsSeen) {
  const std::string text = to_text(sample());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      ASSERT_NE(refusal(changed), "accepted") << "byte " << i << ", bit " << bit;
    }
    std::string longer = text, shorter = text;
    longer.insert(i, 1, ' ');
    shorter.erase(i, 1);
    ASSERT_NE(refusal(longer), "accepted") << i;
    ASSERT_NE(refusal(shorter), "accepted") << i;
  }
  EXPECT_NE(refusal(text + " "), "accepted");
  EXPECT_NE(refusal(text + text), "accepted");
}

TEST(LedgerText, DroppedMovedAndDoubledLinesAreSeen) {
  const std::vector<std::string> lines = lines_of(to_text(sample()));
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> dropped = lines, doubled = lines;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(i));
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    EXPECT_NE(refusal(joined(dropped)), "accepted") << i;
    EXPECT_NE(refusal(joined(doubled)), "accepted") << i;
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<std::string> moved = lines;
      std::swap(moved[i], moved[j]);
      EXPECT_NE(refusal(joined(moved)), "accepted") << i << ", " << j;
    }
  }
}

TEST(LedgerText, SaysAtWhichEntry) {
  std::string text = to_text(sample());
  text.replace(text.find("run 2"), 5, "run 9");
  EXPECT_THAT(refusal(text), HasSubstr("was changed\nwhere: a.ledger, entry 2"));
  EXPECT_THAT(refusal(text), HasSubstr("restore"));
}

/// Lines with a chain that holds, as a forger would write them who knows the format.
std::string forged(const std::vector<std::string>& bodies) {
  std::string text, head(64, '0');
  for (const std::string& body : bodies) {
    const std::string open = body.substr(0, body.size() - 1);
    head = chain(head, open);
    text += open + ",\"head\":\"" + head + "\"}\n";
  }
  return text + "{\"end\":" + std::to_string(bodies.size() - 1) + ",\"head\":\"" + head + "\"}\n";
}

TEST(LedgerText, AChainThatHoldsDoesNotExcuseBadLines) {
  const std::string header =
      R"({"format":"sosia-ledger","version":1,"dataset":"d","created":"2026-01-31T23:59:59Z","promise":{"epsilon":1.0,)"
      R"("delta":1e-06,"relation":"add-remove","unit":{"column":"","max_rows":1},"selection_delta":0.0},)"
      R"("spending":"gaussian"})";
  const std::string entry = R"({"seq":1,"time":"2026-01-31T23:59:59Z","purpose":"p","plan":{"relation":"add-remove",)"
                            R"("events":[{"mechanism":"gaussian","noise":4.0,"count":1}]},"spent_epsilon":0.5})";
  ASSERT_EQ(refusal(forged({header, entry})), "accepted");
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& bad : {with(header, "\"version\":1", "\"version\":2"), with(header, "gaussian", "planned"),
                          with(header, "add-remove", "swap"), with(header, "\"dataset\":\"d\"", "\"dataset\":7"),
                          with(header, "59:59Z", "59:59+"), with(header, "\"max_rows\":1", "\"max_rows\":1.0"),
                          with(header, "{\"epsilon\":1.0,", "{"), with(header, ",\"spending\"", ", \"spending\"")}) {
    EXPECT_THAT(refusal(forged({bad, entry})), HasSubstr("a.ledger, header")) << bad;
  }
  for (const auto& bad : {with(entry, "\"seq\":1", "\"seq\":2"), with(entry, "4.0", "-4.0"), with(entry, "4.0", "4.00"),
                          with(entry, "0.5", "null"), with(entry, "\"p\"", "\"\\u0007\""),
                          with(entry, "\"p\"", "\"p\",\"extra\":1"), with(entry, "\"count\":1", "\"count\":1e0")}) {
    EXPECT_THAT(refusal(forged({header, bad})), HasSubstr("a.ledger, entry 1")) << bad;
  }
}

}  // namespace
}  // namespace sosia
