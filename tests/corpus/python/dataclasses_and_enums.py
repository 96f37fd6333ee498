"""Dataclasses, enums, flags, properties, ordering, slots, immutability."""
import dataclasses
import enum
import functools


class Suit(enum.IntEnum):
    CLUBS = 1
    HEARTS = enum.auto()


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    ALL = READ | WRITE


@dataclasses.dataclass(order=True, frozen=True, slots=True)
class Card:
    rank: int
    suit: Suit = Suit.CLUBS
    tags: tuple = dataclasses.field(default=(), compare=False, repr=False)

    def __post_init__(self):
        if not 1 <= self.rank <= 13:
            raise ValueError(f"no rank {self.rank}")


@functools.total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    def __repr__(self):
        return "v" + ".".join(map(str, self.parts))


print(sorted([Card(3, Suit.HEARTS), Card(3), Card(1, Suit.HEARTS, ("x",))]), Card(2) == Card(2, tags=("y",)))
print(dataclasses.replace(Card(5), rank=6), dataclasses.asdict(Card(7)), hash(Card(8)) == hash(Card(8)))
for bad in (lambda: Card(14), lambda: setattr(Card(1), "rank", 2), lambda: Suit(9)):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
print(Access.ALL, Access.READ in Access.ALL, list(Access.ALL), ~Access.READ, Suit.HEARTS > Suit.CLUBS,
      Suit["CLUBS"])
print(max(Version(v) for v in ("1.9", "1.10", "1.2.7")), Version("2.0") >= Version("2.0"))
