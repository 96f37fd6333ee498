"""From JSON to models. What this version does not know is kept, not refused: servers may be newer."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Callable, List, Mapping, Sequence, TypeVar

T = TypeVar("T")


class Model:
    """The base of what servers answer."""

    raw: Mapping[str, Any]

    def to_json(self) -> Mapping[str, Any]:
        """The answer as it came."""
        return self.raw


def items(values: Sequence[Any], make: Callable[[Any], T]) -> List[T]:
    return [make(value) for value in values]


def time_of(text: str) -> datetime:
    """RFC 3339 in UTC; Python 3.9 and 3.10 read no Z and want 3 or 6 digits of a second."""
    head, _, rest = text.rstrip("Zz").partition(".")
    moment = datetime.strptime(head, "%Y-%m-%dT%H:%M:%S") if len(head) != 19 else datetime.fromisoformat(head)
    micro = int((rest + "000000")[:6]) if rest else 0
    return moment.replace(microsecond=micro, tzinfo=timezone.utc)
