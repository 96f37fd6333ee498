// Exceptions: kinds, order of unwinding, nesting, rethrowing, function try blocks, noexcept.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct Tracer {
  const char* name;
  explicit Tracer(const char* n) : name(n) { std::printf("+%s ", name); }
  ~Tracer() { std::printf("-%s ", name); }
};

struct AppError : std::runtime_error {
  int code;
  AppError(int c, const std::string& what) : std::runtime_error(what), code(c) {}
};

void unwind(const std::exception& error, int depth = 0) {
  std::printf("%*s%s\n", depth * 2, "", error.what());
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& inner) {
    unwind(inner, depth + 1);
  }
}

void parse(const std::string& text) {
  Tracer tracer("parse");
  try {
    std::printf("%d ", std::stoi(text));
  } catch (const std::logic_error&) {
    Tracer handler("handler");
    std::throw_with_nested(AppError(4, "cannot parse " + text));
  }
}

struct Part {
  Tracer tracer;
  explicit Part(bool fail) try : tracer("part") {
    if (fail) throw std::out_of_range("in a constructor");
  } catch (const std::exception&) {
    std::printf("function-try ");
  }
};

int main() {
  parse("42");
  std::puts("");
  try {
    parse("oops");
  } catch (const AppError& error) {
    std::printf("code %d\n", error.code);
    unwind(error);
  }
  try {
    Part good(false);
    Part bad(true);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  for (int i = 0; i < 4; ++i) {
    try {
      if (i == 0) throw 5;
      if (i == 1) throw "text";
      if (i == 2) std::vector<int>(3).at(7);
      throw std::bad_alloc();
    } catch (int n) {
      std::printf("int %d\n", n);
    } catch (const char* text) {
      std::printf("chars %s\n", text);
    } catch (const std::out_of_range&) {
      std::puts("out of range");
    } catch (...) {
      std::printf("other, %d current\n", std::current_exception() != nullptr);
    }
  }
  std::exception_ptr kept;
  try {
    throw std::domain_error("kept for later");
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (const std::domain_error& error) {
    std::puts(error.what());
  }
  return std::uncaught_exceptions();
}
