#include "control/ports.hpp"

#include <utility>

namespace atl::control {

using async::Task;

namespace {

class PortStream final : public sandbox::ByteStream {
 public:
  PortStream(Use use, std::unique_ptr<sandbox::ByteStream> inside)
      : use_(std::move(use)), inside_(std::move(inside)) {}

  Task<Result<std::string>> read() override { return inside_->read(); }
  Task<Result<void>> write(std::string bytes) override { return inside_->write(std::move(bytes)); }
  Task<Result<void>> finish() override { return inside_->finish(); }

 private:
  Use use_;
  std::unique_ptr<sandbox::ByteStream> inside_;
};

}  // namespace

Task<Result<PortConnection>> Ports::connect(Caller caller, SessionId id, std::uint16_t port) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(std::move(caller), std::move(id)));
  auto inside = co_await use.sandbox().connect(port);
  PortConnection connection;
  if (inside) {
    connection.stream = std::make_unique<PortStream>(std::move(use), std::move(*inside));
  } else {
    connection.refused = inside.error();
  }
  co_return connection;
}

}  // namespace atl::control
