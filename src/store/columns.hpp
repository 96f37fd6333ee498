// From rows of the model to columns and back. Each row type lists its columns once, as a function
// columns(visitor, row) in rows.hpp; the visitors here write them, read them and name them.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/utf8.hpp"
#include "codec/json.hpp"
#include "model/session.hpp"
#include "model/template.hpp"
#include "store/connection.hpp"

namespace atl::store {

// Marks a member that holds any bytes.
template <typename T>
struct AsBytes {
  T& member;
};
// Marks text that people read: what no database takes becomes U+FFFD instead of a refusal.
template <typename T>
struct AsProse {
  T& member;
};

// Marks a member that is encrypted, as JSON and for the row of `table` with this id. An empty one
// is not.
template <typename T>
struct AsSecret {
  T& member;
  const char* table;
  const std::string& id;
};
// Marks a configuration that is stored without the members that have a column as secrets.
template <typename T>
struct WithoutSecrets {
  T& member;
};

// Marks bytes that are always encrypted.
struct AsSealed {
  std::string& member;
  std::string place;
};
// Marks an optional member that is encrypted as JSON; an absent one is stored as no bytes.
template <typename T>
struct AsSealedJson {
  std::optional<T>& member;
  std::string place;
};
template <typename T>
AsSealedJson(std::optional<T>&, std::string) -> AsSealedJson<T>;

// What a stored configuration holds without its secrets.
inline void drop_secrets(model::SessionConfig& config) { config.environment.clear(); }
inline void drop_secrets(model::TemplateSpec& spec) { spec.env.clear(); }

// What a sealed value is bound to.
inline std::string sealed_place(const std::string& table, const std::string& id) {
  return table + "/" + id;
}

namespace detail {

template <typename T>
struct IsId : std::false_type {};
template <typename Tag>
struct IsId<Id<Tag>> : std::true_type {};

bool is_storable_text(std::string_view text);
std::string prose(std::string_view text);
std::unexpected<Error> bad_column(const char* name);

}  // namespace detail

class ColumnNames {
 public:
  template <typename T>
  void operator()(const char* name, const T& /*member*/) {
    names.emplace_back(name);
  }
  std::vector<std::string> names;
};

// Values refer to the row, which must outlive them.
class ColumnValues {
 public:
  explicit ColumnValues(const Sealer& sealer) : sealer_(sealer) {}

  template <typename T>
  void operator()(const char* name, const T& member) {
    values.push_back(value_of(name, member));
  }

  std::vector<Value> values;
  std::optional<Error> error;

 private:
  template <typename T>
  Value value_of(const char* /*name*/, const AsBytes<T>& marked) {
    return Bytes{marked.member};
  }
  template <typename T>
  Value value_of(const char* /*name*/, const AsSecret<T>& marked) {
    if (marked.member.empty()) return Bytes{};
    Result<std::string> sealed =
        sealer_.seal(codec::encode(marked.member), sealed_place(marked.table, marked.id));
    if (!sealed && !error) error = sealed.error();
    return Bytes{kept_.emplace_back(sealed ? std::move(*sealed) : std::string())};
  }
  Value value_of(const char* /*name*/, const AsSealed& marked) {
    return sealed(marked.member, marked.place);
  }
  template <typename T>
  Value value_of(const char* /*name*/, const AsSealedJson<T>& marked) {
    if (!marked.member) return Bytes{};
    return sealed(codec::encode(*marked.member), marked.place);
  }
  Value sealed(std::string_view text, std::string_view place) {
    Result<std::string> made = sealer_.seal(text, place);
    if (!made && !error) error = made.error();
    return Bytes{kept_.emplace_back(made ? std::move(*made) : std::string())};
  }
  template <typename T>
  Value value_of(const char* /*name*/, const WithoutSecrets<T>& marked) {
    T open = marked.member;
    drop_secrets(open);
    return codec::encode(open);
  }
  template <typename T>
  Value value_of(const char* /*name*/, const AsProse<T>& marked) {
    std::string_view text = marked.member;
    return detail::is_storable_text(text) ? Value(text) : Value(detail::prose(text));
  }
  template <typename T>
  Value value_of(const char* name, const std::optional<T>& member) {
    return member ? value_of(name, *member) : Value();
  }
  template <typename T>
  Value value_of(const char* name, const T& member) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!detail::is_storable_text(member) && !error) error = detail::bad_column(name).error();
      return std::string_view(member);
    } else if constexpr (detail::IsId<T>::value) {
      return value_of(name, member.str());
    } else if constexpr (std::integral<T>) {
      return static_cast<std::int64_t>(member);
    } else if constexpr (std::is_same_v<T, model::Time>) {
      return static_cast<std::int64_t>(member.time_since_epoch().count());
    } else if constexpr (std::is_enum_v<T>) {
      return codec::name_of(member);
    } else {
      return codec::encode(member);
    }
  }

  const Sealer& sealer_;
  std::deque<std::string> kept_;  // what values refer to and the row does not have
};

class ColumnReader {
 public:
  ColumnReader(const Row& row, const Sealer& sealer) : row_(row), sealer_(sealer) {}

  template <typename T>
  void operator()(const char* name, T&& member) {
    read(name, std::forward<T>(member), next_++);
  }

  std::optional<Error> error;

 private:
  // Written by a newer or older Atoll: unknown members are left, missing ones keep defaults.
  static constexpr codec::DecodeOptions kLenient{.ignore_unknown = true, .keep_defaults = true};
  static constexpr codec::Limits kWide{.max_bytes = std::size_t{64} << 20, .max_depth = 64};

  template <typename T>
  void read(const char* /*name*/, AsBytes<T> marked, int column) {
    marked.member = row_.text(column);
  }
  template <typename T>
  void read(const char* name, AsSecret<T> marked, int column) {
    if (row_.text(column).empty()) return;
    Result<std::string> text =
        sealer_.open(row_.text(column), sealed_place(marked.table, marked.id));
    if (text) {
      take(name, codec::decode<T>(*text), marked.member);
    } else if (!error) {
      error = text.error();
    }
  }
  void read(const char* /*name*/, const AsSealed& marked, int column) {
    Result<std::string> text = sealer_.open(row_.text(column), marked.place);
    if (text) marked.member = std::move(*text);
    if (!text && !error) error = text.error();
  }
  template <typename T>
  void read(const char* name, const AsSealedJson<T>& marked, int column) {
    if (row_.text(column).empty()) return;
    Result<std::string> text = sealer_.open(row_.text(column), marked.place);
    if (text) {
      take(name, codec::decode<T>(*text, kLenient, kWide), marked.member.emplace());
    } else if (!error) {
      error = text.error();
    }
  }
  template <typename T>
  void read(const char* name, WithoutSecrets<T> marked, int column) {
    read(name, marked.member, column);
  }
  template <typename T>
  void read(const char* /*name*/, AsProse<T> marked, int column) {
    marked.member = row_.text(column);
  }
  template <typename T>
  void read(const char* name, std::optional<T>& member, int column) {
    if (!row_.is_null(column)) read(name, member.emplace(), column);
  }
  template <typename T>
  void read(const char* name, T& member, int column) {
    if constexpr (std::is_same_v<T, std::string>) {
      member = row_.text(column);
    } else if constexpr (detail::IsId<T>::value) {
      member = T(std::string(row_.text(column)));
    } else if constexpr (std::integral<T>) {
      member = static_cast<T>(row_.integer(column));
    } else if constexpr (std::is_same_v<T, model::Time>) {
      member = model::Time(model::Time::duration(row_.integer(column)));
    } else if constexpr (std::is_enum_v<T>) {
      boost::json::string_view text(row_.text(column).data(), row_.text(column).size());
      take(name, codec::decode_value<T>(boost::json::value(text)), member);
    } else {
      take(name, codec::decode<T>(row_.text(column), kLenient, kWide), member);
    }
  }
  template <typename T>
  void take(const char* name, codec::Decoded<T> decoded, T& member) {
    if (decoded) {
      member = std::move(*decoded);
    } else if (!error) {
      error = Error(Code::kInternal, std::string("the stored ") + name + " cannot be read");
    }
  }

  const Row& row_;
  const Sealer& sealer_;
  int next_ = 0;
};

}  // namespace atl::store
