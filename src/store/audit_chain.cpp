#include "store/audit_chain.hpp"

#include "codec/names.hpp"
#include "codec/sha256.hpp"
#include "store/statements.hpp"

namespace atl::store {

Result<void> add_to_chain(Connection& db, const AuditRow& row) {
  AuditRow chained = row;
  chained.chain = db.chain();
  if (!detail::is_storable_text(chained.detail)) chained.detail = detail::prose(chained.detail);
  std::string before;
  std::int64_t seq = 0;
  // The row of the head is locked by this, and so is the chain.
  ATOLL_CHECK(db.run("UPDATE audit_heads SET seq = seq + 1 WHERE chain = $1 RETURNING seq, hash",
                     {chained.chain}, [&](const Row& head) -> Result<void> {
                       seq = head.integer(0);
                       before = head.text(1);
                       return {};
                     }));
  if (seq == 0) {
    seq = 1;
    ATOLL_CHECK(
        db.run("INSERT INTO audit_heads (chain, seq, hash, removed_seq, removed_hash) "
               "VALUES ($1, 1, '', 0, '')",
               {chained.chain}));
  }
  chained.seq = seq;
  chained.hash =
      codec::sha256_hex(before + model::chained_text(chained, codec::name_of(chained.action)));
  ATOLL_TRY(bool added, add_row(db, chained));
  if (!added) {
    ATOLL_CHECK(db.run("UPDATE audit_heads SET seq = seq - 1 WHERE chain = $1", {chained.chain}));
    return {};
  }
  ATOLL_CHECK(
      db.run("UPDATE audit_heads SET hash = $2 WHERE chain = $1", {chained.chain, chained.hash}));
  return {};
}

Result<std::vector<AuditRow>> read_chain(Connection& db, const std::string& chain,
                                         std::int64_t after, std::size_t limit) {
  return read_some<AuditRow>(db, " WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3",
                             {chain, after, static_cast<std::int64_t>(limit)});
}

Result<std::vector<model::AuditHead>> read_heads(Connection& db) {
  std::vector<model::AuditHead> heads;
  ATOLL_CHECK(
      db.run("SELECT chain, seq, hash, removed_seq, removed_hash FROM audit_heads ORDER BY chain",
             {}, [&](const Row& row) -> Result<void> {
               heads.push_back({.chain = std::string(row.text(0)),
                                .seq = row.integer(1),
                                .hash = std::string(row.text(2)),
                                .removed_seq = row.integer(3),
                                .removed_hash = std::string(row.text(4))});
               return {};
             }));
  return heads;
}

Result<std::uint64_t> shorten_chains(Connection& db, const std::string& first_kept,
                                     std::int64_t most) {
  ATOLL_TRY(std::vector<model::AuditHead> heads, read_heads(db));
  for (const model::AuditHead& head : heads) {
    std::int64_t seq = 0;
    std::string hash;
    bool is_old = true;
    ATOLL_CHECK(db.run("SELECT seq, id, hash FROM audit WHERE chain = $1 ORDER BY seq LIMIT $2",
                       {head.chain, most}, [&](const Row& row) -> Result<void> {
                         is_old = is_old && row.text(1) < first_kept;
                         if (!is_old) return {};
                         seq = row.integer(0);
                         hash = row.text(2);
                         return {};
                       }));
    if (seq == 0) continue;
    ATOLL_TRY(std::uint64_t gone,
              db.run("DELETE FROM audit WHERE chain = $1 AND seq <= $2", {head.chain, seq}));
    ATOLL_CHECK(
        db.run("UPDATE audit_heads SET removed_seq = $2, removed_hash = $3 WHERE chain = $1",
               {head.chain, seq, hash}));
    return gone;
  }
  return 0;
}

}  // namespace atl::store
