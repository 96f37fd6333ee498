// A file that a request names, and the session it is in, which counts as used meanwhile. For the
// files service.
#pragma once

#include <string>
#include <utility>

#include "control/audit.hpp"
#include "control/box_path.hpp"
#include "control/live_session.hpp"
#include "model/file.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

class FileLocation {
 public:
  FileLocation(Use use, std::string path) : path(std::move(path)), use_(std::move(use)) {}

  std::string path;  // as the guest sees it

  sandbox::Sandbox& sandbox() const { return use_.sandbox(); }
  std::string workspace() const { return sandbox().workspace(); }
  bool is_workspace() const { return path == workspace(); }
  // The folders that every session has are not the client's to change.
  bool is_of_session() const { return is_workspace() || path == "/tmp"; }
  std::string shown(std::string_view guest_path) const {
    return shown_path(guest_path, workspace());
  }
  void record(const Caller& caller, Audit& audit, model::AuditAction action,
              std::string_view guest_path) const {
    audit.soon(audit_row(
        caller,
        {.action = action, .session_id = use_.session().row.id, .detail = shown(guest_path)}));
  }
  // `info` with its whole path.
  model::File file(const sandbox::FileInfo& info) const {
    using Kind = model::File::Kind;
    static constexpr Kind kKinds[] = {Kind::kOther, Kind::kFile, Kind::kDirectory, Kind::kSymlink};
    return {.path = shown(info.path),
            .kind = info.kind < std::size(kKinds) ? kKinds[info.kind] : Kind::kOther,
            .mode = info.mode,
            .size = info.size,
            .mtime_ns = info.mtime_ns,
            .target = info.target,
            .uid = info.uid,
            .gid = info.gid};
  }

 private:
  Use use_;
};

}  // namespace atl::control
