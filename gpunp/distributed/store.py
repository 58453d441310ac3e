"""A key-value store over TCP, by which the processes of a group find and wait for each other.

A request is a header (operation, timeout, lengths of key and value) and its bytes; a reply a status, a
length and the bytes. There is no encryption and no password: use it in networks whose hosts you trust.
"""

import contextlib
import errno
import socket
import struct
import threading
import time

_REQUEST = struct.Struct("!cdIQ")
_REPLY = struct.Struct("!cQ")
_SET, _GET, _ADD, _DELETE = b"s", b"g", b"a", b"d"
_FOUND, _LATE = b"f", b"l"
_LONGEST = 1 << 30


def receive_exactly(connection, count):
    """Read ``count`` bytes of a socket; raise ConnectionError if it is closed before."""
    data = bytearray(count)
    view = memoryview(data)
    while view:
        got = connection.recv_into(view)
        if got == 0:
            raise ConnectionError("the other end closed the connection")
        view = view[got:]
    return bytes(data)


class StoreServer:
    """The process's part of the store that holds the values; the process of rank 0 runs it.

    Parameters
    ----------
    host : str
        The address by which the processes reach this host. The server listens on all of its addresses, but
        only on 127.0.0.1 if that is it.
    port : int
        0 is any free port.

    Attributes
    ----------
    port : int
        The port it listens on.

    Raises
    ------
    RuntimeError
        If the port is in use.
    """

    def __init__(self, host, port):
        self._values = {}
        self._changed = threading.Condition()
        self._connections = set()
        self._refuses = False
        self._listener = _listen(host, port)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="gpunp store", daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                if self._refuses:
                    return
                # A client that left at once, or no file is free for the moment.
                time.sleep(0.02)
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.add(connection)
            threading.Thread(
                target=self._serve, args=(connection,), name="gpunp store client", daemon=True
            ).start()

    def _serve(self, connection):
        try:
            while True:
                request = receive_exactly(connection, _REQUEST.size)
                operation, timeout, key_length, value_length = _REQUEST.unpack(request)
                if key_length + value_length > _LONGEST:
                    return
                key = receive_exactly(connection, key_length)
                value = receive_exactly(connection, value_length)
                status, reply = self._answer(operation, key, value, timeout)
                connection.sendall(_REPLY.pack(status, len(reply)) + reply)
        except OSError:
            # The client left.
            pass
        finally:
            self._connections.discard(connection)
            connection.close()

    def _answer(self, operation, key, value, timeout):
        with self._changed:
            if operation == _GET:
                found = self._changed.wait_for(lambda: key in self._values, timeout)
                return (_FOUND, self._values[key]) if found else (_LATE, b"")
            if operation == _ADD:
                value = b"%d" % (int(self._values.get(key, b"0")) + int(value))
            if operation == _DELETE:
                self._values.pop(key, None)
            else:
                self._values[key] = value
            self._changed.notify_all()
            return _FOUND, value

    def wait_for(self, key, number, timeout):
        """Wait until a number of the store has been raised.

        Parameters
        ----------
        key : str
        number : int
        timeout : float
            Seconds, after which it returns all the same.
        """
        key = key.encode()
        with self._changed:
            self._changed.wait_for(lambda: int(self._values.get(key, b"0")) >= number, timeout)

    def refuse(self):
        """Stop listening; connections that exist go on."""
        self._refuses = True
        _end(self._listener)

    def close(self):
        """Stop listening, and end the connections."""
        self.refuse()
        for each in list(self._connections):
            _end(each)


def _end(connection):
    # A thread that waits in accept() or recv() is woken by shutdown only.
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _listen(host, port):
    # By its own name a host may find itself at an address that others do not reach.
    address = host if host == "localhost" or host.startswith("127.") else "::" if ":" in host else ""
    try:
        return _bound(address, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise RuntimeError(
                f"init_process_group: port {port} of {host} is in use: pass another (or set MASTER_PORT) "
                "in all processes, or stop() the group that uses it"
            ) from None
        raise


def _bound(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except BaseException:
        listener.close()
        raise
    return listener


class Store:
    """A connection to the store of a group.

    Parameters
    ----------
    host : str
    port : int
    timeout : float, default 300
        Seconds that calls wait, by default.

    Raises
    ------
    TimeoutError
        If no server answers in time.
    """

    def __init__(self, host, port, timeout=300.0):
        self.timeout = timeout
        self._lock = threading.Lock()
        self._rounds = {}
        self._connection = _connect(host, port, timeout)

    def _request(self, operation, key, value=b"", timeout=0.0):
        key = key.encode()
        try:
            with self._lock:
                # The server answers in time; a silent one is noticed a little later.
                self._connection.settimeout(timeout + 30)
                head = _REQUEST.pack(operation, timeout, len(key), len(value))
                self._connection.sendall(head + key + value)
                status, length = _REPLY.unpack(receive_exactly(self._connection, _REPLY.size))
                return status, receive_exactly(self._connection, length)
        except OSError as error:
            # A late reply must not answer the next request.
            self._connection.close()
            raise ConnectionError(
                f"the store of the process group does not answer ({error}): has the process of rank 0 ended?"
            ) from error

    def set(self, key, value):
        """Store a value.

        Parameters
        ----------
        key : str
        value : bytes
        """
        self._request(_SET, key, value)

    def get(self, key, timeout=None):
        """Return the value of a key, once a process has set it.

        Parameters
        ----------
        key : str
        timeout : float, optional
            Seconds.

        Returns
        -------
        bytes

        Raises
        ------
        TimeoutError
            If no process sets it in time.
        """
        timeout = self.timeout if timeout is None else timeout
        status, value = self._request(_GET, key, timeout=timeout)
        if status == _LATE:
            raise TimeoutError(f"no process set the key {key!r} of the store within {timeout:g} s")
        return value

    def add(self, key, number=1):
        """Add to a number that begins at 0, and return the sum.

        Parameters
        ----------
        key : str
        number : int, default 1

        Returns
        -------
        int
        """
        return int(self._request(_ADD, key, b"%d" % number)[1])

    def delete(self, key):
        """Remove a key, if it is there.

        Parameters
        ----------
        key : str
        """
        self._request(_DELETE, key)

    def meet(self, name, size, rank, timeout=None):
        """Wait until all processes of a group have called this with the same name.

        Parameters
        ----------
        name : str
        size, rank : int
            Of the group, and of this process.
        timeout : float, optional
            Seconds for all of them together.

        Raises
        ------
        TimeoutError
            With the ranks that are missing.
        """
        timeout = self.timeout if timeout is None else timeout
        turn = self._rounds[name] = self._rounds.get(name, 0) + 1
        self.set(f"{name}/{turn}/{rank}", b"")
        if self.add(f"{name}/{turn}/count") == size:
            self.set(f"{name}/{turn}/all", b"")
        try:
            self.get(f"{name}/{turn}/all", timeout)
        except TimeoutError:
            missing = [each for each in range(size) if not self._has(f"{name}/{turn}/{each}")]
            raise TimeoutError(
                f"{name}: within {timeout:g} s these ranks of {size} did not arrive: "
                f"{', '.join(map(str, missing))}; did their processes start, and with the same host and port?"
            ) from None
        # Everybody has left the round before the last one.
        if turn > 2:
            for key in (str(rank), *(("count", "all") if rank == 0 else ())):
                self.delete(f"{name}/{turn - 2}/{key}")

    def _has(self, key):
        return self._request(_GET, key)[0] == _FOUND

    def local_address(self):
        """The address of this host by which it reaches the store.

        Returns
        -------
        str
        """
        return self._connection.getsockname()[0]

    def close(self):
        """End the connection."""
        self._connection.close()


def _connect(host, port, timeout):
    """A connection to a server that may start later than this process."""
    end = time.monotonic() + timeout
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.1))
        except OSError as error:
            if time.monotonic() > end:
                raise TimeoutError(
                    f"init_process_group: nothing answers at {host}:{port} after {timeout:g} s ({error}): "
                    "does the process of rank 0 run there, and with this port?"
                ) from error
            time.sleep(0.02)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
