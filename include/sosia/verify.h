// SPDX-License-Identifier: Apache-2.0
// A certificate that goes with files, and whether they are still what it was made for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sosia/model.h>

namespace sosia {

inline constexpr char kCertificateName[] = "certificate.json";

/// Writes certificate.json into the folder: the model's certificate, its method and options, and the SHA-256 of these
/// files of the folder. An existing file is never overwritten.
void write_certificate_of(const Model& model, const std::filesystem::path& folder,
                          const std::vector<std::string>& files);

/// One thing that a certificate says, and whether it is so.
struct VerifiedFact {
  std::string what;     ///< "synthetic.csv"
  std::string problem;  ///< empty: it agrees
};

struct Verification {
  std::vector<VerifiedFact> facts;
  std::vector<std::string> not_covered;  ///< files beside the certificate that it does not name
  std::string statement;                 ///< the guarantee, for people; empty: the model could not be read
  bool agrees() const;
};

/// Compares a certificate, or that of a folder, with the files it names, with the model among them and, if one is
/// given, with the ledger file that the budget came from. A certificate is not signed: this finds files that were
/// changed or mixed up, not somebody who wrote a new certificate for other files.
Verification verify(const std::filesystem::path& certificate, const std::filesystem::path& ledger = {});

}  // namespace sosia
