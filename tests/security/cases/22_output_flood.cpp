// Line 22: output without end. `flood BYTES` writes that much binary to stdout and stderr in turn;
// `forever` until it is stopped.
#include "attack.hpp"

namespace {

void pour(unsigned long long goal) {
  static char block[65536];
  for (size_t i = 0; i < sizeof block; ++i) {
    block[i] = static_cast<char>(i * 131 + (i >> 8));
  }
  unsigned long long total = 0;
  for (int turn = 0; total < goal; ++turn) {
    ssize_t put = write(1 + turn % 2, block, sizeof block);
    if (put < 0) {
      _exit(attack::kStopped);
    }
    total += static_cast<unsigned long long>(put);
  }
}

void flood() {
  pour(attack::number(0));
  _exit(0);
}
void forever() {
  pour(~0ULL);
  _exit(0);
}

constexpr attack::Attack kAttacks[] = {{"flood", flood}, {"forever", forever}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
