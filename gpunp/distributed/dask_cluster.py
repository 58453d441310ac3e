"""dask on the GPUs of one host: a process for each."""

import logging
import os
import tempfile

import dask
from dask.utils import parse_bytes
from distributed import LocalCluster
from distributed.worker_memory import parse_memory_limit

from gpunp.interop.dask_spilling import DeviceData
from gpunp.interop.dask_tasks import DeviceScheduler
from gpunp.interop.dask_transport import DeviceWorker

_logger = logging.getLogger("distributed.gpunp")

__all__ = ["LocalDeviceCluster", "local_cluster"]


def local_cluster(
    devices=None, *, threads_per_worker=1, device_memory_limit=0.8, memory_limit="auto", **options
):
    """Start a worker of dask for each GPU of this host.

    Parameters
    ----------
    devices : int or sequence, optional
        The GPUs: their number, or their indices or names such as ``"cuda:1"``. ``"cpu"`` in a sequence is a
        worker without a GPU. By default all GPUs that this process sees, or one worker without a GPU where
        there is none.
    threads_per_worker : int, optional
        One thread keeps a GPU busy; more need memory for more chunks.
    device_memory_limit : float, int, str or None, optional
        The most bytes of results that a worker has on its GPU: a fraction of the GPU's memory, bytes, or text
        such as ``"20 GiB"``. Beyond it, results that were not used for the longest time move to the host.
        None moves nothing.
    memory_limit : int, str, optional
        The host memory of a worker, as for `distributed.LocalCluster`; results move to disk before that.
    **options
        Of `distributed.LocalCluster`.

    Returns
    -------
    LocalDeviceCluster
        Close it, or use it in a ``with`` statement.

    Raises
    ------
    ValueError
        For a device that does not exist.

    Notes
    -----
    Each worker is a process, in which its GPU is ``cuda:0``. Files of dask are in a temporary folder unless
    ``local_directory`` is given.

    Examples
    --------
    >>> import distributed
    >>> from gpunp.distributed.dask_cluster import local_cluster
    >>> with local_cluster(["cpu"]) as cluster, distributed.Client(cluster) as client:  # doctest: +SKIP
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    return LocalDeviceCluster(
        devices,
        threads_per_worker=threads_per_worker,
        device_memory_limit=device_memory_limit,
        memory_limit=memory_limit,
        **options,
    )


def _count():
    from gpunp import cuda

    return cuda.device_count() if cuda.is_available() else 0


def _places(devices):
    """The index of each worker's GPU, None for a worker without one."""
    if devices is None:
        return list(range(_count())) or [None]
    if isinstance(devices, int):
        devices = range(devices)
    places = []
    for each in devices:
        name = f"cuda:{each}" if isinstance(each, int) else str(each)
        if name == "cpu":
            places.append(None)
            continue
        if not name.removeprefix("cuda:").isdigit() or int(name.removeprefix("cuda:")) >= _count():
            raise ValueError(
                f"local_cluster: there is no device {name!r}; this process sees {_count()} GPUs. Give "
                "indices below that, or 'cpu'"
            )
        places.append(int(name.removeprefix("cuda:")))
    if not places:
        raise ValueError("local_cluster: devices is empty; give at least one, for example ['cpu']")
    return places


def _environment(place, visible):
    """Variables of a worker's process: its GPU comes first, and the others stay reachable."""
    if place is None:
        return {"GPUNP_DEVICE": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    order = visible[place:] + visible[:place]
    return {"GPUNP_DEVICE": "cuda", "CUDA_VISIBLE_DEVICES": ",".join(order)}


def _visible():
    """The devices of this process as `CUDA_VISIBLE_DEVICES` names them."""
    named = [each.strip() for each in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if each.strip()]
    return named[: _count()] if named else [str(i) for i in range(_count())]


def _checked_limit(limit):
    """The limit of results on a GPU: None, bytes, or a fraction that the worker makes bytes of."""
    if limit is None:
        return None
    if not isinstance(limit, float):
        return parse_bytes(limit)
    if not 0 < limit <= 1:
        raise ValueError(
            f"local_cluster: device_memory_limit={limit} is not a fraction between 0 and 1; give "
            "bytes as an int"
        )
    return limit


class LocalDeviceCluster(LocalCluster):
    """A cluster of one worker for each device of this host; made by `local_cluster`."""

    def __init__(
        self,
        devices=None,
        *,
        threads_per_worker=1,
        device_memory_limit=0.8,
        memory_limit="auto",
        local_directory=None,
        dashboard_address=":0",
        **options,
    ):
        self._places = _places(devices)
        self._limit = _checked_limit(device_memory_limit)
        self._variables = [_environment(place, _visible()) for place in self._places]
        self._folder = None
        if local_directory is None:
            # Not the current folder, which dask would leave a folder in.
            self._folder = tempfile.TemporaryDirectory(prefix="gpunp-dask-", ignore_cleanup_errors=True)
            local_directory = self._folder.name
        memory_limit = parse_memory_limit(memory_limit, 1, len(self._places), logger=_logger)
        target = dask.config.get("distributed.worker.memory.target")
        self._host_target = int(memory_limit * target) if memory_limit and target else None
        super().__init__(
            n_workers=0,
            threads_per_worker=threads_per_worker,
            processes=True,
            memory_limit=memory_limit,
            local_directory=local_directory,
            dashboard_address=dashboard_address,
            **options,
        )
        self.scale(len(self._places))
        if not self.asynchronous:
            self.sync(self._correct_state)

    async def _start(self):
        # LocalCluster has no argument for the class of its scheduler, and starts within its constructor.
        self.scheduler_spec = {**self.scheduler_spec, "cls": DeviceScheduler}
        await super()._start()

    def new_worker_spec(self):
        """The name and options of the next worker: its device, and where its results are kept."""
        made = super().new_worker_spec()
        for name, spec in made.items():
            i = name % len(self._places) if isinstance(name, int) else 0
            options = {**spec["options"], "worker_class": DeviceWorker}
            options["env"] = {**(options.get("env") or {}), **self._variables[i]}
            if self._limit is not None and self._places[i] is not None:
                limits = {"device_memory_limit": self._limit, "host_target": self._host_target}
                options["data"] = DeviceData, limits
            made[name] = {**spec, "options": options}
        return made

    def close(self, timeout=None):
        """Stop the workers and the scheduler, and remove the temporary folder."""
        found = super().close(timeout)
        if self._folder is not None and not self.asynchronous:
            self._folder.cleanup()
        return found
