// Looking at the chains of the audit, and writing down where they end.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <utility>

#include <boost/json/object.hpp>

#include "async/deadline.hpp"
#include "base/unique_fd.hpp"
#include "base/write_all.hpp"
#include "codec/json.hpp"
#include "codec/sha256.hpp"
#include "control/audit.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::AuditHead;

namespace {

constexpr std::size_t kPortion = 1000;

Error not_owner() {
  return Error(Code::kForbidden, "only a key with the role owner sees the audit of all tenants");
}

std::string line_of(const AuditHead& head) {
  return codec::serialize(
             boost::json::object{{"chain", head.chain}, {"seq", head.seq}, {"hash", head.hash}}) +
         "\n";
}

Result<void> append(const std::string& file, const std::string& text) {
  UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!out) return fail_errno("opening the checkpoint file");
  if (!write_all(out.get(), text)) return fail_errno("writing the checkpoint file");
  if (::fsync(out.get()) != 0) return fail_errno("writing the checkpoint file");
  return {};
}

Result<void> pipe_to(const std::string& command, const std::string& text) {
  std::FILE* pipe = ::popen(command.c_str(), "we");
  if (pipe == nullptr) return fail_errno("starting the checkpoint command");
  bool written = std::fwrite(text.data(), 1, text.size(), pipe) == text.size();
  int status = ::pclose(pipe);
  if (!written || status != 0) return fail(Code::kIo, "the checkpoint command failed");
  return {};
}

// From seq to hash, of one chain.
using Anchors = std::map<std::string, std::map<std::int64_t, std::string>>;

Anchors read_anchors(const std::string& file) {
  Anchors anchors;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    auto parsed = codec::parse(line);
    const boost::json::object* fields = parsed ? parsed->if_object() : nullptr;
    if (fields == nullptr) continue;
    const auto* chain = fields->if_contains("chain");
    const auto* seq = fields->if_contains("seq");
    const auto* hash = fields->if_contains("hash");
    if (!chain || !seq || !hash || !chain->is_string() || !seq->is_int64() || !hash->is_string()) {
      continue;
    }
    anchors[std::string(chain->get_string())][seq->get_int64()] = std::string(hash->get_string());
  }
  return anchors;
}

void break_at(AuditVerdict& verdict, const std::string& chain, std::int64_t seq, std::string id,
              std::string reason) {
  verdict.broken_chain = chain;
  verdict.broken_seq = seq;
  verdict.broken_id = std::move(id);
  verdict.reason = std::move(reason);
}

}  // namespace

Task<Result<void>> Audit::record(store::AuditRow row) {
  if (!options_.strict) {
    soon(std::move(row));
    co_return Result<void>();
  }
  std::vector<store::Change> changes{store::AddAudit{std::move(row)}};
  co_return co_await store_.write(std::move(changes));
}

Task<Result<std::vector<store::AuditRow>>> Audit::chain(Caller caller, std::string chain,
                                                        std::int64_t after, std::size_t limit) {
  if (!caller.is_owner()) co_return fail(not_owner());
  co_return co_await store_.audit_chain(std::move(chain), after, limit);
}

Task<Result<std::vector<AuditHead>>> Audit::heads(Caller caller) {
  if (!caller.is_owner()) co_return fail(not_owner());
  co_return co_await store_.audit_heads();
}

Task<Result<AuditVerdict>> Audit::verify(Caller caller) {
  if (!caller.is_owner()) co_return fail(not_owner());
  AuditVerdict verdict;
  Anchors anchors;
  const std::string& file = options_.checkpoints.file;
  if (!file.empty()) {
    anchors = co_await async::on_pool(pool_, [&file] { return read_anchors(file); });
  }
  ATOLL_CO_TRY(verdict.heads, co_await store_.audit_heads());
  for (const AuditHead& head : verdict.heads) {
    model::ChainCheck check(codec::sha256_hex, head.removed_seq, head.removed_hash);
    const std::map<std::int64_t, std::string>& known = anchors[head.chain];
    // Rows that are added meanwhile are left for the next time.
    while (check.seq() < head.seq) {
      ATOLL_CO_TRY(std::vector<store::AuditRow> rows,
                   co_await store_.audit_chain(head.chain, check.seq(), kPortion));
      if (rows.empty()) {
        break_at(verdict, head.chain, check.seq() + 1, "", "the end of the chain is missing");
        co_return verdict;
      }
      for (const store::AuditRow& row : rows) {
        std::string wrong = check.take(row, codec::name_of(row.action));
        auto anchor = known.find(row.seq.value_or(0));
        if (wrong.empty() && anchor != known.end() && anchor->second != row.hash) {
          wrong = "a checkpoint has another hash";
        }
        if (!wrong.empty()) {
          break_at(verdict, head.chain, row.seq.value_or(0), row.id, std::move(wrong));
          co_return verdict;
        }
        ++verdict.rows;
        if (check.seq() == head.seq) break;
      }
    }
    if (check.hash() != head.hash) {
      break_at(verdict, head.chain, head.seq, "", "the end of the chain has another hash");
      co_return verdict;
    }
  }
  for (const auto& [chain, known] : anchors) {
    if (known.empty()) continue;
    std::int64_t last = known.rbegin()->first;
    auto is_this = [&chain](const AuditHead& head) { return head.chain == chain; };
    auto head = std::ranges::find_if(verdict.heads, is_this);
    if (head != verdict.heads.end() && head->seq >= last) continue;
    std::int64_t end = head == verdict.heads.end() ? 0 : head->seq;
    break_at(verdict, chain, end + 1, "", "rows up to the last checkpoint are missing");
    co_return verdict;
  }
  co_return verdict;
}

Task<Result<void>> Audit::write_checkpoint() {
  ATOLL_CO_TRY(std::vector<AuditHead> heads, co_await store_.audit_heads());
  std::string text;
  for (const AuditHead& head : heads) text += line_of(head);
  const AuditCheckpoints& to = options_.checkpoints;
  auto write = [&to, &text]() -> Result<void> {
    if (!to.file.empty()) ATOLL_CHECK(append(to.file, text));
    if (!to.command.empty()) ATOLL_CHECK(pipe_to(to.command, text));
    return {};
  };
  co_return co_await async::on_pool(pool_, write);
}

Task<void> Audit::write_checkpoints() {
  if (options_.checkpoints.file.empty() && options_.checkpoints.command.empty()) co_return;
  for (;;) {
    Result<void> written = co_await write_checkpoint();
    if (!written) {
      log::error("audit_checkpoint_failed", log::kv("error", written.error().to_string()));
    }
    co_await async::sleep_for(options_.checkpoints.interval);
  }
}

}  // namespace atl::control
