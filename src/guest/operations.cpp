#include "guest/operations.hpp"

#include <errno.h>

#include "guest/connection.hpp"
#include "guest/execution.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

using Answer = Result<std::string>;

struct Request {
  Connection& connection;
  std::uint32_t id;
  Reader& in;

  Server& server() const { return connection.server(); }
  // Replies and ends the operation.
  ChannelPtr answer(const Answer& result) const {
    connection.answer(id, result);
    return nullptr;
  }
};

Answer malformed() {
  return fail(Code::kInvalidArgument, "The arguments of the operation are malformed.");
}
Answer no_execution() { return fail(Code::kNotFound, "There is no such execution."); }

ChannelPtr start(const Request& request) {
  ExecArgs args;
  decode(request.in, args);
  if (!request.in.done()) return request.answer(malformed());
  auto execution = request.server().executions().start(args);
  if (!execution) return request.answer(fail(std::move(execution).error()));
  return open_exec(request.connection, request.id, **execution);
}

ChannelPtr attach(const Request& request) {
  auto exec_id = request.in.number<std::uint64_t>();
  if (!request.in.done()) return request.answer(malformed());
  Execution* execution = request.server().executions().find(exec_id);
  if (execution == nullptr) return request.answer(no_execution());
  if (execution->input().buffered() > Input::kLimit - kWindow) {
    return request.answer(fail(Code::kResourceExhausted, "The program does not read its input."));
  }
  return open_exec(request.connection, request.id, *execution);
}

Answer send_signal(const Request& request) {
  auto exec_id = request.in.number<std::uint64_t>();
  auto signal = request.in.number<std::int32_t>();
  auto whole_group = request.in.number<std::uint8_t>();
  if (!request.in.done() || signal < 0 || signal > 64) return malformed();
  Execution* execution = request.server().executions().find(exec_id);
  if (execution == nullptr) return no_execution();
  if (execution->send_signal(signal, whole_group != 0)) return std::string();
  if (!execution->running()) return fail(Code::kNotFound, "The execution has ended.");
  return fail_errno("Sending the signal");
}

Answer resize(const Request& request) {
  auto exec_id = request.in.number<std::uint64_t>();
  auto rows = request.in.number<std::uint16_t>();
  auto cols = request.in.number<std::uint16_t>();
  if (!request.in.done()) return malformed();
  Execution* execution = request.server().executions().find(exec_id);
  if (execution == nullptr) return no_execution();
  if (!execution->tty()) return fail(Code::kInvalidArgument, "The execution has no terminal.");
  if (!execution->running()) return fail(Code::kNotFound, "The execution has ended.");
  if (!execution->resize(rows, cols)) return fail_errno("Resizing the terminal");
  return std::string();
}

Answer move(Reader& in) {
  std::string from = in.string();
  std::string to = in.string();
  auto overwrite = in.number<std::uint8_t>();
  return in.done() ? move_file(from, to, overwrite != 0) : malformed();
}

class ExecutionsChannel final : public RecordChannel {
 public:
  using RecordChannel::RecordChannel;

 private:
  More more(std::string& out) override {  // 320 short records at most
    for (const auto& [id, execution] : server().executions().all()) {
      if (execution->delivered_on(server().connection_serial())) continue;
      add(out, ExecutionInfo{.exec_id = id,
                             .pid = execution->pid(),
                             .running = execution->running(),
                             .command = execution->command()});
    }
    return More::kEnd;
  }
};

// Operations on files: everything here happens with the user's rights.
ChannelPtr open_file_operation(const Request& request, Op op) {
  AsUser as_user(request.server().config());
  Connection& connection = request.connection;
  std::uint32_t id = request.id;
  Reader& in = request.in;
  if (op == Op::kMove) return request.answer(move(in));
  if (op == Op::kFilePut) {
    PutArgs args;
    decode(in, args);
    return in.done() ? open_put(connection, id, args) : request.answer(malformed());
  }
  if (op == Op::kFileGet) {
    GetArgs args;
    decode(in, args);
    return in.done() ? open_get(connection, id, args) : request.answer(malformed());
  }
  if (op == Op::kSearch) {
    SearchArgs args;
    decode(in, args);
    return in.done() ? open_search(connection, id, std::move(args)) : request.answer(malformed());
  }
  std::string path = in.string();  // the rest begin with a path, then a number, then a flag
  std::uint32_t number =
      op == Op::kList || op == Op::kMkdir || op == Op::kChmod ? in.number<std::uint32_t>() : 0;
  bool has_flag = op == Op::kStat || op == Op::kMkdir || op == Op::kRemove || op == Op::kWatch;
  bool flag = has_flag && in.number<std::uint8_t>() != 0;
  if (!in.done()) return request.answer(malformed());
  switch (op) {
    case Op::kStat: return request.answer(stat_file(path, flag));
    case Op::kMkdir: return request.answer(make_directory(path, number, flag));
    case Op::kChmod: return request.answer(change_mode(path, number));
    case Op::kRemove:
      return flag ? open_remove_tree(connection, id, path) : request.answer(remove_file(path));
    case Op::kList: return open_list(connection, id, path, number);
    case Op::kWatch: return open_watch(connection, id, path, flag);
    case Op::kTreePut: return open_tree_put(connection, id, path);
    default: return open_tree_get(connection, id, path);
  }
}

}  // namespace

ChannelPtr open_executions(Connection& connection, std::uint32_t id) {
  connection.reply(id, std::string_view());
  auto channel = std::make_unique<ExecutionsChannel>(connection, id);
  connection.schedule(*channel);
  return channel;
}

ChannelPtr open_channel(Connection& connection, std::uint32_t id, Op op, Reader& in) {
  Request request{connection, id, in};
  switch (op) {
    case Op::kExec: return start(request);
    case Op::kAttach: return attach(request);
    case Op::kSignal: return request.answer(send_signal(request));
    case Op::kResize: return request.answer(resize(request));
    case Op::kExecutions: return open_executions(connection, id);
    case Op::kProcesses: return open_processes(connection, id);
    case Op::kConnect: {
      auto port = in.number<std::uint16_t>();
      return in.done() ? open_connect(connection, id, port) : request.answer(malformed());
    }
    case Op::kFilePut:
    case Op::kFileGet:
    case Op::kStat:
    case Op::kList:
    case Op::kMkdir:
    case Op::kMove:
    case Op::kRemove:
    case Op::kChmod:
    case Op::kSearch:
    case Op::kWatch:
    case Op::kTreePut:
    case Op::kTreeGet: return open_file_operation(request, op);
  }
  return request.answer(fail(Code::kUnsupported, "This guest does not know the operation."));
}

}  // namespace atl::guest
