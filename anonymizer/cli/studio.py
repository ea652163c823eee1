"""studio: a page on this machine on which a table is anonymized."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def studio(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE, FOLDER or POLICY]",
            help="A table, a folder of linked tables, or a policy; left out: drop a table on the page.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="The port; 0 is any that is free.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The only folder that is written to; default: that of the policy, or one named after "
            "the table.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open a page on this machine: data, hierarchies, risk and utility, with the optimum proven anew
    at every change.

    Example: `anonymizer studio discharges.csv --out discharges`
    """
    from anonymizer.studio.mending import UnreadableError
    from anonymizer.studio.serve import Studio, folder_for
    from anonymizer.studio.session import Session
    from anonymizer.studio.study import StudySession, opens_study

    folder = folder_for(source, out)
    linked = opens_study(source)
    session: Session | StudySession = StudySession(folder) if linked else Session(folder)
    served = Studio(session, port)
    try:
        if source is not None:
            session.open(source)
    except UnreadableError as error:
        assert isinstance(session, Session)
        session.fault = error.fault  # the page says so, and asks how the file is to be read
    except BaseException:
        served.close()
        raise
    print(f"folder: {session.folder.path}")
    served.run(lambda address: print(f"studio: {address}", flush=True), browser=not no_browser)
