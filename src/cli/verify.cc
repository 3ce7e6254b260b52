// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/verify.h>

#include "cli/arguments.h"
#include "cli/command.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia verify out
  sosia verify out/certificate.json --ledger clinic.ledger
  sosia verify out --json

Exit codes: 0 all agrees; 3 something does not; 6 a file cannot be read.)";

struct Options {
  Argument certificate, ledger;
  bool json = false;
};

std::string text_of(const Verification& verification) {
  std::size_t widest = 0;
  for (const VerifiedFact& fact : verification.facts) widest = std::max(widest, fact.what.size());
  std::string text;
  for (const VerifiedFact& fact : verification.facts) {
    text += fact.problem.empty() ? fmt::format("agrees   {}\n", fact.what)
                                 : fmt::format("DIFFERS  {:<{}}  {}\n", fact.what, widest, fact.problem);
  }
  for (const std::string& name : verification.not_covered) text += fmt::format("         {} is not covered\n", name);
  return verification.statement.empty() ? text : text + "\n" + verification.statement + "\n";
}

std::string json_of(const Verification& verification) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  for (const VerifiedFact& fact : verification.facts) {
    facts.push_back({{"what", fact.what}, {"agrees", fact.problem.empty()}, {"problem", fact.problem}});
  }
  const nlohmann::ordered_json out = {
      {"agrees", verification.agrees()}, {"facts", facts}, {"not_covered", verification.not_covered}};
  return out.dump(2) + "\n";
}

Outcome run_verify(const Options& options) {
  if (!options.certificate) {
    throw Error(ErrorKind::usage, "the certificate is missing", "sosia verify",
                "name the folder of a run after the command, for example sosia verify out");
  }
  const std::string& path = *options.certificate;
  const Verification verification = verify(path, options.ledger.value_or(""));
  const std::string out = options.json ? json_of(verification) : text_of(verification);
  if (verification.agrees()) return {out};
  const Error error(ErrorKind::data, "the files are not those that the certificate was made for", path,
                    "get them from where they were made, or do not rely on the certificate");
  return {out, std::string(error.what()) + "\n", error.exit_code()};
}

}  // namespace

std::vector<Command> add_verify(const Declared& program) {
  const Declared command =
      program.command("verify", "Do a certificate and the files that go with it agree?", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("CERTIFICATE", options->certificate, "The folder of a run, or its certificate.json", "");
  command.option("--ledger", options->ledger, "Also look for the run in this ledger file", "FILE");
  command.flag("--json", options->json, "For programs");
  return {{command, [options] { return run_verify(*options); }}};
}

}  // namespace sosia::cli
