// SPDX-License-Identifier: Apache-2.0
// From a draft to a schema. Whatever waits for review is taken out here, once, so that no code behind a Schema can see
// it.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "base/json_reader.h"
#include "data/image_schema.h"
#include "data/schema_sources.h"

namespace sosia {

namespace {

bool holds(std::span<const Fact> facts, Fact fact) {
  return std::find(facts.begin(), facts.end(), fact) != facts.end();
}

/// What was taken out in a review is no longer claimed.
bool is_claimed(const Column& column, Fact fact) {
  if (fact == Fact::values) return column.values.has_value();
  if (fact == Fact::bounds) return column.min || column.max;
  if (fact == Fact::edges) return !column.edges.empty();
  return fact != Fact::pattern || !column.pattern.empty();
}

std::string place_of(const Column& column, Fact fact) {
  return fmt::format("column {}: {}", shown(column.name), name_of(fact));
}

std::string image_fact(const ImageSchema& images, Fact fact) {
  if (fact == Fact::classes) return fmt::format("images: classes {}", listed(images.classes));
  return fmt::format("images: size {} x {}, {}", images.shape.width, images.shape.height,
                     images.shape.channels == 1 ? "grey" : "colour");
}

void take_out(Column& column, Fact fact) {
  if (fact == Fact::values) column.values = {};
  if (fact == Fact::bounds) column.min = column.max = {};
  // Atoms and bins lie between bounds, and say where these are.
  if (fact == Fact::bounds || fact == Fact::atoms) column.atoms.clear();
  if (fact == Fact::bounds || fact == Fact::edges) column.edges.clear();
  if (fact == Fact::missing) {
    // Of what is never encoded nobody needs to know it: there, nothing is claimed.
    const bool is_encoded = has_values(column.type) || has_bounds(column.type);
    column.missing = !is_encoded;
    column.missing_is_open = is_encoded;
  }
}

bool can_be_discovered(Fact fact) {
  return fact == Fact::values || fact == Fact::bounds || fact == Fact::edges || fact == Fact::missing ||
         fact == Fact::atoms;
}

}  // namespace

Draft::Draft(Schema declared) : facts_(std::move(declared)) { validate(facts_); }

Draft::Draft(Schema facts, Notes notes, const std::string& where) : facts_(std::move(facts)), notes_(std::move(notes)) {
  validate(facts_, where);
  std::erase_if(notes_.unreviewed, [](const auto& entry) { return entry.second.empty(); });
  const auto refuse = [&](const std::string& place, const std::string& problem, const char* fix) {
    throw Error(ErrorKind::schema, problem, (where.empty() ? "" : where + ", ") + place, fix);
  };
  for (const auto& [name, facts_of_column] : notes_.unreviewed) {
    if (facts_.images) {
      check_image_facts(facts_of_column, (where.empty() ? "the schema" : where) + ", key \"unreviewed\"");
      continue;
    }
    const std::string place = fmt::format("column {}, key \"unreviewed\"", shown(name));
    const Column* column = facts_.find(name);
    std::set<Fact> seen;
    for (const Fact fact : facts_of_column) {
      if (column == nullptr) refuse(place, "there is no such column", "remove it");
      if (!applies(fact, column->type)) {
        refuse(place, fmt::format("type {} has no {}", name_of(column->type), name_of(fact)), "remove it");
      }
      if (!seen.insert(fact).second) refuse(place, fmt::format("{} is listed twice", name_of(fact)), "keep one");
    }
  }
  for (const std::string& name : notes_.likely_units) {
    if (facts_.find(name) == nullptr) refuse("key \"likely_units\"", "names an unknown column", "remove it");
  }
}

std::vector<Fact> Draft::unreviewed_of(const std::string& column) const {
  const auto found = notes_.unreviewed.find(column);
  return found == notes_.unreviewed.end() ? std::vector<Fact>() : found->second;
}

std::vector<std::string> Draft::unreviewed() const {
  std::vector<std::string> list;
  for (const Column& column : facts_.columns) {
    for (const Fact fact : unreviewed_of(column.name)) {
      if (is_claimed(column, fact)) list.push_back(place_of(column, fact));
    }
  }
  for (const Fact fact : facts_.images ? unreviewed_of("") : std::vector<Fact>()) {
    if (fact != Fact::classes || !facts_.images->classes.empty()) {
      list.push_back(fmt::format("images: {}", name_of(fact)));
    }
  }
  return list;
}

std::vector<std::string> Draft::confirm() { return confirm(all_facts()); }

std::vector<std::string> Draft::confirm(std::span<const Fact> facts) {
  std::vector<std::string> list;
  for (Column& column : facts_.columns) {
    const auto waiting = notes_.unreviewed.find(column.name);
    if (waiting == notes_.unreviewed.end()) continue;
    std::erase_if(waiting->second, [&](Fact fact) {
      if (!holds(facts, fact)) return false;
      if (is_claimed(column, fact)) {
        list.push_back(fmt::format("column {}: {}", shown(column.name), said(column, fact)));
        column.confirmed.push_back(fact);
      }
      return true;
    });
    if (holds(facts, Fact::values)) notes_.rare.erase(column.name);
  }
  if (facts_.images && notes_.unreviewed.contains("")) {
    std::erase_if(notes_.unreviewed[""], [&](Fact fact) {
      if (!holds(facts, fact)) return false;
      if (fact != Fact::classes || !facts_.images->classes.empty()) {
        list.push_back(image_fact(*facts_.images, fact));
        facts_.images->confirmed.push_back(fact);
      }
      return true;
    });
  }
  std::erase_if(notes_.unreviewed, [](const auto& entry) { return entry.second.empty(); });
  return list;
}

std::vector<std::string> Draft::risks(std::span<const Fact> facts) const {
  std::vector<std::string> list;
  for (const auto& [name, values] : notes_.rare) {
    const Column* column = facts_.find(name);
    const std::vector<Fact> waiting = unreviewed_of(name);
    if (column == nullptr || !column->values || !holds(facts, Fact::values) || !holds(waiting, Fact::values)) continue;
    for (const std::string& value : values) {
      const bool is_listed = std::find(column->values->begin(), column->values->end(), value) != column->values->end();
      if (is_listed) list.push_back(fmt::format("column {}: {}", shown(name), shown(value)));
    }
  }
  return list;
}

void Draft::set_target(const std::string& column) {
  facts_.target = column;
  validate(facts_, "the target");
}

void Draft::set_unit(const PrivacyUnit& unit) {
  facts_.unit = unit;
  notes_.likely_units.clear();
  const auto is_unit = [&](const Column& column) { return column.name == unit.column; };
  const auto column = std::find_if(facts_.columns.begin(), facts_.columns.end(), is_unit);
  // An id is never learned from, whatever it was taken for. Whether ids may be missing stays if somebody vouched for
  // it, and so does where that comes from.
  if (column != facts_.columns.end() && column->type != ColumnType::identifier) {
    const bool may_be_missing = column->missing && !holds(unreviewed_of(column->name), Fact::missing);
    Column id{.name = column->name, .type = ColumnType::identifier, .missing = may_be_missing};
    if (holds(column->confirmed, Fact::missing)) id.confirmed = {Fact::missing};
    std::ranges::copy_if(column->bought, std::back_inserter(id.bought),
                         [](const BoughtFact& bought) { return bought.fact == Fact::missing; });
    *column = std::move(id);
    notes_.unreviewed.erase(column->name);
    notes_.rare.erase(column->name);
  }
  validate(facts_, "the privacy unit");
}

void Draft::check_unit() const {
  if (notes_.likely_units.empty()) return;
  const std::string& name = notes_.likely_units.front();
  throw Error(
      ErrorKind::schema,
      fmt::format("column {} looks like the id of somebody with several rows, and nobody has said whose privacy "
                  "is protected",
                  shown(name)),
      "the schema; nothing was spent",
      fmt::format("protect all rows of one id: --unit {}:MAX, MAX being the most rows of an id that are used; or "
                  "single rows alone: --unit row",
                  name));
}

Schema Draft::schema() const {
  check_unit();
  std::size_t columns = 0;
  std::set<std::string> kinds;
  Schema open = facts_;
  for (Column& column : open.columns) {
    const std::vector<Fact> waiting = unreviewed_of(column.name);
    for (const Fact fact : waiting) {
      if (can_be_discovered(fact)) {
        take_out(column, fact);
        // Rows without an id are left out where somebody says so, and refused else.
        if (fact == Fact::missing && column.name == open.unit.column) column.missing = false;
      } else if (is_claimed(column, fact)) {
        kinds.insert(name_of(fact));
      }
    }
    columns += std::ranges::any_of(waiting, [&](Fact f) { return !can_be_discovered(f) && is_claimed(column, f); });
  }
  if (open.images && !unreviewed().empty()) return reviewed();  // which throws
  if (kinds.empty()) return open;
  throw Error(
      ErrorKind::schema,
      fmt::format("{} of {} {} for review and cannot be discovered privately", fmt::join(kinds, " and "),
                  columns == 1 ? "a column" : fmt::format("{} columns", columns), kinds.size() == 1 ? "waits" : "wait"),
      "the schema", fmt::format("review them, then confirm: --confirm {}", fmt::join(kinds, ",")));
}

Schema Draft::reviewed() const {
  const std::vector<std::string> facts = unreviewed();
  if (!facts.empty()) {
    throw Error(ErrorKind::schema,
                fmt::format("the schema has facts that were read off the {} and that nobody has reviewed",
                            facts_.images ? "images" : "data"),
                first_of(facts),
                facts_.images
                    ? "confirm them as public knowledge (--confirm)"
                    : "confirm them as public knowledge (--confirm), or let them be discovered privately (--discover)");
  }
  return schema();
}

}  // namespace sosia
