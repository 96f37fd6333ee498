#include "guest/messages.hpp"

namespace atl::guest {

void encode(Writer& out, const ExecArgs& value) {
  out.number(value.flags).number(value.timeout_ms).number(value.rows).number(value.cols);
  out.string(value.cwd).strings(value.argv).strings(value.env);
}

void decode(Reader& in, ExecArgs& value) {
  value.flags = in.number<std::uint32_t>();
  value.timeout_ms = in.number<std::uint32_t>();
  value.rows = in.number<std::uint16_t>();
  value.cols = in.number<std::uint16_t>();
  value.cwd = in.string();
  value.argv = in.strings();
  value.env = in.strings();
}

void encode(Writer& out, const ExecStarted& value) { out.number(value.exec_id).number(value.pid); }

void decode(Reader& in, ExecStarted& value) {
  value.exec_id = in.number<std::uint64_t>();
  value.pid = in.number<std::int32_t>();
}

void encode(Writer& out, const ExitInfo& value) {
  out.number(value.exec_id).number(value.exit_code).number(value.signal).number(value.flags);
  out.number(value.user_us).number(value.system_us).number(value.max_rss_bytes);
  out.number(value.wall_us);
}

void decode(Reader& in, ExitInfo& value) {
  value.exec_id = in.number<std::uint64_t>();
  value.exit_code = in.number<std::int32_t>();
  value.signal = in.number<std::int32_t>();
  value.flags = in.number<std::uint8_t>();
  value.user_us = in.number<std::uint64_t>();
  value.system_us = in.number<std::uint64_t>();
  value.max_rss_bytes = in.number<std::uint64_t>();
  value.wall_us = in.number<std::uint64_t>();
}

void encode(Writer& out, const ExecutionInfo& value) {
  out.number(value.exec_id).number(value.pid).number(value.running).string(value.command);
}

void decode(Reader& in, ExecutionInfo& value) {
  value.exec_id = in.number<std::uint64_t>();
  value.pid = in.number<std::int32_t>();
  value.running = in.number<std::uint8_t>();
  value.command = in.string();
}

void encode(Writer& out, const ProcessInfo& value) {
  out.number(value.pid).number(value.parent).number(value.state);
  out.number(value.rss_bytes).number(value.cpu_ms).string(value.command);
}

void decode(Reader& in, ProcessInfo& value) {
  value.pid = in.number<std::int32_t>();
  value.parent = in.number<std::int32_t>();
  value.state = in.number<char>();
  value.rss_bytes = in.number<std::uint64_t>();
  value.cpu_ms = in.number<std::uint64_t>();
  value.command = in.string();
}

void encode(Writer& out, const FileInfo& value) {
  out.number(value.kind).number(value.mode).number(value.uid).number(value.gid);
  out.number(value.size).number(value.mtime_ns).string(value.path).string(value.target);
}

void decode(Reader& in, FileInfo& value) {
  value.kind = in.number<std::uint8_t>();
  value.mode = in.number<std::uint32_t>();
  value.uid = in.number<std::uint32_t>();
  value.gid = in.number<std::uint32_t>();
  value.size = in.number<std::uint64_t>();
  value.mtime_ns = in.number<std::int64_t>();
  value.path = in.string();
  value.target = in.string();
}

void encode(Writer& out, const PutArgs& value) {
  out.string(value.path).number(value.mode).number(value.make_parents);
}

void decode(Reader& in, PutArgs& value) {
  value.path = in.string();
  value.mode = in.number<std::uint32_t>();
  value.make_parents = in.number<std::uint8_t>();
}

void encode(Writer& out, const GetArgs& value) {
  out.string(value.path).number(value.offset).number(value.length);
}

void decode(Reader& in, GetArgs& value) {
  value.path = in.string();
  value.offset = in.number<std::uint64_t>();
  value.length = in.number<std::uint64_t>();
}

void encode(Writer& out, const SearchArgs& value) {
  out.string(value.root).string(value.name_glob).string(value.contains).number(value.max_results);
}

void decode(Reader& in, SearchArgs& value) {
  value.root = in.string();
  value.name_glob = in.string();
  value.contains = in.string();
  value.max_results = in.number<std::uint32_t>();
}

void encode(Writer& out, const WatchEvent& value) { out.number(value.kind).string(value.path); }

void decode(Reader& in, WatchEvent& value) {
  value.kind = in.number<std::uint8_t>();
  value.path = in.string();
}

}  // namespace atl::guest
