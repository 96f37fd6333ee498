#include "store/conformance/harness.hpp"

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "observe/log.hpp"

namespace atl::store {

TempFolder::TempFolder()
    : path_((std::filesystem::temp_directory_path() / "atoll-store-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void require(bool ok, const Error* error) {
  if (!ok) throw std::runtime_error(error->to_string());
}

StoreCase::StoreCase() : url_(tested_database().fresh_url()) {
  log::set_level(log::Level::kError);
  open();
}

StoreCase::~StoreCase() {
  if (store_) close();
}

void StoreCase::open() { store_ = must(wait(open_store(options()))); }

void StoreCase::close() {
  wait(store_->close());
  store_.reset();
}

std::size_t StoreCase::output_files() const {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path() + "/outputs")) {
    if (entry.is_regular_file()) ++count;
  }
  return count;
}

model::Session make_session(std::string tenant) {
  model::Session session;
  session.id = SessionId::make();
  session.tenant = std::move(tenant);
  session.template_id = "python-default";
  session.state = model::SessionState::kReady;
  session.created_at = at(1'700'000'000'123);
  session.updated_at = session.created_at;
  return session;
}

model::Execution make_execution(const model::Session& session) {
  model::Execution execution;
  execution.id = ExecutionId::make();
  execution.session_id = session.id;
  execution.tenant = session.tenant;
  execution.state = model::ExecutionState::kCompleted;
  execution.request_json = R"({"command":"true"})";
  execution.created_at = session.created_at;
  return execution;
}

model::Output make_output(std::size_t size, const std::string& seed) {
  auto fill = [&](char mark) {
    std::string text = seed + mark;
    while (text.size() < size) text += text;
    text.resize(size);
    return text;
  };
  return {.stdout_bytes = fill('o'), .stderr_bytes = fill('e'), .merged = fill('m')};
}

}  // namespace atl::store
