#include "store/sealed_columns.hpp"

#include <array>
#include <utility>

namespace atl::store {
namespace {

struct SealedColumn {
  const char* select;
  const char* update;  // its keys are $1, …; the value comes behind them
  std::size_t keys;
  std::string (*place)(const std::vector<std::string>& keys);
};

constexpr std::array kColumns{
    SealedColumn{.select = "SELECT id, request FROM approvals WHERE length(request) > 0",
                 .update = "UPDATE approvals SET request = $2 WHERE id = $1",
                 .keys = 1,
                 .place = [](const auto& keys) { return approval_place(keys[0]); }},
    SealedColumn{.select = "SELECT tenant, name, value FROM secrets",
                 .update = "UPDATE secrets SET value = $3 WHERE tenant = $1 AND name = $2",
                 .keys = 2,
                 .place = [](const auto& keys) { return secret_place(keys[0], keys[1]); }},
    SealedColumn{.select = "SELECT id, network FROM sessions WHERE length(network) > 0",
                 .update = "UPDATE sessions SET network = $2 WHERE id = $1",
                 .keys = 1,
                 .place = [](const auto& keys) { return network_place("sessions", keys[0]); }},
    SealedColumn{.select = "SELECT id, network FROM templates WHERE length(network) > 0",
                 .update = "UPDATE templates SET network = $2 WHERE id = $1",
                 .keys = 1,
                 .place = [](const auto& keys) { return network_place("templates", keys[0]); }},
};

}  // namespace

std::string secret_place(std::string_view tenant, std::string_view name) {
  return "secrets/" + std::string(tenant) + "/" + std::string(name);
}

std::string approval_place(std::string_view id) {
  return "approvals/" + std::string(id) + "/request";
}

std::string network_place(std::string_view table, std::string_view id) {
  return std::string(table) + "/" + std::string(id) + "/network";
}

Result<std::vector<SealedValue>> find_sealed(Connection& db) {
  std::vector<SealedValue> all;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const SealedColumn& column = kColumns[i];
    ATOLL_CHECK(db.run(column.select, {}, [&](const Row& row) -> Result<void> {
      SealedValue value{.column = i};
      for (std::size_t k = 0; k < column.keys; ++k) {
        value.keys.emplace_back(row.text(static_cast<int>(k)));
      }
      value.sealed = row.text(static_cast<int>(column.keys));
      value.place = column.place(value.keys);
      all.push_back(std::move(value));
      return {};
    }));
  }
  return all;
}

Result<void> seal_again(Connection& db, const Sealer& sealer, const SealedValue& value) {
  ATOLL_TRY(std::string text, sealer.open(value.sealed, value.place));
  ATOLL_TRY(std::string sealed, sealer.seal(text, value.place));
  std::vector<Value> values(value.keys.begin(), value.keys.end());
  values.emplace_back(Bytes{sealed});
  ATOLL_CHECK(db.run(kColumns.at(value.column).update, values, OnRow()));
  return {};
}

}  // namespace atl::store
