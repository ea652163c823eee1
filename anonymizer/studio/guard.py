"""Who may ask: this machine, by the name that was printed, with the token, from our own page.

Another page in the same browser can send requests to 127.0.0.1, and a name that somebody else owns can be
made to point here. So every request must name us as its Host, none may come from another Origin, and all
but the page's own files need the token, which no other page can read. Only a link to the page, which has
no data, may be followed from elsewhere: a file that its owner alone can read leads the browser here.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-anonymizer-token"
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def make_token() -> str:
    """Draw a token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Guard:
    """Lets through what our own page asks, and adds the headers that keep a browser careful."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        why = self.why_refused(scope)
        if why is None:
            await self.app(scope, receive, with_headers(send))
        else:
            refusal = JSONResponse({"error": why}, 403)
            await refusal(scope, receive, with_headers(send))

    def why_refused(self, scope: Scope) -> str | None:
        """Say why a request is refused; None where it is not."""
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]
        }
        if headers.get("host") not in self.hosts:
            return "this address is not ours; use the one that was printed."
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return "another page asks for this; it is refused."
        ours = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
        if not ours and not opens_page(scope, headers):
            return "another page asks for this; it is refused."
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        asked = headers.get(TOKEN_HEADER) or (given[0] if given else None)
        if asked is None and not scope["path"].startswith("/api/"):
            return None  # the page itself holds no data
        if asked is None or not secrets.compare_digest(asked.encode(), self.token.encode()):
            return "the token is missing or wrong; open the address that was printed."
        return None


def opens_page(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Whether a link is followed to the page itself, as from the file that leads a browser here."""
    how = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return (scope["method"], scope["path"], *how) == ("GET", "/", "navigate", "document")


def with_headers(send: Send) -> Send:
    """Return what sends a response with our headers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name for name, _ in message["headers"]}
            more = [
                (name.encode(), text.encode())
                for name, text in HEADERS.items()
                if name.encode() not in there
            ]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending
