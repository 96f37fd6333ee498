#include "api/e2b/messages.hpp"

namespace atl::api::e2b {

namespace {

using enum FieldKind;

constexpr EnumValue kSignalValues[] = {
    {0, "SIGNAL_UNSPECIFIED"}, {9, "SIGNAL_SIGKILL"}, {15, "SIGNAL_SIGTERM"}};
constexpr EnumValue kFileTypes[] = {{0, "FILE_TYPE_UNSPECIFIED"},
                                    {1, "FILE_TYPE_FILE"},
                                    {2, "FILE_TYPE_DIRECTORY"},
                                    {3, "FILE_TYPE_SYMLINK"}};
constexpr EnumValue kEventTypes[] = {{0, "EVENT_TYPE_UNSPECIFIED"}, {1, "EVENT_TYPE_CREATE"},
                                     {2, "EVENT_TYPE_WRITE"},       {3, "EVENT_TYPE_REMOVE"},
                                     {4, "EVENT_TYPE_RENAME"},      {5, "EVENT_TYPE_CHMOD"}};

constexpr MessageType kNothing{};

constexpr FieldType kSizeFields[] = {{1, "cols", kUint32}, {2, "rows", kUint32}};
constexpr MessageType kSize{kSizeFields};
constexpr FieldType kPtyFields[] = {{1, "size", kMessage, &kSize}};
constexpr MessageType kPty{kPtyFields};

constexpr FieldType kConfigFields[] = {{1, "cmd", kString},
                                       {2, "args", kString, nullptr, {}, true},
                                       {3, "envs", kStringMap},
                                       {4, "cwd", kString}};
constexpr MessageType kConfig{kConfigFields};

constexpr FieldType kSelectorFields[] = {{1, "pid", kUint32}, {2, "tag", kString}};
constexpr MessageType kSelector{kSelectorFields};

constexpr FieldType kInfoFields[] = {
    {1, "config", kMessage, &kConfig}, {2, "pid", kUint32}, {3, "tag", kString}};
constexpr MessageType kInfo{kInfoFields};
constexpr FieldType kListFields[] = {{1, "processes", kMessage, &kInfo, {}, true}};

constexpr FieldType kStartFields[] = {{1, "process", kMessage, &kConfig},
                                      {2, "pty", kMessage, &kPty},
                                      {3, "tag", kString},
                                      {4, "stdin", kBool}};

constexpr FieldType kStartEventFields[] = {{1, "pid", kUint32}};
constexpr MessageType kStartEvent{kStartEventFields};
constexpr FieldType kDataFields[] = {
    {1, "stdout", kBytes}, {2, "stderr", kBytes}, {3, "pty", kBytes}};
constexpr MessageType kData{kDataFields};
constexpr FieldType kEndFields[] = {
    {1, "exitCode", kSint32}, {2, "exited", kBool}, {3, "status", kString}, {4, "error", kString}};
constexpr MessageType kEnd{kEndFields};
constexpr FieldType kEventFields[] = {{1, "start", kMessage, &kStartEvent},
                                      {2, "data", kMessage, &kData},
                                      {3, "end", kMessage, &kEnd},
                                      {4, "keepalive", kMessage, &kNothing}};
constexpr MessageType kEvent{kEventFields};
constexpr FieldType kStreamFields[] = {{1, "event", kMessage, &kEvent}};

constexpr FieldType kSelectFields[] = {{1, "process", kMessage, &kSelector}};
constexpr MessageType kSelect{kSelectFields};
constexpr FieldType kUpdateFields[] = {{1, "process", kMessage, &kSelector},
                                       {2, "pty", kMessage, &kPty}};

constexpr FieldType kInputFields[] = {{1, "stdin", kBytes}, {2, "pty", kBytes}};
constexpr MessageType kInput{kInputFields};
constexpr FieldType kSendInputFields[] = {{1, "process", kMessage, &kSelector},
                                          {2, "input", kMessage, &kInput}};
constexpr FieldType kInputDataFields[] = {{2, "input", kMessage, &kInput}};
constexpr MessageType kInputData{kInputDataFields};
constexpr FieldType kStreamInputFields[] = {{1, "start", kMessage, &kSelect},
                                            {2, "data", kMessage, &kInputData},
                                            {3, "keepalive", kMessage, &kNothing}};
constexpr FieldType kSignalFields[] = {{1, "process", kMessage, &kSelector},
                                       {2, "signal", kEnum, nullptr, kSignalValues}};

constexpr FieldType kEntryFields[] = {{1, "name", kString},
                                      {2, "type", kEnum, nullptr, kFileTypes},
                                      {3, "path", kString},
                                      {4, "size", kInt64},
                                      {5, "mode", kUint32},
                                      {6, "permissions", kString},
                                      {7, "owner", kString},
                                      {8, "group", kString},
                                      {9, "modifiedTime", kTimestamp},
                                      {10, "symlinkTarget", kString},
                                      {11, "metadata", kStringMap}};
constexpr MessageType kEntry{kEntryFields};
constexpr FieldType kPathFields[] = {{1, "path", kString}};
constexpr FieldType kMoveFields[] = {{1, "source", kString}, {2, "destination", kString}};
constexpr FieldType kListDirFields[] = {{1, "path", kString}, {2, "depth", kUint32}};
constexpr FieldType kEntryResponseFields[] = {{1, "entry", kMessage, &kEntry}};
constexpr FieldType kEntriesFields[] = {{1, "entries", kMessage, &kEntry, {}, true}};
constexpr FieldType kWatchFields[] = {{1, "path", kString},
                                      {2, "recursive", kBool},
                                      {3, "includeEntry", kBool},
                                      {4, "allowNetworkMounts", kBool}};
constexpr FieldType kChangeFields[] = {{1, "name", kString},
                                       {2, "type", kEnum, nullptr, kEventTypes},
                                       {3, "entry", kMessage, &kEntry}};
constexpr MessageType kChange{kChangeFields};
constexpr FieldType kWatchStreamFields[] = {{1, "start", kMessage, &kNothing},
                                            {2, "filesystem", kMessage, &kChange},
                                            {3, "keepalive", kMessage, &kNothing}};
constexpr FieldType kWatcherFields[] = {{1, "watcherId", kString}};
constexpr FieldType kWatcherEventFields[] = {{1, "events", kMessage, &kChange, {}, true}};

}  // namespace

const MessageType kEmptyMessage{};
const MessageType kProcessListResponse{kListFields};
const MessageType kStartRequest{kStartFields};
const MessageType kProcessStream{kStreamFields};
const MessageType kSelectRequest{kSelectFields};
const MessageType kUpdateRequest{kUpdateFields};
const MessageType kSendInputRequest{kSendInputFields};
const MessageType kStreamInputRequest{kStreamInputFields};
const MessageType kSendSignalRequest{kSignalFields};
const MessageType kPathRequest{kPathFields};
const MessageType kMoveRequest{kMoveFields};
const MessageType kListDirRequest{kListDirFields};
const MessageType kEntryResponse{kEntryResponseFields};
const MessageType kListDirResponse{kEntriesFields};
const MessageType kWatchRequest{kWatchFields};
const MessageType kWatchStream{kWatchStreamFields};
const MessageType kWatcher{kWatcherFields};
const MessageType kWatcherEvents{kWatcherEventFields};
const std::span<const EnumValue> kSignals{kSignalValues};

}  // namespace atl::api::e2b
