// `atoll audit`: who did what, a copy of it, and whether it was tampered with.
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <map>

#include <boost/json/object.hpp>

#include "async/deadline.hpp"
#include "cli/core/document.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/core/table.hpp"
#include "cli/remote/remote.hpp"
#include "codec/sha256.hpp"
#include "model/audit_chain.hpp"

namespace atl::cli {
namespace {

constexpr std::chrono::seconds kLookAgain{1};
constexpr int kExitBroken = 1;

std::string line_of(const bodies::AuditRowBody& row) {
  std::string result = row.result.is_null() ? "" : " " + codec::serialize(row.result);
  return row.time + " " + row.tenant + " " + (row.key_id ? *row.key_id : "-") + " " +
         codec::name_of(row.action) + " " + row.outcome + " " +
         (row.session_id ? *row.session_id : "-") + " " + printable(row.detail) + result + "\n";
}

// Oldest first; with --follow what comes later, too.
RemoteTask tail(Remote* remote) {
  const RemoteOptions& options = remote->options;
  std::string last;
  for (bool first = true;; first = false) {
    ATOLL_CO_TRY(bodies::AuditListBody page,
                 co_await remote->api.list_audit(options.session, options.limit));
    if (first && wants_document(*remote)) co_return show_document(*remote, page);
    for (auto row = page.audit.rbegin(); row != page.audit.rend(); ++row) {
      if (row->id <= last) continue;
      last = row->id;
      show(line_of(*row));
    }
    if (!options.follow) co_return 0;
    co_await async::sleep_for(kLookAgain);
  }
}

// One JSON object a line: every row of every chain, and behind each chain where it ends.
RemoteTask export_rows(Remote* remote) {
  ATOLL_CO_TRY(bodies::AuditChainBody first, co_await remote->api.list_audit_chain("", 0));
  for (const bodies::AuditHeadBody& head : first.heads) {
    std::int64_t seq = head.removed_seq;
    while (seq < head.seq) {
      ATOLL_CO_TRY(bodies::AuditChainBody page,
                   co_await remote->api.list_audit_chain(head.chain, seq));
      if (page.audit.empty()) break;
      for (const bodies::AuditRowBody& row : page.audit) {
        seq = row.seq ? *row.seq : seq + 1;
        if (seq <= head.seq) show(codec::encode(row) + "\n");
      }
    }
    show(codec::serialize(boost::json::object{{"head", codec::to_json(head)}}) + "\n");
  }
  co_return 0;
}

model::AuditRow row_of(const bodies::AuditRowBody& body) {
  model::AuditRow row{.tenant = body.tenant,
                      .id = body.id,
                      .key_id = body.key_id ? *body.key_id : "",
                      .action = body.action,
                      .outcome = body.outcome,
                      .session_id = SessionId(body.session_id ? *body.session_id : ""),
                      .execution_id = ExecutionId(body.execution_id ? *body.execution_id : ""),
                      .trace_id = body.trace_id ? *body.trace_id : "",
                      .request_id = body.request_id ? *body.request_id : "",
                      .detail = body.detail,
                      .result = body.result.is_null() ? "" : codec::serialize(body.result),
                      .chain = body.chain ? *body.chain : "",
                      .seq = body.seq ? *body.seq : 0,
                      .hash = body.hash ? *body.hash : ""};
  row.time = model::Time(std::chrono::milliseconds(id_milliseconds(row.id)));
  return row;
}

int broken(const std::string& where, const std::string& reason) {
  show("broken at " + where + ": " + reason + "\n");
  return kExitBroken;
}

// Without a server: what `audit export` wrote. A copy begins where the server's rows begin.
Result<int> verify_file(const std::string& file) {
  std::ifstream opened(file);
  if (file != "-" && !opened) {
    return fail(Code::kNotFound, "cannot open " + file);
  }
  std::istream& in = file == "-" ? std::cin : opened;
  std::vector<model::AuditRow> rows;
  std::uint64_t count = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    std::string at = "line " + std::to_string(++number);
    auto parsed = codec::parse(line);
    if (!parsed || !parsed->is_object()) return broken(at, "not a JSON object");
    const boost::json::value* ends = parsed->get_object().if_contains("head");
    if (ends == nullptr) {
      auto row = codec::decode_value<bodies::AuditRowBody>(*parsed);
      if (!row) return broken(at, row.error().to_error().message());
      rows.push_back(row_of(*row));
      continue;
    }
    auto head = codec::decode_value<bodies::AuditHeadBody>(*ends);
    if (!head) return broken(at, head.error().to_error().message());
    model::ChainCheck check(codec::sha256_hex, head->removed_seq, head->removed_hash);
    for (const model::AuditRow& row : rows) {
      std::string wrong = check.take(row, codec::name_of(row.action));
      if (!wrong.empty()) {
        return broken("row " + std::to_string(row.seq.value_or(0)) + " (" + row.id + ")", wrong);
      }
    }
    if (check.seq() != head->seq || check.hash() != head->hash) {
      return broken("row " + std::to_string(check.seq() + 1), "the end of the chain is missing");
    }
    count += rows.size();
    rows.clear();
  }
  if (!rows.empty() || number == 0) {
    return broken("line " + std::to_string(number + 1), "the end of the chain is missing");
  }
  show("ok: " + std::to_string(count) + " rows\n");
  return 0;
}

RemoteTask verify(Remote* remote) {
  ATOLL_CO_TRY(bodies::AuditVerdictBody verdict, co_await remote->api.verify_audit());
  if (wants_document(*remote)) {
    show_document(*remote, verdict);
  } else if (verdict.ok) {
    show("ok: " + std::to_string(verdict.rows) + " rows\n");
  } else {
    broken("row " + std::to_string(verdict.broken->seq), verdict.broken->reason);
  }
  co_return verdict.ok ? 0 : kExitBroken;
}

}  // namespace

RemoteTask manage_audit(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  std::string_view word = words.empty() ? std::string_view() : std::string_view(words[0]);
  if (word == "tail" && words.size() == 1) co_return co_await tail(remote);
  if (word == "export" && words.size() == 1) co_return co_await export_rows(remote);
  if (word == "verify" && words.size() == 1) co_return co_await verify(remote);
  if (word == "verify" && words.size() == 2) co_return verify_file(words[1]);
  co_return fail(Code::kInvalidArgument,
                 "audit: write `audit tail`, `audit export` or `audit verify [FILE]`");
}

}  // namespace atl::cli
