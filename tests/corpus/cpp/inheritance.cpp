// Classes: virtual calls, abstract ones, several bases, casts at run time, static members, friends.
#include <cstdio>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

struct Shape {
  static inline int alive = 0;
  Shape() { ++alive; }
  Shape(const Shape&) = delete;
  virtual ~Shape() { --alive; }
  virtual double area() const = 0;
  virtual std::string name() const { return "shape"; }
};
struct Named {
  virtual ~Named() = default;
  virtual std::string label() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
  std::string name() const override { return "square"; }
};
struct Tile final : Square, Named {
  using Square::Square;
  std::string label() const override {
    return "tile of " + std::to_string(static_cast<int>(area()));
  }
  std::string name() const override { return "tile, a " + Square::name(); }
};
struct Circle : Shape {
  double area() const override { return 3; }
};

struct Animal {
  virtual const char* sound() { return "?"; }
};
struct Dog : virtual Animal {
  const char* sound() override { return "woof"; }
};
struct Robot : virtual Animal {};
struct RobotDog : Dog, Robot {};

int main() {
  {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square>(3));
    shapes.push_back(std::make_unique<Tile>(2));
    shapes.push_back(std::make_unique<Circle>());
    for (const auto& shape : shapes) {
      std::printf("%s %g", shape->name().c_str(), shape->area());
      if (auto* named = dynamic_cast<Named*>(shape.get()))
        std::printf(" (%s)", named->label().c_str());
      std::puts(dynamic_cast<Square*>(shape.get()) != nullptr ? " squarish" : "");
    }
    const Shape& first = *shapes[0];
    std::printf("%d %d\n", Shape::alive, typeid(first) == typeid(Square));
    try {
      (void)dynamic_cast<Circle&>(*shapes[0]);
    } catch (const std::bad_cast&) {
      std::puts("not a circle");
    }
  }
  RobotDog rover;
  Robot& robot = rover;
  std::printf("%d %s %d\n", Shape::alive, robot.sound(), static_cast<Animal*>(&rover) == &robot);
  return 0;
}
