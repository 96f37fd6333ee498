// One connection of a Client: sends requests and reads the heads of their responses. Internal to
// http/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "http/body_reader.hpp"
#include "http/client.hpp"
#include "http/inbox.hpp"
#include "http/transport.hpp"
#include "http/wire.hpp"

namespace atl::http {

class ClientConnection {
 public:
  explicit ClientConnection(std::shared_ptr<Wire> over)
      : wire(std::move(over)), parser(256), body(*wire, inbox, parser) {}

  // `head` has the request line and the fields, without Host and framing, which are added here.
  Task<Result<void>> send(const ClientRequest* request, std::string head);
  Task<Result<void>> read_head(std::size_t most, bool bodyless, int* status, Headers* headers);
  // False when the server closed it meanwhile, or sent what nobody asked for.
  bool is_fresh() const;

  std::shared_ptr<Wire> wire;
  Inbox inbox;
  MessageParser parser;
  BodyReader body;
  bool reused = false;
  bool heard = false;       // anything of the current response
  bool sent_whole = false;  // the current request

 private:
  Task<Result<void>> send_stream(const ClientRequest* request, std::string head);
};

}  // namespace atl::http
