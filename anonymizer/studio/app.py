"""The web application: an address for each question of the page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from anonymizer.errors import AnonymizerError, DataError, show_values
from anonymizer.studio.events import finite
from anonymizer.studio.folder import UPLOAD_LIMIT, TooLargeError
from anonymizer.studio.guard import Guard
from anonymizer.studio.history import StaleError
from anonymizer.studio.questions import QUESTIONS
from anonymizer.studio.session import NotOpenError, Session

PAGE = Path(__file__).parent / "page"
LARGEST_QUESTION = 1 << 22
"""Bytes of a question; only an upload may be larger."""
STATUS: dict[type[AnonymizerError], int] = {StaleError: 409, NotOpenError: 409, TooLargeError: 413}

Handler = Callable[[Request], Awaitable[Response]]


def make_app(
    session: Session, token: str, port: int, upload_limit: int = UPLOAD_LIMIT
) -> Starlette:
    """Return the application of a session, for the address it will be served at."""

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        session.close()

    async def page(_: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    async def events(_: Request) -> Response:
        stream = session.events.listen(session.story)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def upload(request: Request) -> Response:
        return await answer(receive(session, request, upload_limit))

    routes = [
        Route("/", page),
        Route("/api/events", events),
        Route("/api/upload", upload, methods=["POST"]),
        *(
            Route(f"/api/{name}", handler(session, question), methods=["POST"])
            for name, question in QUESTIONS.items()
        ),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    guard = Middleware(Guard, token=token, port=port)
    return Starlette(routes=routes, middleware=[guard], lifespan=life)


def handler(session: Session, question: Callable[[Session, dict[str, Any]], Any]) -> Handler:
    """Return what answers a question in a thread of its own, so that nothing else waits for it."""

    def ask(asked: dict[str, Any]) -> Any:
        with show_values():  # it is the steward's own page
            return question(session, asked)

    async def handle(request: Request) -> Response:
        async def found() -> Any:
            return await run_in_threadpool(ask, await read_question(request))

        return await answer(found())

    return handle


async def answer(found: Awaitable[Any]) -> Response:
    """Return what was found, or one sentence that says what went wrong."""
    try:
        return JSONResponse(finite(await found))
    except AnonymizerError as error:
        return JSONResponse({"error": str(error)}, STATUS.get(type(error), 422))
    except OSError as error:
        said = f"{error.filename or 'a file'}: {error.strerror or error}."
        return JSONResponse({"error": said}, 422)


async def read_question(request: Request) -> dict[str, Any]:
    """Read the JSON of a question, up to a size."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_QUESTION:
            raise TooLargeError("the question is too large; this should not happen.")
    try:
        asked = json.loads(body) if body else {}
    except ValueError:
        raise DataError("the question is not JSON; reload the page.") from None
    if not isinstance(asked, dict):
        raise DataError("the question is not an object; reload the page.")
    return asked


async def receive(session: Session, request: Request, limit: int) -> dict[str, Any]:
    """Take a table that was dropped on the page, and open it."""
    if session.history is not None:
        raise DataError("a table is open already; start the studio again for another one.")
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > limit:
        raise TooLargeError(
            f"the file has {int(stated):,} bytes, more than {limit:,}; name it on the command line "
            "instead: anonymizer studio FILE."
        )
    name = request.query_params.get("name", "")
    path = await session.folder.receive(name, request.stream(), limit)

    def opened() -> dict[str, Any]:
        with show_values():
            try:
                session.open(path)
            except AnonymizerError:
                path.unlink(missing_ok=True)  # so that the corrected file can have the same name
                raise
        state = session.state()
        session.events.tell("state", **state)
        return state

    return await run_in_threadpool(opened)
