// atoll-net: opens the network of sandboxes for the launcher, which runs it with one descriptor in
// place.
#include "engine/net_process.hpp"

int main() { return atl::engine::open_networks(); }
