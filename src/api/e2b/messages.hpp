// The messages of the envd services as tables: field numbers, JSON names and types. One table
// serves both forms of a message, proto3 JSON and binary protobuf.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace atl::api::e2b {

enum class FieldKind : std::uint8_t {
  kString,
  kBytes,  // base64 in JSON
  kBool,
  kUint32,
  kInt64,   // a string in JSON
  kSint32,  // zigzag
  kEnum,
  kMessage,
  kStringMap,  // map<string, string>
  kTimestamp,  // google.protobuf.Timestamp; RFC 3339 in JSON
};

struct EnumValue {
  std::uint32_t number;
  std::string_view name;
};

struct MessageType;

struct FieldType {
  std::uint32_t number;
  std::string_view name;  // in JSON
  FieldKind kind;
  const MessageType* message = nullptr;
  std::span<const EnumValue> values = {};
  bool repeated = false;
};

struct MessageType {
  std::span<const FieldType> fields;
};

extern const MessageType kEmptyMessage;
extern const MessageType kProcessListResponse;
extern const MessageType kStartRequest;
extern const MessageType kProcessStream;  // StartResponse and ConnectResponse
extern const MessageType kSelectRequest;  // ConnectRequest, CloseStdinRequest
extern const MessageType kUpdateRequest;
extern const MessageType kSendInputRequest;
extern const MessageType kStreamInputRequest;
extern const MessageType kSendSignalRequest;

extern const MessageType kPathRequest;  // StatRequest, MakeDirRequest, RemoveRequest
extern const MessageType kMoveRequest;
extern const MessageType kListDirRequest;
extern const MessageType kEntryResponse;  // StatResponse, MakeDirResponse, MoveResponse
extern const MessageType kListDirResponse;
extern const MessageType kWatchRequest;  // WatchDirRequest, CreateWatcherRequest
extern const MessageType kWatchStream;
extern const MessageType kWatcher;  // CreateWatcherResponse, Get…Request, RemoveWatcherRequest
extern const MessageType kWatcherEvents;

extern const std::span<const EnumValue> kSignals;

}  // namespace atl::api::e2b
