// Holds the structs of bodies/ against openapi.yaml, field by field: names, types, values of enums,
// what is required and what may be null.
#include <algorithm>
#include <concepts>
#include <set>
#include <string>
#include <type_traits>

#include <boost/describe/members.hpp>
#include <gtest/gtest.h>

#include "api/rest/documents.hpp"
#include "bodies/execution.hpp"
#include "bodies/files.hpp"
#include "bodies/network.hpp"
#include "bodies/policy.hpp"
#include "bodies/server.hpp"
#include "bodies/session.hpp"
#include "bodies/template.hpp"
#include "bodies/tenant.hpp"
#include "bodies/test.hpp"
#include "codec/json.hpp"
#include "policy/finding.hpp"

namespace atl::api::rest {
namespace {

using boost::json::value;
using codec::detail::IsMap;
using codec::detail::IsNullable;
using codec::detail::IsOptional;
using codec::detail::IsVector;
using Names = std::set<std::string>;

const value& document() {
  static const value kDocument = codec::parse(openapi_json(), {.max_bytes = 8u << 20}).value();
  return kDocument;
}

const value& schema_named(std::string_view name) {
  return document().at("components").at("schemas").at(name);
}

const value& resolved(const value& schema) {
  const value* reference = schema.as_object().if_contains("$ref");
  if (reference == nullptr) return schema;
  std::string_view path(reference->as_string().data(), reference->as_string().size());
  return schema_named(path.substr(path.rfind('/') + 1));
}

const value* member(const value& schema, std::string_view name) {
  return schema.as_object().if_contains(name);
}

Names strings_of(const value* list) {
  Names names;
  if (list == nullptr) return names;
  if (list->is_string()) return {std::string(list->as_string())};
  for (const value& one : list->as_array()) names.emplace(one.as_string());
  return names;
}

template <typename T>
const char* type_of() {
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) return "string";
  if constexpr (std::integral<T>) return "integer";
  if constexpr (std::floating_point<T>) return "number";
  if constexpr (IsVector<T>::value) return "array";
  return "object";
}

template <typename T>
void compare_struct(const value& schema, const std::string& at, bool is_answer);

template <typename T>
void compare_value(const value& reference, const std::string& at, bool is_answer) {
  if constexpr (IsOptional<T>::value) {
    compare_value<typename T::value_type>(reference, at, is_answer);
  } else if constexpr (!std::is_same_v<T, value>) {  // a value is whatever the document says
    const value& schema = resolved(reference);
    Names types = strings_of(member(schema, "type"));
    types.erase("null");
    EXPECT_EQ(types, Names{type_of<T>()}) << at;
    if constexpr (std::is_enum_v<T>) {
      Names names;
      boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
          [&](auto entry) { names.insert(codec::enumerator_name(entry.name)); });
      EXPECT_EQ(strings_of(member(schema, "enum")), names) << at;
    } else if constexpr (IsVector<T>::value) {
      compare_value<typename T::value_type>(schema.at("items"), at + "[]", is_answer);
    } else if constexpr (IsMap<T>::value) {
      compare_value<typename T::mapped_type>(schema.at("additionalProperties"), at + "{}",
                                             is_answer);
    } else if constexpr (boost::describe::has_describe_members<T>::value) {
      compare_struct<T>(schema, at, is_answer);
    }
  }
}

template <typename T>
void compare_struct(const value& schema, const std::string& at, bool is_answer) {
  const boost::json::object& properties = schema.at("properties").as_object();
  Names described, members, required = strings_of(member(schema, "required"));
  for (const auto& property : properties) described.emplace(property.key());
  using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto entry) {
    using Member = std::remove_cvref_t<decltype(std::declval<T>().*entry.pointer)>;
    std::string name = codec::member_name(entry.name, codec::is_camel_case<T>());
    std::string here = at + "." + name;
    members.insert(name);
    const value* property = properties.if_contains(name);
    if (property == nullptr) return;  // the comparison of the names tells
    compare_value<Member>(*property, here, is_answer);
    bool may_be_null = strings_of(member(resolved(*property), "type")).contains("null");
    if constexpr (IsNullable<Member>::value) {
      EXPECT_TRUE(may_be_null) << here;
    } else if constexpr (IsOptional<Member>::value) {
      if (is_answer) EXPECT_FALSE(required.contains(name)) << here << " may be absent";
    } else if constexpr (!std::is_same_v<Member, value>) {
      EXPECT_FALSE(may_be_null) << here;
    }
  });
  EXPECT_EQ(described, members) << at;
}

Names& compared() {
  static Names names;
  return names;
}

template <typename T>
void compare(const std::string& name, bool is_answer) {
  compared().insert(name);
  compare_struct<T>(schema_named(name), name, is_answer);
}

TEST(OpenApiBodies, RequestsAreAsDescribed) {
  compare<bodies::CreateBody>("CreateSession", false);
  compare<bodies::FlatCreateBody>("FlatCreateSession", false);
  compare<bodies::ChangeBody>("ChangeSession", false);
  compare<bodies::ConfigBody>("SessionConfig", false);
  compare<bodies::ExecuteBody>("Execute", false);
  compare<bodies::ExecuteInSessionBody>("ExecuteInSession", false);
  compare<bodies::RunBody>("Run", false);
  compare<bodies::TemplateSpecBody>("TemplateBody", false);
  compare<bodies::MakeFolderBody>("MakeFolder", false);
  compare<bodies::MakeLinksBody>("MakeLinks", false);
  compare<bodies::MoveFileBody>("MoveFile", false);
  compare<bodies::ReplaceTextBody>("ReplaceText", false);
  compare<bodies::ChangeFileModeBody>("ChangeFileMode", false);
  compare<bodies::NetworkPolicyBody>("NetworkPolicy", false);
  compare<bodies::NetworkRuleBody>("NetworkRule", false);
  compare<model::SecretUse>("SecretUse", false);
  compare<bodies::PutSecretBody>("PutSecret", false);
  compare<bodies::PolicyCheckBody>("PolicyCheck", false);
  compare<bodies::DecideApprovalBody>("DecideApproval", false);
  compare<model::RiskPolicy>("RiskPolicy", false);
  compare<bodies::PutTenantBody>("PutTenant", false);
  compare<model::TenantQuotas>("TenantQuotas", false);
  compare<bodies::TestBody>("TestRequest", false);
  compare<bodies::TestCaseBody>("TestCase", false);
  compare<model::Resources>("Resources", false);
}

TEST(OpenApiBodies, AnswersAreAsDescribed) {
  compare<bodies::SessionBody>("Session", true);
  compare<bodies::ExecutionBody>("Execution", true);
  compare<bodies::ContextBody>("Context", true);
  compare<bodies::UsageBody>("Usage", true);
  compare<bodies::ProcessBody>("Process", true);
  compare<bodies::FileBody>("File", true);
  compare<bodies::ReplacedTextBody>("ReplacedText", true);
  compare<bodies::SnapshotBody>("Snapshot", true);
  compare<bodies::DiagnosedExecutionBody>("DiagnosedExecution", true);
  compare<bodies::DiagnosticsBody>("Diagnostics", true);
  compare<bodies::AuditRowBody>("AuditRow", true);
  compare<bodies::TemplateBody>("Template", true);
  compare<bodies::RuntimeBody>("Runtime", true);
  compare<bodies::KeyBody>("Key", true);
  compare<bodies::SessionNetworkBody>("SessionNetwork", true);
  compare<bodies::NetworkConnectionBody>("NetworkConnection", true);
  compare<bodies::NetworkRefusalBody>("NetworkRefusal", true);
  compare<bodies::SecretBody>("Secret", true);
  compare<policy::Finding>("Finding", true);
  compare<policy::Judgement>("Judgement", true);
  compare<bodies::ApprovalBody>("Approval", true);
  compare<bodies::TenantBody>("Tenant", true);
  compare<bodies::AuditChainBody>("AuditChain", true);
  compare<bodies::AuditVerdictBody>("AuditVerdict", true);
  compare<bodies::TestResultBody>("TestResult", true);
  compare<bodies::TestVerdictBody>("TestVerdict", true);
  compare<bodies::TestFailureBody>("TestFailure", true);
  compare<bodies::TestCoverageBody>("TestCoverage", true);
  compare<bodies::TenantUsageBody>("TenantUsage", true);
  compare<bodies::AuditHeadBody>("AuditHead", true);
}

// The bodies that are written in place, at the path that answers with them.
template <typename T>
void compare_answer(std::string_view path, std::string_view method, const char* status) {
  const value& content = document().at("paths").at(path).at(method).at("responses").at(status);
  const value& schema = content.at("content").at("application/json").at("schema");
  compare_struct<T>(resolved(schema), std::string(path), true);
}

TEST(OpenApiBodies, ListsAreAsDescribed) {
  compare_answer<bodies::SessionListBody>("/api/v1/sessions", "get", "200");
  compare_answer<bodies::ExecutionListBody>("/api/v1/sessions/{id}/results", "get", "200");
  compare_answer<bodies::ContextListBody>("/api/v1/sessions/{id}/contexts", "get", "200");
  compare_answer<bodies::ProcessListBody>("/api/v1/sessions/{id}/processes", "get", "200");
  compare_answer<bodies::FileListBody>("/api/v1/sessions/{id}/files", "get", "200");
  compare_answer<bodies::SessionStatusBody>("/api/v1/sessions/{id}/status", "get", "200");
  compare_answer<bodies::SnapshotListBody>("/api/v1/snapshots", "get", "200");
  compare_answer<bodies::TemplateListBody>("/api/v1/templates", "get", "200");
  compare_answer<bodies::SecretListBody>("/api/v1/secrets", "get", "200");
  compare_answer<bodies::KeyListBody>("/api/v1/keys", "get", "200");
  compare_answer<bodies::ApprovalListBody>("/api/v1/approvals", "get", "200");
  compare_answer<bodies::AuditListBody>("/api/v1/audit", "get", "200");
  compare_answer<bodies::RuntimeListBody>("/api/v1/runtimes", "get", "200");
}

// Runs after the tests above: a schema that nothing was compared with is one that nobody keeps
// true.
TEST(OpenApiBodies, NoSchemaIsLeftOut) {
  if (compared().empty()) GTEST_FAIL() << "run the whole of OpenApiBodies";
  for (const auto& schema : document().at("components").at("schemas").as_object()) {
    bool has_fields = member(schema.value(), "properties") != nullptr;
    std::string name(schema.key());
    if (has_fields && name != "Problem") EXPECT_TRUE(compared().contains(name)) << name;
  }
}

}  // namespace
}  // namespace atl::api::rest
