#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks find what they are for: each test plants a violation in an otherwise clean tree."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_audit  # noqa: E402
import check_docs  # noqa: E402
import check_layers  # noqa: E402
import check_limits  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
LISTING = "# SPDX-License-Identifier: Apache-2.0\n"


class CheckTest(unittest.TestCase):
    """A throw-away tree."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def expect(self, check, words):
        """Exactly one violation, which says these words; none if there are no words."""
        found = check.violations(self.root)
        if words is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), 1, found)
            self.assertIn(words, found[0])


class Layers(CheckTest):
    def test_clean(self):
        self.put("include/sosia/plan.h", "#include <vector>\n#include <sosia/error.h>\n")
        self.put("src/data/private_table.h", '#include "base/matrix.h"\nclass TableKey {};\n')
        self.put("src/privacy/door.cc", '#include <sodium.h>\n#include "data/private_table.h"\nTableKey key;\n')
        self.put("src/privacy/accounting/rdp.cc", '#include "base/check.h"\n#include <sosia/plan.h>\n')
        self.put("src/privacy/bounded_map.h", '#include "base/matrix.h"\n')
        self.put("src/features/fourier.cc", '#include "privacy/bounded_map.h"\n#include "random/public_rng.h"\n')
        self.put("src/cli/main.cc", '#include <sosia/plan.h>\n#include "cli/account.h"\n')
        self.put("src/data/table_test.cc", '#include "tests/support/neighbours.h"\n')
        self.expect(check_layers, None)

    def one(self, path, text, words):
        self.put(path, text)
        self.expect(check_layers, words)

    def test_upward(self):
        self.one("src/base/error.cc", '#include "data/private_table.h"\n', "base/ may not include data/")

    def test_base_knows_only_errors(self):
        self.one("src/base/error.cc", "#include <sosia/ledger.h>\n", "too low for <sosia/ledger.h>")

    def test_accounting_knows_no_data(self):
        self.one("src/privacy/accounting/rdp.cc", '#include "data/private_table.h"\n', "may not include data/")

    def test_accounting_draws_nothing(self):
        self.one("src/privacy/accounting/rdp.cc", '#include "random/secure_rng.h"\n', "may not include random/")

    def test_accounting_knows_no_door(self):
        self.one("src/privacy/accounting/rdp.cc", '#include "privacy/door.h"\n', "may not include privacy/door.h")

    def test_features_use_public_randomness(self):
        self.one("src/features/fourier.cc", '#include "random/secure_rng.h"\n', "features/ may not include random/")

    def test_features_stay_out_of_the_door(self):
        self.one("src/features/fourier.cc", '#include "privacy/door.h"\n', "features/ may not include privacy/door.h")

    def test_command_line_uses_the_public_face(self):
        self.one("src/cli/main.cc", '#include "privacy/door.h"\n', "cli/ may not include privacy/door.h")

    def test_private_table_through_another_header(self):
        self.put("src/data/codec.h", '#include "data/private_table.h"\n')
        self.one("src/model/model.cc", '#include "data/codec.h"\n', "may not see data/private_table.h")

    def test_key(self):
        self.one("src/methods/merf.cc", "TableKey key;\n", "may name TableKey")

    def test_key_in_a_comment(self):
        self.put("src/methods/merf.cc", "// A TableKey is not ours.\n")
        self.expect(check_layers, None)

    def test_draft(self):
        self.put("include/sosia/draft.h", "class Draft;\n")
        self.put("src/data/review.cc", "#include <sosia/draft.h>\n")
        self.one("src/discovery/search.cc", "#include <sosia/draft.h>\n", "take a Schema")

    def test_public_header(self):
        self.one("include/sosia/plan.h", "#include <nlohmann/json.hpp>\n", "a public header includes")

    def test_unknown_folder(self):
        self.one("src/utils/string.cc", "", "not in the table")

    def test_include_without_folder(self):
        self.one("src/base/error.cc", '#include "check.h"\n', "names no folder")


class Limits(CheckTest):
    def one(self, path, text, words):
        self.put(path, text)
        self.expect(check_limits, words)

    def test_clean(self):
        self.put("src/base/error.h", HEADER)
        self.put("src/base/error.cc", SPDX)
        self.put("src/base/CMakeLists.txt", LISTING + "sosia_library(sosia_base SOURCES error.cc)\n")
        self.expect(check_limits, None)

    def test_long_file(self):
        self.one("src/base/error.h", HEADER + "\n" * check_limits.MAX_LINES, "the limit is")

    def test_long_readme(self):
        self.one("README.md", "\n" * (check_limits.MAX_README_LINES + 1), "the limit is")

    def test_licence_line(self):
        self.one("src/base/error.h", "#pragma once\n", "SPDX")

    def test_pragma_once(self):
        self.one("src/base/error.h", SPDX, "#pragma once")

    def test_name(self):
        self.one("src/base/errorKind.h", HEADER, "snake_case")

    def test_glob(self):
        self.one("src/base/CMakeLists.txt", LISTING + "file" + "(GLOB sources *.cc)\n", "a glob")

    def test_source_not_built(self):
        self.put("src/base/CMakeLists.txt", LISTING + "sosia_library(sosia_base SOURCES other_error.cc)\n")
        self.one("src/base/error.cc", SPDX, "never built")

    def test_source_built_by_a_function(self):
        listing = "function(sosia_fuzz name)\n  add_executable(${name}_fuzz ${name}_fuzz.cc)\nendfunction()\n"
        self.put("tests/fuzz/CMakeLists.txt", LISTING + listing + "sosia_fuzz(plan)\n")
        self.put("tests/fuzz/plan_fuzz.cc", SPDX)
        self.expect(check_limits, None)
        self.one("tests/fuzz/ledger_fuzz.cc", SPDX, "never built")

    def test_unfinished(self):
        self.one("docs/page.md", "TO" + "DO: write this\n", "unfinished")

    def test_machine_path(self):
        self.one("docs/page.md", "Open /ho" + "me/anna/data.csv\n", "machine")

    def test_big_file(self):
        self.one("docs/big.bin", "x" * (check_limits.MAX_BYTES + 1), "bytes")


class Docs(CheckTest):
    def test_clean(self):
        self.put("src/base/error.h", HEADER)
        self.put("README.md", "[page](docs/architecture.md) [site](https://example.org)\n| fmt | MIT | text |\n")
        self.put("CMakeLists.txt", "find_package(fmt REQUIRED)\nfind_package(Threads REQUIRED)\n")
        self.put("docs/architecture.md", f"{check_docs.BEGIN}{check_docs.END}\n")
        check_docs.write(self.root)
        self.expect(check_docs, None)
        self.assertIn("src/base/", (self.root / "docs/architecture.md").read_text(encoding="utf-8"))

    def test_old_folder_list(self):
        self.put("docs/architecture.md", f"{check_docs.BEGIN}{check_docs.END}\n")
        self.expect(check_docs, "out of date")

    def test_undescribed_folder(self):
        self.put("src/utils/string.h", HEADER)
        self.expect(check_docs, "not described")

    def test_dead_link(self):
        self.put("README.md", "See [there](docs/nowhere.md).\n")
        self.expect(check_docs, "leads nowhere")

    def test_unnamed_dependency(self):
        self.put("README.md", "| fmt | MIT | text |\n")
        self.put("CMakeLists.txt", "pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)\n")
        self.expect(check_docs, "libsodium has no row")


class AuditPage(CheckTest):
    def page(self, rows, files=()):
        for path, text in files:
            self.put(path, text)
        self.put("docs/audit.md", "".join(f"| `{name}` | {lines} | a duty |\n" for name, lines in rows))

    def test_clean(self):
        self.page([("privacy/door", 3)], [("src/privacy/door.h", "a\n"), ("src/privacy/door.cc", "b\nc\n"),
                                          ("src/privacy/door_test.cc", "d\n"),
                                          ("src/methods/fit.cc", '#include "privacy/door.h"\n')])
        self.expect(check_audit, None)

    def test_wrong_number(self):
        self.page([("privacy/door", 2)], [("src/privacy/door.cc", "b\n")])
        self.expect(check_audit, "has 1 lines")

    def test_no_such_file(self):
        self.page([("data/gone", 2)])
        self.expect(check_audit, "there is no data/gone")

    def test_not_listed(self):
        self.page([], [("src/random/noise.cc", "b\n")])
        self.expect(check_audit, "must be trusted and is not listed")

    def test_only_tests_use_it(self):
        self.page([("random/karney", 1)], [("src/random/karney.h", "a\n"),
                                           ("src/random/noise_test.cc", '#include "random/karney.h"\n')])
        self.expect(check_audit, "only tests use it")


if __name__ == "__main__":
    unittest.main()
