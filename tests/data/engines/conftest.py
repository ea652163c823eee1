"""A PostgreSQL server and a Spark session for the tests of engines; where there is none, they skip."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.data.engines.makers import Servers


def find_postgres() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def as_server(command: Sequence[object]) -> None:
    """Run a command as a user who may run a server: that is not root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    done = subprocess.run([*user, *map(str, command)], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server with an empty database."""
    programs = find_postgres()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg")
    folder, port = Path(tempfile.mkdtemp(prefix="anonymizer-postgres-")), free_port()
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    options = f"-F -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    as_server([programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"])
    start = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
    as_server(start)
    try:
        yield f"postgres://postgres@127.0.0.1:{port}/postgres"
    finally:
        as_server([programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"])
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A small Spark session with a real JVM."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    sql = pytest.importorskip("pyspark.sql")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas 3
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "1g")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            # compiling well takes longer than the rows
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.timestampType", "TIMESTAMP_NTZ")  # times without a zone stay so
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.warehouse.dir", tempfile.mkdtemp(prefix="anonymizer-spark-"))
            .config("spark.sql.execution.arrow.pyspark.enabled", "true")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture
def servers(request: pytest.FixtureRequest) -> Servers:
    """What starts a server when a kind of table first needs it."""
    return Servers(request.getfixturevalue)
