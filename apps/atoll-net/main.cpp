// atoll-net: opens the network of sandboxes for the launcher, which runs it with one descriptor in
// place; with the path of a socket, the network that it stands in, for the backend docker.
#include "engine/net_process.hpp"

int main(int count, char** words) {
  return count == 2 ? atl::engine::open_own_network(words[1]) : atl::engine::open_networks();
}
