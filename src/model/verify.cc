// SPDX-License-Identifier: Apache-2.0
#include <sosia/verify.h>

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/accounting.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/plan_file.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "model/contents.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// What the certificate of a run has beside that of its model.
constexpr const char* kMethodKey = "method";
constexpr const char* kOptionsKey = "options";
constexpr const char* kFilesKey = "files";

ordered_json options_of(const Model& model) {
  ordered_json options = ordered_json::object();
  for (const auto& [name, value] : model.contents().settings) options[name] = value;
  return options;
}

/// A file of the certificate's own folder, and nothing else: certificates may come from others.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos &&
         is_clean_text(name);
}

json read_certificate(const fs::path& path) {
  json certificate = parse_json(read_text_file(path), path.string());
  const auto files = certificate.is_object() ? certificate.find(kFilesKey) : certificate.end();
  const bool has_files =
      files != certificate.end() && files->is_object() && std::ranges::all_of(files->items(), [](const auto& file) {
        return is_plain_name(file.key()) && file.value().is_string();
      });
  if (has_files) return certificate;
  throw Error(ErrorKind::data, "this is no certificate that names the files it goes with", path.string(),
              "pass the folder that `sosia run` has made, or the certificate.json in it");
}

std::string problem_of_file(const fs::path& path, const std::string& hash) {
  if (!fs::exists(path)) return "is not there";
  return sha256_of_file(path) == hash ? "" : "was changed, or is another file";
}

/// What was reserved must be no more than what the certificate promises, for the same units.
std::string problem_of_entry(const LedgerEntry& entry, const Promise& budget, const json& certificate) {
  const json own = json::parse(to_json(budget)), told = certificate.value("promise", json::object());
  const ObjectReader promise(told, "the certificate, key \"promise\"", "a promise",
                             {"epsilon", "delta", "relation", "unit", "selection_delta"});
  if (promise.at("relation") != own.at("relation") || promise.at("unit") != own.at("unit")) {
    return "the ledger protects others";
  }
  const bool is_paid = account(entry.plan, promise.number("delta")).epsilon <= promise.number("epsilon");
  return is_paid ? "" : "the ledger paid more than is promised";
}

/// The certificate without what a run adds to it.
json certificate_of_model(json certificate) {
  for (const char* key : {kMethodKey, kOptionsKey, kFilesKey}) certificate.erase(key);
  return certificate;
}

class Comparison {
 public:
  Comparison(fs::path path, const fs::path& ledger)
      : path_(std::move(path)), folder_(path_.parent_path()), certificate_(read_certificate(path_)) {
    compare_files();
    if (model_) compare_model();
    if (!ledger.empty()) compare_ledger(ledger);
    list_others();
  }
  Verification result() && { return std::move(result_); }

 private:
  void add(const std::string& what, const std::string& problem) { result_.facts.push_back({what, problem}); }

  void compare_files() {
    for (const auto& [name, hash] : certificate_[kFilesKey].items()) {
      const std::string problem = problem_of_file(folder_ / name, hash.get<std::string>());
      add(name, problem);
      if (problem.empty() && fs::path(name).extension() == ".sosia") model_ = Model::load(folder_ / name);
    }
    if (!model_) add("the model", "cannot be compared with the certificate");
  }

  void compare_model() {
    result_.statement = model_->statement();
    const bool same = json::parse(model_->certificate()) == certificate_of_model(certificate_);
    add("the guarantee", same ? "" : "the model says another one");
    const bool same_method = certificate_.value(kMethodKey, json()) == model_->method() &&
                             certificate_.value(kOptionsKey, json()) == json(options_of(*model_));
    add("method and options", same_method ? "" : "the model was made by others");
    const fs::path schema = folder_ / "schema.json";
    if (!certificate_[kFilesKey].contains("schema.json") || !fs::exists(schema)) return;
    const json told = parse_json(read_text_file(schema), schema.string());
    const bool same_schema = told == json::parse(to_json(model_->schema()));
    add("the schema", same_schema ? "" : "the model has another one");
  }

  void compare_ledger(const fs::path& path) {
    const LedgerFile ledger = LedgerFile::open(path);
    const std::string head = certificate_.value("ledger_head", std::string());
    const auto entry = std::ranges::find(ledger.entries(), head, &LedgerEntry::head);
    add(fmt::format("the entry in {}", path.filename().string()),
        head.empty()                      ? "the budget came from no ledger file"
        : entry == ledger.entries().end() ? "the ledger has no such entry"
                                          : problem_of_entry(*entry, ledger.promise(), certificate_));
  }

  void list_others() {
    for (const auto& entry : fs::directory_iterator(folder_.empty() ? "." : folder_)) {
      const std::string name = entry.path().filename().string();
      if (name == path_.filename() || certificate_[kFilesKey].contains(name)) continue;
      // Whoever made the file chose its name: line ends in it would look like lines of ours.
      result_.not_covered.push_back(is_clean_text(name) ? name : shown(name));
    }
    std::ranges::sort(result_.not_covered);
  }

  fs::path path_, folder_;
  json certificate_;
  std::optional<Model> model_;
  Verification result_;
};

}  // namespace

void write_certificate_of(const Model& model, const fs::path& folder, const std::vector<std::string>& files) {
  ordered_json certificate = ordered_json::parse(model.certificate());
  certificate[kMethodKey] = model.method();
  certificate[kOptionsKey] = options_of(model);
  ordered_json& hashes = certificate[kFilesKey] = ordered_json::object();
  for (const std::string& file : files) hashes[file] = sha256_of_file(folder / file);
  create_durable_file(folder / kCertificateName, certificate.dump(2) + "\n");
}

bool Verification::agrees() const {
  return std::ranges::all_of(facts, [](const VerifiedFact& fact) { return fact.problem.empty(); });
}

Verification verify(const fs::path& certificate, const fs::path& ledger) {
  const fs::path path = fs::is_directory(certificate) ? certificate / kCertificateName : certificate;
  return Comparison(path, ledger).result();
}

}  // namespace sosia
