// SPDX-License-Identifier: Apache-2.0
// The grammar of a ledger file, JSON lines in UTF-8, each ended by one '\n', no spaces outside texts:
//
//   file    = header entry* end
//   header  = {"format":"sosia-ledger","version":1,"dataset":text,"created":time,"promise":promise,
//              "spending":"gaussian" | "renyi","head":hash}
//   promise = {"epsilon":x,"delta":x,"relation":name,"unit":{"column":text,"max_rows":n},"selection_delta":x}
//   entry   = {"seq":n,"time":time,"purpose":text,"plan":plan,"spent_epsilon":x,("run":hash,)"head":hash}
//             seq = 1, 2, 3, ...; run: BLAKE2b of the key and the inputs of a run that can go on (run_file.cc)
//   end     = {"end":number of entries,"head":hash of the line before}
//   time    = "2026-01-31T23:59:59Z"                   plan = as in plan_file.cc, on one line
//   hash    = 64 hexadecimal digits: BLAKE2b-256 of the hash of the line before (64 zeros for the header) followed by
//             this line up to, not including, ,"head":
//
// The end line shows a file that was cut short; the chain shows a line that was changed, dropped, added or moved.
#include "privacy/ledger_text.h"

#include <sodium.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/plan_file.h>

#include "base/check.h"
#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kFormat[] = "sosia-ledger";
constexpr int kVersion = 1;
constexpr std::size_t kHashText = 64;

[[noreturn]] void damaged(const std::string& problem, const std::string& where) {
  throw Error(ErrorKind::io, "the ledger file " + problem, where,
              "restore the newest copy, the one whose head your latest certificate shows; if there is none, treat the "
              "budget of this data set as spent");
}

std::string body_of(const LedgerContents& contents) {
  return ordered_json{{"format", kFormat},
                      {"version", kVersion},
                      {"dataset", contents.dataset},
                      {"created", contents.created},
                      {"promise", ordered_json::parse(to_json(contents.promise))},
                      {"spending", name_of(contents.spending)}}
      .dump();
}

std::string body_of(const LedgerEntry& entry, std::size_t number) {
  ordered_json body = {{"seq", number},
                       {"time", entry.time},
                       {"purpose", entry.purpose},
                       {"plan", ordered_json::parse(to_json(entry.plan))},
                       {"spent_epsilon", entry.spent_epsilon}};
  if (!entry.run.empty()) body["run"] = entry.run;
  return body.dump();
}

/// The line in the file: the body, which ends in '}', with the head put in as its last key.
std::string sealed(std::string body, const std::string& head) {
  body.pop_back();
  return fmt::format("{},\"head\":\"{}\"}}\n", body, head);
}

std::string end_line(std::size_t entries, const std::string& head) {
  return fmt::format("{{\"end\":{},\"head\":\"{}\"}}\n", entries, head);
}

/// Takes the first line, with its '\n', off the text.
std::string_view take_line(std::string_view& text, const std::string& where) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) damaged("was cut short", where);
  const std::string_view line = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return line;
}

/// Splits a line into body and head, and checks that the head continues the chain.
std::string unseal(std::string_view line, const std::string& before, const std::string& where, std::string& head) {
  const std::size_t tail = std::string_view(",\"head\":\"\"}\n").size() + kHashText;
  if (line.size() <= tail) damaged("was changed", where);
  const std::string body = std::string(line.substr(0, line.size() - tail)) + "}";
  head = chain(before, std::string_view(body).substr(0, body.size() - 1));
  if (line != sealed(body, head)) damaged("was changed", where);
  return body;
}

std::string time_of(const ObjectReader& reader, const std::string& key) {
  const std::string time = reader.text(key), form = "0000-00-00T00:00:00Z";
  const auto same_kind = [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; };
  if (!std::equal(time.begin(), time.end(), form.begin(), form.end(), same_kind)) {
    reader.refuse(key, "must be a time", "write it as 2026-01-31T23:59:59Z");
  }
  return time;
}

/// Tells a ledger that was cut short within its first bytes from a file that never was one.
void check_start(std::string_view text, const std::string& where) {
  const std::string start = fmt::format("{{\"format\":\"{}\"", kFormat);
  if (text.starts_with(start)) return;
  if (start.starts_with(text)) damaged("was cut short", where);
  throw Error(ErrorKind::io, "this is not a ledger file, or its first line was changed", where,
              "pass the path of a ledger file; if this is one, restore an unchanged copy");
}

void read_header(const std::string& body, const std::string& where, LedgerContents& contents) {
  const json document = parse_json(body, where);
  const ObjectReader header(document, where, "the header of a ledger",
                            {"format", "version", "dataset", "created", "promise", "spending"});
  if (header.text("format") != kFormat) header.refuse("format", "must be sosia-ledger", "pass a ledger file");
  if (header.whole("version") != kVersion) header.refuse("version", "is not known", "use a newer version of sosia");
  contents.dataset = header.text("dataset");
  contents.created = time_of(header, "created");
  contents.spending = spending_from(header.text("spending"));
  const ObjectReader promise(header.at("promise"), where + ", promise", "a promise",
                             {"epsilon", "delta", "relation", "unit", "selection_delta"});
  const ObjectReader unit(promise.at("unit"), where + ", unit", "a privacy unit", {"column", "max_rows"});
  contents.promise = {.epsilon = promise.number("epsilon"),
                      .delta = promise.number("delta"),
                      .relation = neighbors_from(promise.text("relation")),
                      .unit = {.column = unit.text("column"), .max_rows = unit.whole("max_rows")},
                      .selection_delta = promise.number("selection_delta")};
}

LedgerEntry read_entry(const std::string& body, const std::string& where) {
  const json document = parse_json(body, where);
  const ObjectReader entry(document, where, "a ledger entry",
                           {"seq", "time", "purpose", "plan", "spent_epsilon", "run"});
  return {.time = time_of(entry, "time"),
          .purpose = entry.text("purpose"),
          .plan = parse_plan(entry.at("plan").dump(), where),
          .spent_epsilon = entry.number("spent_epsilon"),
          .head = {},
          .run = entry.has("run") ? entry.text("run") : std::string()};
}

}  // namespace

std::string chain(std::string_view before, std::string_view line) {
  SOSIA_CHECK(sodium_init() >= 0, "libsodium cannot be initialised");
  const std::string text = std::string(before) + std::string(line);
  unsigned char hash[kHashText / 2];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  std::string out;
  for (const unsigned char byte : hash) out += fmt::format("{:02x}", byte);
  return out;
}

std::string first_head(const LedgerContents& contents) {
  std::string body = body_of(contents);
  body.pop_back();
  return chain(std::string(kHashText, '0'), body);
}

std::string next_head(const std::string& before, const LedgerEntry& entry, std::size_t number) {
  std::string body = body_of(entry, number);
  body.pop_back();
  return chain(before, body);
}

std::string to_text(const LedgerContents& contents) {
  std::string text = sealed(body_of(contents), first_head(contents));
  for (std::size_t i = 0; i < contents.entries.size(); ++i) {
    text += sealed(body_of(contents.entries[i], i + 1), contents.entries[i].head);
  }
  return text + end_line(contents.entries.size(), contents.head);
}

LedgerContents parse_ledger(std::string_view text, const std::string& where) {
  LedgerContents contents;
  std::string place = where + ", header";
  try {
    check_start(text, place);
    const std::string_view first = take_line(text, place);
    read_header(unseal(first, std::string(kHashText, '0'), place, contents.head), place, contents);
    if (sealed(body_of(contents), contents.head) != first) damaged("was not written by sosia", place);
    for (std::size_t number = 1;; ++number) {
      place = fmt::format("{}, entry {}", where, number);
      const std::string_view line = take_line(text, place);
      if (line == end_line(contents.entries.size(), contents.head)) break;
      if (line.starts_with("{\"end\":")) damaged("lacks entries, or its end line was changed", place);
      LedgerEntry entry = read_entry(unseal(line, contents.head, place, contents.head), place);
      entry.head = contents.head;
      if (sealed(body_of(entry, number), entry.head) != line) damaged("was not written by sosia", place);
      contents.entries.push_back(std::move(entry));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    // The chain holds, so these are the words of whoever wrote the file: the reader's message says what is wrong.
    throw Error(ErrorKind::io, "the ledger file cannot be read: " + error.problem(), place, error.fix());
  }
  if (!text.empty()) damaged("goes on after its end line", where);
  return contents;
}

}  // namespace sosia
