#include "server/report_bugs.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>

#include "async/task_group.hpp"
#include "observe/log.hpp"

namespace atl::server {
namespace {

std::string type_of(const std::exception_ptr& thrown) {
  const std::type_info* type = thrown.__cxa_exception_type();
  if (type == nullptr) return "unknown";
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : type->name();
}

std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "not a std::exception";
  }
}

}  // namespace

void report_bugs(observe::Metrics& metrics) {
  observe::Counter& failures = metrics.counter("background_task_failures_total",
                                               "Background tasks that ended by an exception");
  async::on_bug([&failures](const std::exception_ptr& thrown) {
    failures.add();
    log::error("background_task_failed", log::kv("type", type_of(thrown)),
               log::kv("error", message_of(thrown)));
  });
}

}  // namespace atl::server
