// What the host can ask for: each Op becomes a channel, or is answered at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "guest/channel.hpp"
#include "guest/messages.hpp"

namespace atl::guest {

class Execution;

// Null when the operation was answered and is over.
std::unique_ptr<Channel> open_channel(Connection& connection, std::uint32_t id, Op op, Reader& in);

// The makers of channels that take time. They send the reply themselves.
using ChannelPtr = std::unique_ptr<Channel>;
ChannelPtr open_exec(Connection& connection, std::uint32_t id, Execution& execution);
ChannelPtr open_executions(Connection& connection, std::uint32_t id);
ChannelPtr open_processes(Connection& connection, std::uint32_t id);
ChannelPtr open_put(Connection& connection, std::uint32_t id, const PutArgs& args);
ChannelPtr open_get(Connection& connection, std::uint32_t id, const GetArgs& args);
ChannelPtr open_list(Connection& connection, std::uint32_t id, const std::string& path,
                     std::uint32_t depth);
ChannelPtr open_search(Connection& connection, std::uint32_t id, SearchArgs args);
ChannelPtr open_remove_tree(Connection& connection, std::uint32_t id, const std::string& path);
ChannelPtr open_watch(Connection& connection, std::uint32_t id, const std::string& path,
                      bool recursive);
ChannelPtr open_tree_put(Connection& connection, std::uint32_t id, const std::string& path);
ChannelPtr open_tree_get(Connection& connection, std::uint32_t id, const std::string& path);
ChannelPtr open_connect(Connection& connection, std::uint32_t id, std::uint16_t port);

// Answered at once (files.cpp); the user's rights are already in force.
Result<std::string> stat_file(const std::string& path, bool follow);
Result<std::string> make_directory(const std::string& path, std::uint32_t mode, bool parents);
Result<std::string> move_file(const std::string& from, const std::string& to, bool overwrite);
Result<std::string> remove_file(const std::string& path);
Result<std::string> change_mode(const std::string& path, std::uint32_t mode);

}  // namespace atl::guest
