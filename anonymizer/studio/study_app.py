"""The web application of linked tables: their page, and an address for each of its questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from anonymizer.errors import show_values
from anonymizer.studio.app import PAGE, answer, read_question, refuse
from anonymizer.studio.guard import Guard
from anonymizer.studio.study import StudySession


def make_study_app(session: StudySession, token: str, port: int) -> Starlette:
    """Return the application of linked tables, for the address it will be served at."""

    async def page(_: Request) -> Response:
        return FileResponse(PAGE / "study.html")

    def asking(question: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Any:
        def ask(asked: dict[str, Any]) -> dict[str, Any]:
            with show_values():  # it is the steward's own page
                return question(asked)

        async def handle(request: Request) -> Response:
            async def found() -> Any:
                return await run_in_threadpool(ask, await read_question(request))

            return await answer(found())

        return handle

    questions: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
        "state": lambda _: session.state(),
        "change": session.change,
        "run": session.run,
        "release": session.release,
    }
    routes = [
        Route("/", page),
        *(Route(f"/api/{name}", asking(q), methods=["POST"]) for name, q in questions.items()),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    guard = Middleware(Guard, token=token, port=port)
    return Starlette(routes=routes, middleware=[guard], exception_handlers={HTTPException: refuse})
