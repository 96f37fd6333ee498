// A Wire after HTTP is over. Internal to http/.
#pragma once

#include <memory>
#include <string>

#include "http/raw_stream.hpp"
#include "http/wire.hpp"

namespace atl::http {

class WireRawStream final : public RawStream {
 public:
  // `early` was read behind the head already.
  WireRawStream(std::shared_ptr<Wire> wire, std::string early)
      : wire_(std::move(wire)), early_(std::move(early)) {
    wire_->set_times({}, {});
  }
  ~WireRawStream() override { wire_->expire(); }

  Task<Result<std::size_t>> read_some(std::span<char> into) override {
    if (!early_.empty()) {
      std::size_t size = early_.copy(into.data(), into.size());
      early_.erase(0, size);
      co_return size;
    }
    std::shared_ptr<Wire> wire = wire_;
    co_return co_await wire->read_some(into);
  }
  Task<Result<void>> write(std::string_view bytes) override {
    std::shared_ptr<Wire> wire = wire_;
    co_return co_await wire->write_all(bytes);
  }
  void shutdown_write() override { wire_->shutdown_write(); }
  void cancel() override { wire_->cancel(); }

 private:
  std::shared_ptr<Wire> wire_;
  std::string early_;
};

}  // namespace atl::http
