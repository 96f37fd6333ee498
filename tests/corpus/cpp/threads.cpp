// Threads: mutexes, conditions, atomics, futures, a queue between producers and consumers.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Queue {
 public:
  void push(int value) {
    std::lock_guard hold(lock_);
    items_.push(value);
    changed_.notify_one();
  }
  int pop() {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [this] { return !items_.empty(); });
    int value = items_.front();
    items_.pop();
    return value;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::queue<int> items_;
};

int main() {
  std::atomic<int> hits{0};
  long total = 0;
  std::mutex lock;
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        ++hits;
        std::lock_guard hold(lock);
        total += t;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d %ld\n", hits.load(), total);
  Queue jobs, results;
  std::thread worker([&] {
    for (int n; (n = jobs.pop()) != 0;) results.push(n * n);
  });
  for (int n = 1; n <= 5; ++n) jobs.push(n);
  for (int n = 1; n <= 5; ++n) std::printf("%d ", results.pop());
  jobs.push(0);
  worker.join();
  auto sum = [](int from, int to) {
    long s = 0;
    for (int i = from; i < to; ++i) s += i;
    return s;
  };
  auto low = std::async(std::launch::async, sum, 0, 50000),
       high = std::async(std::launch::async, sum, 50000, 100001);
  std::printf("%ld\n", low.get() + high.get());
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread([p = std::move(promise)]() mutable {
    p.set_exception(std::make_exception_ptr(42));
  }).join();
  try {
    future.get();
  } catch (int n) {
    std::printf("thrown across threads: %d\n", n);
  }
  std::once_flag once;
  int calls = 0;
  for (int i = 0; i < 3; ++i) std::call_once(once, [&] { ++calls; });
  std::printf("%d\n", calls);
  return 0;
}
