"""The web application: an address for each question of the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from anonymizer.errors import AnonymizerError, DataError, show_values
from anonymizer.studio.events import finite
from anonymizer.studio.folder import UPLOAD_LIMIT, TooLargeError
from anonymizer.studio.guard import Guard
from anonymizer.studio.history import StaleError
from anonymizer.studio.mending import UnreadableError, stated_of
from anonymizer.studio.questions import QUESTIONS
from anonymizer.studio.release import PAGES
from anonymizer.studio.session import NotOpenError, Session

PAGE = Path(__file__).parent / "page"
LARGEST_QUESTION = 1 << 22
"""Bytes of a question; only an upload may be larger."""
DEEPEST = 32
"""How far the JSON of a question may be nested; no policy and no hierarchy is nearly so deep."""
NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]')
"""Texts, which may hold brackets, and brackets."""
LARGEST_NUMBER = 2**63
"""TOML has no larger whole numbers, and so no policy."""
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

    async def report(request: Request) -> Response:
        return await run_in_threadpool(read_page, session, request.path_params["name"])

    async def upload(request: Request) -> Response:
        return await answer(receive(session, request, upload_limit))

    routes = [
        Route("/", page),
        Route("/api/events", events),
        Route("/api/page/{name}", report),
        Route("/api/upload", upload, methods=["POST"]),
        *(
            Route(f"/api/{name}", handler(session, question), methods=["POST"])
            for name, question in QUESTIONS.items()
        ),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    guard = Middleware(Guard, token=token, port=port)
    refused = {HTTPException: refuse}
    return Starlette(routes=routes, middleware=[guard], exception_handlers=refused, lifespan=life)


async def refuse(_: Request, error: Exception) -> Response:
    """Say that there is no such address, or that nothing is asked of it in this way."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    said = (
        f"the studio does not answer this ({HTTPStatus(status).phrase.lower()}); reload the page."
    )
    return JSONResponse({"error": said}, status)


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


def read_page(session: Session, name: str) -> Response:
    """Return a page that was written beside the release; it may style itself and do nothing else."""
    path = session.folder.release / name
    if name not in PAGES or not path.is_file():
        return JSONResponse({"error": f"{name}: it is not there; write the release first."}, 404)
    rules = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return FileResponse(path, media_type="text/html", headers=rules)


async def answer(found: Awaitable[Any]) -> Response:
    """Return the answer, or an error in one sentence; with it what can be done about a table."""
    try:
        return JSONResponse(finite(await found))
    except UnreadableError as error:
        return JSONResponse({"error": str(error), "fault": error.described}, 422)
    except AnonymizerError as error:
        return JSONResponse({"error": str(error)}, STATUS.get(type(error), 422))
    except OSError as error:
        said = f"{error.filename or 'a file'}: {error.strerror or error}."
        return JSONResponse({"error": said}, 422)
    except ClientDisconnect:
        return JSONResponse({"error": "the page is gone; open it again."}, 400)
    except Exception as error:  # ours to mend, and no traceback among the words of the terminal
        said = f"this should not have happened ({type(error).__name__}: {error})."
        return JSONResponse({"error": said}, 500)


async def read_question(request: Request) -> dict[str, Any]:
    """Read the JSON of a question, up to a size."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_QUESTION:
            raise TooLargeError("the question is too large; this should not happen.")
    if nesting(body) > DEEPEST:  # deep enough, the parser would use up the stack
        raise DataError("the question is nested too deeply; reload the page.")
    try:
        asked = json.loads(body) if body else {}
    except ValueError:
        raise DataError("the question is not JSON; reload the page.") from None
    if not isinstance(asked, dict):
        raise DataError("the question is not an object; reload the page.")
    for fault in faults_of(asked):
        raise DataError(f"the question {fault}; reload the page.")
    return asked


def nesting(body: bytes | bytearray) -> int:
    """Return how deeply lists and objects of some JSON are nested, without parsing it.

    >>> nesting(b'{"a": [[1], "]]"], "b": []}')
    3
    """
    depth = deepest = 0
    for found in NESTING.finditer(body):
        token = found[0]
        depth += (token in b"[{") - (token in b"]}")
        deepest = max(deepest, depth)
    return deepest


def faults_of(value: Any) -> Iterator[str]:
    """Say what in some JSON no policy and no hierarchy can hold.

    >>> next(faults_of({"k": [1, math.inf]}))
    'holds what is not a number'
    """
    if isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            yield "holds text that is not Unicode"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield "holds what is not a number"
    elif isinstance(value, int):
        if abs(value) >= LARGEST_NUMBER:
            yield "holds a number that is too large"
    elif isinstance(value, dict | list):
        inside = [*value, *value.values()] if isinstance(value, dict) else value
        for each in inside:
            yield from faults_of(each)


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
    how = stated_of(request.query_params)
    path = await session.folder.receive(name, request.stream(), limit)

    def opened() -> dict[str, Any]:
        with show_values():
            try:
                session.open(path, how)
            finally:
                if session.history is None:  # so that the corrected file can have the same name
                    path.unlink(missing_ok=True)
        state = session.state()
        session.events.tell("state", **state)
        return state

    return await run_in_threadpool(opened)
