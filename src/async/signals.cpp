#include "async/signals.hpp"

#include <sys/signalfd.h>

#include <utility>

namespace atl::async {

void Signals::Unblock::operator()(sigset_t* old_mask) const {
  ::pthread_sigmask(SIG_SETMASK, old_mask, nullptr);
  delete old_mask;
}

Signals::~Signals() = default;

Result<Signals> Signals::listen(Executor executor, std::initializer_list<int> numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (int number : numbers) ::sigaddset(&set, number);
  auto old_mask = std::make_unique<sigset_t>();
  if (int error = ::pthread_sigmask(SIG_BLOCK, &set, old_mask.get()); error != 0) {
    return fail_errno("pthread_sigmask", error);
  }
  std::unique_ptr<sigset_t, Unblock> restore(old_mask.release());
  UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail_errno("signalfd");
  return Signals(Stream(std::move(executor), std::move(fd), FdKind::kOwned), std::move(restore));
}

Task<Result<int>> Signals::next() {
  signalfd_siginfo info{};
  ATOLL_CO_TRY(std::size_t got,
               co_await stream_.read_some({reinterpret_cast<char*>(&info), sizeof(info)}));
  if (got != sizeof(info)) co_return fail(Code::kIo, "short read of a signal");
  co_return static_cast<int>(info.ssi_signo);
}

}  // namespace atl::async
