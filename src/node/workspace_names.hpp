// Where a workspace lies: TENANT/KEY, two names of folders. Every tenant and every key has a name
// of its own, and no name leads out of its folder (docs/adr/0024-workspaces-of-tenants.md).
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace atl::node {

// One name of a folder, another one for every text: `:` is `_`, `_` is `%5F`, `%` is `%25`; control
// characters, `/`, DEL, and `.` or `@` in front are %XX as well; nothing at all is `%`. Beyond 200
// bytes: the first 100, `%-` and the SHA-256 of the text.
std::string folder_name(std::string_view text);

// Until schema 2, `:` and `_` were one. A folder that may belong to several keys waits under this
// name, and goes to the first of them that asks. `name` is what folder_name() makes of a key.
std::string unclaimed_name(std::string_view name);

// Brings folders of the first schema (KEY for the tenant `default`, @TENANT/KEY for others) to
// where they belong. Once: a file in `folder` says that it is done. It may be interrupted at any
// point and goes on at the next call. A folder that may belong to several of `tenants` stays in
// FOLDER/.old-layout. Blocks.
Result<void> migrate_workspaces(const std::string& folder, const std::set<std::string>& tenants);

}  // namespace atl::node
