// atoll-mounts: makes parts of a sandbox's file system for the launcher, which runs it with one
// descriptor in place.
#include "engine/mounts.hpp"

int main() { return atl::engine::make_mounts_process(); }
