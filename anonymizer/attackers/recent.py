"""Recent: a cache of the last things made for other schemes, as many as it may keep."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Recent(Generic[Key, Made]):
    """The last things made, by what they were made for; threads share them.

    >>> recent = Recent[int, str](most=1)
    >>> recent.get(1, lambda: "made"), recent.get(1, lambda: "made again")
    ('made', 'made')
    >>> recent.get(2, lambda: "other"), recent.get(1, lambda: "made again")
    ('other', 'made again')
    """

    most: int
    kept: OrderedDict[Key, Made] = field(default_factory=OrderedDict, repr=False)
    lock: Lock = field(default_factory=Lock, repr=False)

    def get(self, key: Key, make: Callable[[], Made]) -> Made:
        """Return what was made for a key, or make it; two threads may make the same."""
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = make()
        with self.lock:
            self.kept[key] = made
            while len(self.kept) > max(1, self.most):
                self.kept.popitem(last=False)
        return made
