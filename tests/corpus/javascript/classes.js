// Classes: private parts, static blocks, accessors, inheritance, mixins, symbols that change behaviour.
class Shape {
  static #made = 0;
  static kinds;
  static {
    this.kinds = [];
  }
  #name;
  constructor(name) {
    this.#name = name;
    Shape.#made++;
    Shape.kinds.push(new.target.name);
  }
  get name() {
    return this.#name;
  }
  set name(value) {
    if (!value) throw new RangeError("a name is needed");
    this.#name = value;
  }
  area() {
    throw new Error("abstract");
  }
  static count() {
    return Shape.#made;
  }
  static isShape(thing) {
    return #name in thing;
  }
  toString() {
    return `${this.name}(${this.area()})`;
  }
  get [Symbol.toStringTag]() {
    return "Shape";
  }
}
const Scaled = (Base) =>
  class Scaled extends Base {
    scale = 1;
    area() {
      return super.area() * this.scale ** 2;
    }
  };
class Square extends Shape {
  constructor(side) {
    super("square");
    this.side = side;
  }
  area() {
    return this.side ** 2;
  }
}
class BigSquare extends Scaled(Square) {
  scale = 10;
  [Symbol.toPrimitive](hint) {
    return hint === "number" ? this.area() : `big ${super.toString()}`;
  }
}
const small = new Square(3),
  big = new BigSquare(2);
console.log(`${small}`, `${big}`, +big, Shape.count(), Shape.kinds, Shape.isShape(small), Shape.isShape({}));
console.log(
  big instanceof Square,
  Object.getPrototypeOf(BigSquare).name,
  Object.prototype.toString.call(small),
  Object.keys(big),
);
for (const bad of [
  () => new Shape("x").area(),
  () => {
    small.name = "";
  },
  () => Square(),
  () =>
    new (class extends Shape {
      constructor() {
        this.x = 1;
      }
    })(),
]) {
  try {
    bad();
  } catch (error) {
    console.log(error.name);
  }
}
function Old(name) {
  this.name = name;
}
Old.prototype.hello = function () {
  return `I am ${this.name}`;
};
const older = Object.create(Old.prototype, { name: { value: "fixed", enumerable: false } });
console.log(
  new Old("old").hello(),
  older.hello(),
  JSON.stringify(older),
  Object.getOwnPropertyNames(Square.prototype),
);
class Even {
  static [Symbol.hasInstance](n) {
    return n % 2 === 0;
  }
}
console.log(
  4 instanceof Even,
  5 instanceof Even,
  [1, 2].concat({ length: 1, 0: "x", [Symbol.isConcatSpreadable]: true }),
);
