// SPDX-License-Identifier: Apache-2.0
// The text of a ledger file: reading, writing, and the hash chain. Knows no files and no prices.
#pragma once

#include <string>
#include <string_view>

#include <sosia/ledger_file.h>

namespace sosia {

/// Reads a whole ledger file and checks its hash chain and its end line. Only the exact text that `to_text` writes is
/// accepted. A text that was cut short or changed is an io error that says at which entry. `where` names the source.
LedgerContents parse_ledger(std::string_view text, const std::string& where);

/// The contents as the text of a file; the heads are taken as they are.
std::string to_text(const LedgerContents& contents);

/// The head of a ledger without entries.
std::string first_head(const LedgerContents& contents);

/// The head of `entry`, the `number`-th one (from 1), after a line whose head is `before`.
std::string next_head(const std::string& before, const LedgerEntry& entry, std::size_t number);

/// BLAKE2b-256, in hexadecimal, of the head before and of a line without its own head.
std::string chain(std::string_view before, std::string_view line);

}  // namespace sosia
