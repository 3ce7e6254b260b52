#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands before the compiler where only the linter's word counts: the source is preprocessed, which tells the build what
# it depends on, and not compiled.
exec "$@" -E
