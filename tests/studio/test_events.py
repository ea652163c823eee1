from __future__ import annotations

import asyncio

from anonymizer.studio.events import Events


def test_who_listens_hears_how_things_are_then_what_happens_until_the_end():
    events = Events()

    async def listen() -> list[str]:
        heard = []
        async for text in events.listen(lambda: [("state", {"open": True})]):
            heard.append(text)
            if len(heard) == 1:
                # from another thread, as the engine does
                await asyncio.to_thread(events.tell, "working", what="searching", gap=float("inf"))
                await asyncio.to_thread(events.close)
        return heard

    assert asyncio.run(listen()) == [
        'event: state\ndata: {"open": true}\n\n',
        'event: working\ndata: {"what": "searching", "gap": null}\n\n',
    ]
    assert events.listeners == {}


def test_telling_nobody_is_no_error():
    Events().tell("idle")
