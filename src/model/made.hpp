// What a request with an Idempotency-Key made: enough to answer the same request again. The answer
// itself is not kept, it is rendered anew from the thing.
#pragma once

#include <string>

#include <boost/describe/enum.hpp>

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(MadeKind, kSession, kExecution, kContext, kSnapshot, kTemplate, kKey)

// How far the thing was when the client was told of it.
//   kAccepted  still being made, queued or running
//   kDone      ready, or ended with a result
//   kFound     it was there before the request (a session_key that has a live session)
BOOST_DEFINE_ENUM_CLASS(MadeState, kAccepted, kDone, kFound)

struct Made {
  MadeKind kind = MadeKind::kSession;
  std::string id;
  MadeState state = MadeState::kDone;
};

}  // namespace atl::model
