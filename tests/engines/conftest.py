"""Real engines for the tests: a PostgreSQL server and a Spark session, started once, private, removed afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


# ---- PostgreSQL ------------------------------------------------------------------------------------------
def _programs() -> Path | None:
    """The folder of initdb and postgres."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


def _servant() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: another user then, who owns nothing but the folder."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    psycopg = pytest.importorskip("psycopg")
    for _ in range(600):
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            assert server.poll() is None, "the server stopped at its start"
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    """The address of a server of our own on a private Unix socket."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    folder, servant = Path(tempfile.mkdtemp(prefix="oracledp-postgres-")), _servant()
    try:
        if servant:
            os.chown(folder, servant["user"], servant["group"])
        options = ["--auth=trust", "--username=tester", "--encoding=UTF8", "--locale=C", "--no-sync"]
        made = subprocess.run(
            [programs / "initdb", "-D", folder / "data", *options], cwd=folder, capture_output=True, **servant
        )
        assert made.returncode == 0, made.stderr.decode()
        settings = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off", "shared_buffers": "16MB"}
        flags = [flag for key, value in settings.items() for flag in ("-c", f"{key}={value}")]
        server = subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", *flags],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **servant,
        )
        address = f"host={folder} user=tester dbname=postgres"
        try:
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=60)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgres(postgres_address: str) -> Iterator[Any]:
    """A connection on which nothing is kept."""
    import psycopg

    with psycopg.connect(postgres_address) as connection:
        yield connection
        connection.rollback()


# ---- Spark -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A small local session without a web page, its files in a folder of its own."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    session_of = pytest.importorskip("pyspark.sql", reason="pyspark is not installed").SparkSession
    with tempfile.TemporaryDirectory(prefix="oracledp-spark-") as folder:
        options = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "768m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # short tests repay no deep compilation
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.showConsoleProgress": "false",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Spark about the versions around it
            session = session_of.builder.master("local[2]").config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()
