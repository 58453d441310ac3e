"""How processes find each other: stores, arguments, launchers' variables and what goes wrong."""

import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rank_programs import finish, free_port, run, start
from waiting import PATIENCE, until

import gpunp
from gpunp.distributed import Store, StoreServer, environment, host, init_process_group, store
from gpunp.distributed import __main__ as launcher

LAUNCHERS = sorted({name for names in environment._VARIABLES.values() for name in names})


@pytest.fixture(autouse=True)
def _without_launcher(monkeypatch):
    for name in (*LAUNCHERS, "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    server = StoreServer("127.0.0.1", 0)
    yield server
    server.close()


def test_store(server):
    one, other = (Store("127.0.0.1", server.port, timeout=PATIENCE) for _ in range(2))
    one.set("key", b"\0value")
    assert other.get("key") == b"\0value"
    assert [one.add("number"), other.add("number", 5), one.add("number", -2)] == [1, 6, 4]
    other.delete("key")
    with pytest.raises(TimeoutError, match=r"'key' of the store within 0.1 s"):
        one.get("key", timeout=0.1)
    timer = threading.Timer(0.1, lambda: other.set("late", b"x" * 100_000))
    timer.start()
    assert one.get("late") == b"x" * 100_000
    timer.join()
    one.close()
    other.close()


class _Failing:
    """A listener whose first connection is lost before it is taken."""

    def __init__(self, listener):
        self.listener, self.calls = listener, 0

    def accept(self):
        self.calls += 1
        if self.calls == 1:
            raise ConnectionAbortedError
        return self.listener.accept()

    def __getattr__(self, name):
        return getattr(self.listener, name)


def test_a_lost_connection_does_not_end_the_store(monkeypatch):
    listen = store._listen
    monkeypatch.setattr(store, "_listen", lambda host, port: _Failing(listen(host, port)))
    server = StoreServer("127.0.0.1", 0)
    client = Store("127.0.0.1", server.port, timeout=PATIENCE)
    client.set("key", b"value")
    assert client.get("key") == b"value"
    client.close()
    server.close()


def test_a_late_reply_answers_nothing():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = Store("127.0.0.1", silent.getsockname()[1], timeout=PATIENCE)
        # Requests wait 30 s longer than the server should take: here 0.1 s.
        with pytest.raises(ConnectionError, match="does not answer"):
            client._request(store._GET, "key", timeout=-29.9)
        with pytest.raises(ConnectionError, match="does not answer"):
            client.get("other")


def test_the_launcher_ends_what_it_has_started(monkeypatch):
    made = []

    def popen(*args, popen=subprocess.Popen, **kwargs):
        if made:
            raise OSError("no more processes")
        made.append(popen(*args, **kwargs))
        return made[0]

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(OSError, match="no more processes"):
        launcher.start(2, ["-c", "import time; time.sleep(1000)"], 1)
    assert made[0].poll() is not None


def test_calls_after_the_end():
    with gpunp.Device("cpu"):
        group = init_process_group(1, 0, port=0)
        group.stop()
        x = gpunp.ones(3)
        for call in (group.barrier, lambda: group.all_reduce(x, x)):
            with pytest.raises(RuntimeError, match="this process has left its group; join another"):
                call()
        # As at the end of a with statement.
        group.stop()


def test_a_group_that_fails_gives_its_port_back(monkeypatch):
    monkeypatch.setattr(host, "Peers", lambda meeting: 1 / 0)
    with gpunp.Device("cpu"):
        port = free_port()
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                host.HostBackend(1, 0, "127.0.0.1", port)


def test_strangers_are_sent_away():
    peers = host.Peers.__new__(host.Peers)
    peers.size, peers.rank, peers.timeout, peers.sockets = 2, 1, PATIENCE, {}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        for data in (b"", b"x" * 20):
            with socket.create_connection(address) as stranger:
                stranger.sendall(data)
                stranger.shutdown(socket.SHUT_WR)
                peers._accept(listener, b"t" * 16)
                assert peers.sockets == {}
        with socket.create_connection(address) as other:
            other.sendall(b"t" * 16 + host._RANK.pack(0))
            peers._accept(listener, b"t" * 16)
        assert list(peers.sockets) == [0]
        peers.close()
        peers.sockets = {}
        peers.timeout = 0.1
        listener.settimeout(0.1)
        with pytest.raises(TimeoutError, match=r"within 0\.1 s rank 0 did not connect to rank 1"):
            peers._accept(listener, b"t" * 16)
    with pytest.raises(ConnectionError, match=r"rank 3 does not answer at 127.0.0.1:\d+"):
        peers._call(3, f"127.0.0.1 {address[1]}".encode(), b"t" * 16)
    peers.close()


def test_meeting_names_who_is_missing(server):
    store = Store("127.0.0.1", server.port, timeout=5)
    with pytest.raises(TimeoutError, match=r"here: within 0.1 s these ranks of 4 did not arrive: 0, 2, 3;"):
        store.meet("here", 4, 1, timeout=0.1)
    store.close()


@pytest.mark.parametrize("host", ["localhost", "::1", socket.gethostname()])
def test_hosts_by_their_names(host):
    try:
        # Some name servers answer for names that they do not know, with an address elsewhere.
        for family, kind, _, _, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as probe:
                probe.bind(address)
        server = StoreServer(host, 0)
    except OSError as error:
        pytest.skip(f"{host} is no address here: {error}")
    store = Store(host, server.port, timeout=PATIENCE)
    store.set("key", b"value")
    assert store.get("key") == b"value"
    store.close()
    server.close()


def test_a_store_that_ends_is_noticed(server):
    store = Store("127.0.0.1", server.port, timeout=5)
    # The server has taken the connection once it has answered.
    store.set("other", b"")
    server.close()
    with pytest.raises(ConnectionError, match="has the process of rank 0 ended"):
        store.get("key")
    store.close()


def test_nothing_answers():
    # A port that is taken, so that nothing else begins to listen there.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(TimeoutError, match=r"nothing answers at 127.0.0.1:\d+ after 0.2 s"):
            Store("127.0.0.1", taken.getsockname()[1], timeout=0.2)


def test_port_in_use(server):
    with gpunp.Device("cpu"), pytest.raises(RuntimeError, match="is in use: pass another"):
        init_process_group(1, 0, port=server.port)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "n_devices is neither an argument nor set"),
        ({"n_devices": 2}, "rank is neither an argument"),
        ({"n_devices": 0, "rank": 0}, "n_devices must be at least 1"),
        ({"n_devices": 2, "rank": 2}, "rank must be 0 to 1 in a group of 2, not 2"),
        ({"n_devices": 2, "rank": -1}, "rank must be 0 to 1"),
        ({"n_devices": 1, "rank": 0, "port": 1 << 16}, "port must be 0 to 65535"),
        ({"n_devices": 2, "rank": 0, "port": 0}, "choose a port"),
        (
            {"n_devices": 1, "rank": 0, "backend": "gloo"},
            "backend must be one of nccl, mpi, host, not 'gloo'",
        ),
        ({"n_devices": 1, "rank": 0, "backend": "host", "use_mpi": True}, "backend='mpi'"),
    ],
)
def test_arguments_of_groups(arguments, message):
    with gpunp.Device("cpu"), pytest.raises(ValueError, match=message):
        init_process_group(**arguments)


@pytest.mark.parametrize(
    ("variables", "place", "local"),
    [
        ({"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}, (4, 3, "127.0.0.1", 13333), 1),
        ({"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "a", "MASTER_PORT": "77"}, (1, 0, "a", 77), 0),
        (
            {
                "RANK": "0",
                "WORLD_SIZE": "1",
                "MASTER_PORT": "77",
                "TORCHELASTIC_USE_AGENT_STORE": "True",
            },
            (1, 0, "127.0.0.1", 78),
            0,
        ),
        (
            {
                "OMPI_COMM_WORLD_RANK": "1",
                "OMPI_COMM_WORLD_SIZE": "2",
                "OMPI_COMM_WORLD_LOCAL_RANK": "1",
            },
            (2, 1, "127.0.0.1", 13333),
            1,
        ),
        ({"PMI_RANK": "5", "PMI_SIZE": "8", "MPI_LOCALRANKID": "2"}, (8, 5, "127.0.0.1", 13333), 2),
        ({"SLURM_PROCID": "5", "SLURM_NTASKS": "8", "SLURM_LOCALID": "2"}, (8, 5, "127.0.0.1", 13333), 2),
    ],
)
def test_variables_of_launchers(monkeypatch, variables, place, local):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert environment.find_place(None, rank=None, host=None, port=None) == place
    assert environment.local_rank() == local
    assert environment.find_place(9, 8, "h", 7) == (9, 8, "h", 7)


def test_variables_that_are_no_numbers(monkeypatch):
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(ValueError, match="RANK must be an integer, not 'first'"):
        init_process_group(2)


def test_a_missing_process_is_named():
    program = """
    distributed.init_process_group(3, rank, timeout=2)
    """
    port = free_port()
    first, last = finish([start(program, rank, 3, port) for rank in (0, 2)])
    # On a busy host, rank 2 may come too late as well.
    assert re.search("TimeoutError: .*these ranks of 3 did not arrive: 1", first[1]), first[1]
    # Rank 0 has the store, which is gone with it.
    messages = "these ranks of 3 did not arrive: 1|has the process of rank 0 ended|nothing answers at"
    assert re.search(messages, last[1]), last[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [("2 + rank, rank", "rank 1 has n_devices=3, but rank 0 has 2"), ("2, 0", "in use|has rank 0 too")],
)
def test_processes_that_disagree(arguments, message):
    program = f"""
    distributed.init_process_group({arguments}, timeout={PATIENCE})
    """
    port = free_port()
    processes = [start(program, rank, 2, port) for rank in range(2)]
    # One of them learns of it at once, and the other one waits for it in vain.
    assert until(lambda: any(process.poll() is not None for process in processes))
    for process in processes:
        process.kill()
    errors = "".join(error for _, error, _ in finish(processes))
    assert re.search(f"(ValueError|RuntimeError): .*({message})", errors), errors


def test_groups_follow_each_other():
    program = """
    for turn in range(3):
        with distributed.init_process_group(timeout=60) as comm:
            x = gpunp.full(5, rank + turn)
            comm.all_reduce(x, x, "max")
            assert x.tolist() == [1 + turn] * 5
    """
    run(program, 2)


PROGRAM = """
import gpunp, gpunp.distributed, sys
with gpunp.distributed.init_process_group(timeout=60) as comm:
    x = gpunp.full(2, comm.rank)
    comm.all_reduce(x, x)
    line = " ".join([str(x.tolist()), str(gpunp.distributed.local_rank()), *sys.argv[1:]])
    # One write, so that the lines of two processes do not mix.
    sys.stdout.write(line + chr(10))
"""


def launch(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-P", "-m", "gpunp.distributed", *arguments],
        env={**os.environ, "GPUNP_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        **options,
    )


def test_launcher(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = launch("-n", "2", "program.py", "--word", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[1, 1] 0 --word", "[1, 1] 1 --word"]
    done = launch("-n", "0", "program.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "--processes must be at least 1" in done.stderr


def test_launcher_ends_the_others(tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, sys, time\nif os.environ['RANK'] == '1':\n    sys.exit(5)\ntime.sleep(1000)\n"
    )
    done = launch("-n", "2", "program.py", cwd=tmp_path)
    assert done.returncode == 5
    assert "rank 1 ended with status 5" in done.stderr


def test_example_with_two_processes():
    examples = Path(__file__).parents[2] / "docs" / "examples"
    done = launch("-n", "2", "heat_equation.py", "--size", "100", "--repeats", "1", cwd=examples)
    assert done.returncode == 0, done.stderr
    assert "gpunp, 2 processes" in done.stdout
