// What clients do that is worth remembering. The names are those of the life cycle's events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/enum.hpp>

#include "base/ids.hpp"
#include "model/session.hpp"

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(AuditAction, kSessionCreated, kSessionChanged, kSessionRenewed,
                        kSessionPaused, kSessionResumed, kSessionDeleted, kExecutionStarted,
                        kExecutionCancelled, kExecutionRefused, kFileWritten, kFileRemoved,
                        kSnapshotCreated, kSnapshotDeleted, kTemplateCreated, kTemplateChanged,
                        kTemplateDeleted, kTerminalOpened, kKeyCreated, kKeyRevoked,
                        kPreviewTokenCreated, kSecretSet, kSecretDeleted, kNetworkChanged,
                        kNetworkRefused, kApprovalRequested, kApprovalDecided, kTestStarted,
                        kTenantChanged, kExecutionEnded, kFileChanged)

// Who did what. Without code, environment, contents or secrets.
struct AuditRow {
  std::string tenant;
  std::string id;
  Time time{};         // that of the id
  std::string key_id;  // empty: no key was needed, or it was the command line
  AuditAction action{};
  std::string outcome = "ok";  // or the code of what was refused
  SessionId session_id;
  ExecutionId execution_id;
  std::string trace_id;
  std::string request_id;
  std::string detail;
  std::string result;  // of what ended, an object as JSON; empty: it says nothing
  // Its place in a chain (audit_chain.hpp), given by the store; rows of old versions have none.
  std::string chain;
  std::optional<std::int64_t> seq;
  std::string hash;
};

}  // namespace atl::model
