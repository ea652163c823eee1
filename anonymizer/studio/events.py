"""Server-sent events for every open page."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

HEARTBEAT = 15.0
"""Seconds after which a line is sent though nothing happens, so that a page knows we are there."""


class Events:
    """A list of listeners; anyone may tell them something, from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.listeners: dict[asyncio.Queue[str | None], asyncio.AbstractEventLoop] = {}

    def tell(self, kind: str, **content: Any) -> None:
        """Send an event to all who listen."""
        self.put(message(kind, content))

    def close(self) -> None:
        """End every stream."""
        self.put(None)

    def put(self, text: str | None) -> None:
        """Hand a text to every listener, in the thread of its own loop."""
        with self.lock:
            for queue, loop in self.listeners.items():
                if not loop.is_closed():
                    loop.call_soon_threadsafe(queue.put_nowait, text)

    async def listen(
        self, before: Callable[[], list[tuple[str, dict[str, Any]]]]
    ) -> AsyncIterator[str]:
        """Yield what happens from now on, after events that say how things are."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        with self.lock:
            self.listeners[queue] = asyncio.get_running_loop()
        try:
            for kind, content in before():
                yield message(kind, content)
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            with self.lock:
                self.listeners.pop(queue, None)


def message(kind: str, content: dict[str, Any]) -> str:
    r"""Write an event as browsers read it.

    >>> message("progress", {"gap": 0.1})
    'event: progress\ndata: {"gap": 0.1}\n\n'
    """
    return f"event: {kind}\ndata: {json.dumps(finite(content), ensure_ascii=False)}\n\n"


def finite(value: Any) -> Any:
    """Write what is infinite, or no number, as null: JSON has neither, and a page must not show 0.

    >>> finite({"risks": (0.5, math.inf)})
    {'risks': [0.5, None]}
    """
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
