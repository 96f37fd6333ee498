// Lifetimes: unique, shared and weak owners, moves, order of destruction, custom deleters.
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

struct Thing {
  int id;
  explicit Thing(int n) : id(n) { std::printf("+%d ", id); }
  Thing(Thing&& other) noexcept : id(std::exchange(other.id, 0)) { std::printf("move%d ", id); }
  Thing(const Thing& other) : id(other.id + 10) { std::printf("copy%d ", id); }
  Thing& operator=(Thing other) noexcept {
    std::swap(id, other.id);
    return *this;
  }
  ~Thing() { std::printf("-%d ", id); }
};

struct Node {
  std::shared_ptr<Node> next;
  std::weak_ptr<Node> back;
  ~Node() { std::printf("node "); }
};

Thing make(int n) { return Thing(n); }

int main() {
  {
    Thing a = make(1);
    Thing b = std::move(a);
    Thing c = b;
    c = Thing(4);
    std::printf("| ");
  }
  std::puts("");
  {
    auto owner = std::make_unique<Thing>(5);
    auto shared = std::shared_ptr<Thing>(std::move(owner));
    std::weak_ptr<Thing> watcher = shared;
    auto second = shared;
    std::printf("%ld ", watcher.use_count());
    shared.reset();
    second = nullptr;
    std::printf("%d", watcher.expired());
  }
  std::puts("");
  {
    auto first = std::make_shared<Node>();
    first->next = std::make_shared<Node>();
    first->next->back = first;
    std::printf("%ld ", first.use_count());
  }
  std::puts("");
  {
    std::vector<Thing> things;
    things.reserve(3);
    things.emplace_back(6);
    things.push_back(Thing(7));
    things.insert(things.begin(), Thing(8));
    std::printf("| ");
  }
  std::puts("");
  auto close = [](std::FILE* file) { std::printf("closed %d\n", std::fclose(file)); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen("out.txt", "w"), close);
  std::optional<Thing> maybe;
  maybe.emplace(9);
  maybe.reset();
  std::printf("%d\n", maybe.has_value());
  return 0;
}
