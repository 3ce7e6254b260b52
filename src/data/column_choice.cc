// SPDX-License-Identifier: Apache-2.0
#include "data/column_choice.h"

#include <arrow/util/utf8.h>

#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <sosia/error.h>

#include "base/json_reader.h"

namespace sosia {

std::vector<int> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted,
                                const std::string& file) {
  // By number only: where a CSV file lacks its header, the "names" are somebody's values.
  arrow::util::InitializeUTF8();
  std::unordered_map<std::string, int> index;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    if (!arrow::util::ValidateUTF8(names[i])) {
      throw Error(ErrorKind::data, "the name of column " + number + " is not UTF-8", file, "save the file as UTF-8");
    }
    const auto [first, added] = index.emplace(names[i], static_cast<int>(i));
    if (!added) {
      throw Error(ErrorKind::data,
                  "columns " + std::to_string(first->second + 1) + " and " + number + " have the same name", file,
                  "give every column a name of its own; a CSV file without a line of names needs --no-header");
    }
  }
  std::vector<int> chosen(names.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (wanted.empty()) return chosen;
  chosen.clear();
  std::unordered_set<int> taken;
  for (const std::string& name : wanted) {
    const auto found = index.find(name);
    if (found == index.end()) {
      throw Error(ErrorKind::data, "there is no column " + shown(name) + " among the " + std::to_string(names.size()),
                  file, "check its name; a CSV file without a line of names needs --no-header");
    }
    if (!taken.insert(found->second).second) {
      throw Error(ErrorKind::usage, "column " + shown(name) + " is asked for twice", file, "name it once");
    }
    chosen.push_back(found->second);
  }
  return chosen;
}

}  // namespace sosia
