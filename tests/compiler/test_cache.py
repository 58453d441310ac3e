"""The disk cache: what is kept, what is trusted, several processes, and disks that do not take part."""

import errno
import os
import stat
import subprocess
import sys
import threading
import time

import pytest

import gpunp
from gpunp.__main__ import main
from gpunp.compiler import Compiled, cache, cache_files, compile_source

SOURCE = 'extern "C" __global__ void f(int* x) { x[0] = 1; }'
KEYS = [f"{number:040x}" for number in range(100)]


def keep(number, size=1000):
    """Store an image of some size under a key, and return the size of the entry."""
    cache_files.store(KEYS[number], Compiled(bytes([number]) * size, {"a": "b"}), "kernel", "sm_90")
    return os.stat(os.path.join(cache.folder(), KEYS[number])).st_size


def kept():
    """The numbers of the keys with an entry that can be used."""
    return [number for number, key in enumerate(KEYS) if cache.load(key) is not None]


def entry(cache_folder):
    (path,) = [each for each in cache_folder.iterdir() if not each.name.startswith(".")]
    return path


def test_second_time(nvrtc, cache_folder):
    arguments = {"options": ("-DN=1",), "name_expressions": ("&f",), "name": "first"}
    one, two = compile_source(SOURCE, 90, **arguments), compile_source(SOURCE, 90, **arguments)
    assert (one.from_cache, two.from_cache) == (False, True)
    assert two.image == one.image
    assert two.names == one.names == {"&f": "f"}
    assert "from the cache" in repr(two)
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(cache_folder).stat().st_mode) == 0o600


def test_warnings_are_kept(nvrtc, cache_folder):
    source = 'extern "C" __global__ void f() { int unused; }'
    one, two = compile_source(source, 90), compile_source(source, 90)
    assert two.from_cache
    assert '"unused" was declared but never referenced' in one.log
    assert two.log == one.log


def test_in_another_process(nvrtc):
    program = f"""
import sys, numpy, gpunp, gpunp.device
before = set(sys.modules)
from gpunp.compiler import compile_source
found = compile_source({SOURCE!r}, 90).from_cache
print(found, *sorted(set(sys.modules) - before))
"""
    first, second = (
        subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout.startswith("False")
    found, *modules = second.stdout.split()
    assert found == "True"
    # Each import takes as long as finding the code: nothing that compiles or stores is loaded.
    names = ("cache", "cache_folder", "keys", "module", "request", "toolkit")
    assert set(modules) - {"_blake2"} == {"gpunp.compiler", *(f"gpunp.compiler.{name}" for name in names)}


def test_off(nvrtc, monkeypatch, cache_folder):
    for value in ("0", "off"):
        monkeypatch.setenv("GPUNP_CACHE", value)
        assert not compile_source(SOURCE, 90).from_cache
    assert not cache_folder.exists()


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"GPUNP_CACHE_DIR": "/a/b"}, "/a/b"),
        ({"GPUNP_CACHE_DIR": "~/b", "HOME": "/h"}, "/h/b"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/gpunp"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/gpunp"),
        ({"HOME": "/h"}, "/h/.cache/gpunp"),
    ],
)
def test_folder(monkeypatch, environment, folder):
    for name in ("GPUNP_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache.folder() == folder


def flip_last(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def empty(path):
    path.write_bytes(b"")


def flip_magic(path):
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)


def lengthen(path):
    path.write_bytes(path.read_bytes() + b"\0")


def let_others_write(path):
    path.chmod(0o622)


def let_the_group_write(path):
    path.chmod(0o620)


def move_and_link(path):
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


def put_another(path):
    other = path.with_name(KEYS[7])
    keep(7)
    other.replace(path)


def put_a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        flip_last,
        cut,
        empty,
        flip_magic,
        lengthen,
        let_others_write,
        let_the_group_write,
        move_and_link,
        put_another,
    ],
)
def test_entries_that_cannot_be_trusted(nvrtc, cache_folder, damage):
    image = compile_source(SOURCE, 90).image
    damage(entry(cache_folder))
    again = compile_source(SOURCE, 90)
    assert not again.from_cache
    assert again.image == image
    # The good entry took the place of the bad one.
    assert compile_source(SOURCE, 90).from_cache


def test_entry_of_another_user(nvrtc, cache_folder, monkeypatch):
    compile_source(SOURCE, 90)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert not compile_source(SOURCE, 90).from_cache


def test_folder_in_place_of_an_entry(nvrtc, cache_folder):
    compile_source(SOURCE, 90)
    put_a_folder(entry(cache_folder))
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        assert not compile_source(SOURCE, 90).from_cache
    assert not list(cache_folder.glob(".*"))


def test_full_disk_warns_once(nvrtc, monkeypatch, cache_folder):
    def refuse(path, data):
        real(path, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    real = cache_files._write
    monkeypatch.setattr(cache_files, "_write", refuse)
    with pytest.warns(RuntimeWarning, match=r"cannot be kept in .* \(No space left .*GPUNP_CACHE_DIR"):
        compile_source(SOURCE, 90)
    # Warnings are errors here.
    assert not compile_source(SOURCE, 90).from_cache
    assert list(cache_folder.iterdir()) == []


def test_folder_that_cannot_be(nvrtc, monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE_DIR", "/dev/null/kernels")
    with pytest.warns(RuntimeWarning, match="cannot be kept in /dev/null/kernels"):
        assert compile_source(SOURCE, 90).image
    assert cache_files.entries() == []
    assert cache_files.clear() == 0


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "no"), OSError(errno.EROFS, "read-only")])
def test_disk_that_may_only_be_read(nvrtc, monkeypatch, error):
    image = compile_source(SOURCE, 90).image
    real = os.open

    def open_(path, flags, *rest):
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise error
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", open_)
    found = compile_source(SOURCE, 90)
    assert found.from_cache
    assert found.image == image


def test_least_recently_used_go_first(monkeypatch):
    size = keep(0)
    monkeypatch.setenv("GPUNP_CACHE_SIZE", str(10 * size))
    for number in range(1, 10):
        keep(number)
    folder = cache.folder()
    for number in range(10):
        past = time.time() - 1000 + number
        os.utime(os.path.join(folder, KEYS[number]), (past, past))
    # A use makes 0 the newest; 1 and 2 go, as a tenth of the limit is freed.
    assert cache.load(KEYS[0])
    keep(10)
    assert kept() == [0, 3, 4, 5, 6, 7, 8, 9, 10]


def test_entries_larger_than_the_limit_are_not_kept(monkeypatch):
    keep(0)
    monkeypatch.setenv("GPUNP_CACHE_SIZE", "5 kib")
    cache_files.store(KEYS[1], Compiled(bytes(6000), {}), "kernel", "sm_90")
    assert kept() == [0]


def test_limit_that_is_not_a_size(monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE_SIZE", "much")
    with pytest.raises(ValueError, match="GPUNP_CACHE_SIZE is 'much'"):
        keep(0)


def test_files_of_ended_processes_are_removed(cache_folder):
    cache_folder.mkdir()
    old, new = (cache_folder / f".{KEYS[0]}.{number}.0.tmp" for number in (1, 2))
    for path in (old, new):
        path.write_bytes(b"part")
    os.utime(old, (time.time() - 7200,) * 2)
    keep(1)
    assert not old.exists()
    assert new.exists()


def test_files_of_others_are_left_alone(cache_folder, monkeypatch):
    cache_folder.mkdir()
    note = cache_folder / "README"
    note.write_bytes(bytes(100_000))
    monkeypatch.setenv("GPUNP_CACHE_SIZE", "3000")
    for number in range(5):
        keep(number)
    cache_files.clear()
    assert [path.name for path in cache_folder.iterdir()] == ["README"]


def test_threads_and_processes_on_one_folder(nvrtc, cache_folder):
    program = f"""
import threading
from gpunp.compiler import compile_source
sources = [{SOURCE!r} + f" __device__ int v{{i}};" for i in range(3)]
def work(turn):
    for i in range(6):
        compiled = compile_source(sources[(turn + i) % 3], 90)
        assert compiled.image[:4] == b"\\x7fELF" and b"v%d" % ((turn + i) % 3) in compiled.image
threads = [threading.Thread(target=work, args=(turn,)) for turn in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    processes = [
        subprocess.Popen([sys.executable, "-P", "-c", program], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    errors = [process.communicate()[1] for process in processes]
    assert errors == [""] * 4
    assert len(list(cache_folder.iterdir())) == 3
    assert len(cache_files.entries()) == 3


def test_clear_while_others_use_it():
    stop = threading.Event()

    def clear():
        while not stop.is_set():
            cache_files.clear()

    thread = threading.Thread(target=clear)
    thread.start()
    try:
        for number in range(300):
            cache_files.store(KEYS[number % 50], Compiled(b"x" * 100, {}), "kernel", "sm_90")
            found = cache.load(KEYS[number % 50])
            assert found is None or found.image == b"x" * 100
    finally:
        stop.set()
        thread.join()


def test_command(nvrtc, host, capsys, cache_folder):
    for _ in range(3):
        compile_source(SOURCE, 90, name="filler")
    compile_source('extern "C" void f(const void*) {}', gpunp.Device("cpu"), name="/a/b/other")
    assert main(["cache"]) == 0
    text = capsys.readouterr().out
    lines = dict(line.split(None, 1) for line in text.splitlines() if line)
    assert lines["folder"] == str(cache_folder)
    assert lines["state"] == "on"
    assert lines["entries"] == "2"
    assert lines["bytes"].endswith("KiB of at most 1024.0 MiB")
    assert lines["uses"].startswith("2 ")
    assert lines["filler"].split()[0::3] == ["1", "2"]
    assert lines["other"].split()[0::3] == ["1", "0"]
    assert lines["CPU"].split()[0] == "1"
    assert lines["sm_90"].split()[:3] == ["by", "nvrtc", "1"]
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"removed 2 entries from {cache_folder}\n"
    assert main(["cache", "show"]) == 0
    assert "entries  0" in capsys.readouterr().out


def test_command_names_a_wrong_setting(capsys, monkeypatch):
    monkeypatch.setenv("GPUNP_CACHE_SIZE", "much")
    assert main(["cache"]) == 1
    assert capsys.readouterr().err == "GPUNP_CACHE_SIZE is 'much'; write bytes, or '4GiB'\n"
