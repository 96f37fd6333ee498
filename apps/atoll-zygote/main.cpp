// atoll-zygote: starts one zygote for the launcher, which runs it with its descriptors in place.
#include "engine/zygote_start.hpp"

int main() { return atl::engine::start_zygote_process(); }
