// What clients do that is worth remembering. The names are those of the life cycle's events.
#pragma once

#include <boost/describe/enum.hpp>

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(AuditAction, kSessionCreated, kSessionChanged, kSessionRenewed,
                        kSessionPaused, kSessionResumed, kSessionDeleted, kExecutionStarted,
                        kExecutionCancelled, kExecutionRefused, kFileWritten, kFileRemoved,
                        kSnapshotCreated, kSnapshotDeleted, kTemplateCreated, kTemplateChanged,
                        kTemplateDeleted, kTerminalOpened, kKeyCreated, kKeyRevoked,
                        kPreviewTokenCreated)

}  // namespace atl::model
