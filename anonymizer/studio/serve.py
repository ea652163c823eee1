"""Serving the studio on this machine, until Ctrl-C."""

from __future__ import annotations

import socket
import threading
import warnings
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from anonymizer.data.staging import Staging
from anonymizer.errors import AnonymizerError, AnonymizerWarning, ReleaseError
from anonymizer.studio.folder import WAY_IN, Folder
from anonymizer.studio.session import Session, is_table
from anonymizer.studio.study import StudySession

if TYPE_CHECKING:
    import uvicorn

HOST = "127.0.0.1"
"""The only address that is listened on: no other machine reaches it."""
PAGE = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={address}">
<title>anonymizer studio</title>
<a href="{address}">Open the studio</a>
"""
"""What leads a browser to the studio."""


def missing_packages() -> AnonymizerError:
    """Say what to install."""
    return AnonymizerError(
        "the studio needs starlette and uvicorn; install them with pip install 'anonymizer[studio]'."
    )


def folder_for(path: Path | None, out: Path | None) -> Folder:
    """Return the folder that was chosen, or the one that goes with a policy or a table."""
    if out is not None:
        return Folder(out)
    if path is None or is_table(path):
        return Folder(Path("studio") if path is None else Path(f"{path.stem}-studio"))
    if path.name != "policy.toml":
        return Folder(path.parent / f"{path.stem}-studio")
    return Folder(path.parent)


def bind(port: int) -> socket.socket:
    """Take a port of this machine; 0 is any that is free."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
        taken.listen()  # a page that is opened at once waits, rather than failing
    except OSError as error:
        taken.close()
        raise AnonymizerError(
            f"--port {port}: it cannot be used ({error.strerror}); choose another, or 0 for any."
        ) from None
    return taken


@contextmanager
def way_in(folder: Folder, address: str) -> Iterator[str]:
    """Yield a file's address that leads to another; it is gone afterwards.

    A browser gets its address on a command line, which every user of the machine can read. The file
    can be read by its owner alone, so that nobody else learns the token.
    """
    staging = Staging(folder.path)
    new_folders = [*staging.created]
    with staging:
        staging.private(WAY_IN).write_text(PAGE.format(address=address), encoding="utf-8")
    try:
        yield (folder.path / WAY_IN).resolve().as_uri()
    finally:
        (folder.path / WAY_IN).unlink(missing_ok=True)
        for path in new_folders:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


class Studio:
    """A session, served at an address."""

    def __init__(
        self, session: Session | StudySession, port: int = 0, upload_limit: int | None = None
    ) -> None:
        try:
            import uvicorn

            from anonymizer.studio.app import make_app
            from anonymizer.studio.folder import UPLOAD_LIMIT
            from anonymizer.studio.guard import make_token
            from anonymizer.studio.study_app import make_study_app
        except ImportError:
            raise missing_packages() from None
        self.session, self.socket = session, bind(port)
        self.port = int(self.socket.getsockname()[1])
        self.token = make_token()
        limit = UPLOAD_LIMIT if upload_limit is None else upload_limit
        if isinstance(session, StudySession):
            app = make_study_app(session, self.token, self.port)
        else:
            app = make_app(session, self.token, self.port, limit)
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, lifespan="on"
        )
        self.server: uvicorn.Server = uvicorn.Server(settings)
        end = self.server.handle_exit

        def handle_exit(number: int, frame: FrameType | None) -> None:
            session.events.close()  # open streams would keep the server waiting
            end(number, frame)

        self.server.handle_exit = handle_exit  # type: ignore[method-assign, assignment]

    @property
    def address(self) -> str:
        """Where the page is, token included."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def run(self, say: Callable[[str], None], browser: bool = True) -> None:
        """Serve until Ctrl-C; print the address, and open it."""
        say(self.address)
        with ExitStack() as until_closed:
            if browser:
                try:
                    way = until_closed.enter_context(way_in(self.session.folder, self.address))
                    threading.Timer(0.5, webbrowser.open, [way]).start()
                except ReleaseError as error:
                    message = f"the browser is not opened; open the address yourself. {error}"
                    warnings.warn(message, AnonymizerWarning, stacklevel=2)
            self.serve()

    def serve(self) -> None:
        """Serve until told to stop."""
        try:
            self.server.run(sockets=[self.socket])
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Give the port back and end all threads."""
        self.session.close()
        self.socket.close()

    def stop(self) -> None:
        """End, from another thread."""
        self.session.events.close()
        self.server.should_exit = True
