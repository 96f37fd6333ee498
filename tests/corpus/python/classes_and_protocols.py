"""Objects: multiple inheritance, metaclasses, descriptors, abstract classes, protocols, dunder methods."""
import abc
import typing


class Registry(type):
    known = []

    def __new__(mcs, name, bases, space):
        made = super().__new__(mcs, name, bases, space)
        mcs.known.append(name)
        return made


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        return self if thing is None else getattr(thing, self.name)

    def __set__(self, thing, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, not {value}")
        setattr(thing, self.name, value)


class Base(metaclass=Registry):
    def hello(self):
        return ["Base"]


class Left(Base):
    def hello(self):
        return ["Left"] + super().hello()


class Right(Base):
    def hello(self):
        return ["Right"] + super().hello()


class Both(Left, Right):
    size = Positive()

    def __getattr__(self, name):
        return f"no {name}"

    def __getitem__(self, key):
        return key

    def __matmul__(self, other):
        return "matmul"

    def __call__(self, *args, **kwargs):
        return args, kwargs


@typing.runtime_checkable
class Sized(typing.Protocol):
    def area(self) -> float: ...


class Square:
    def area(self) -> float:
        return 4.0


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


both = Both()
print(both.hello(), [c.__name__ for c in Both.__mro__], Registry.known)
both.size = 3
print(both.size, both.missing, both[1:2, ...], both @ 1, both(1, k=2))
for bad in (lambda: setattr(both, "size", -1), Shape):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(error)
print(isinstance(Square(), Sized), isinstance(both, Sized), typing.get_type_hints(Square.area))
print(typing.get_args(typing.Optional[dict[str, list[int]]]), int | None)
