"""threadpoolctl's control of the threads of the CPU device.

Imported after threadpoolctl, so that ``threadpool_limits`` and ``threadpool_info`` know them.
"""

import threadpoolctl

# Its import also makes its library one of those that threadpoolctl finds in the process.
from gpunp.cpu import gpunp_threads


class GpunpController(threadpoolctl.LibController):
    """The threads that share the loops of the CPU device."""

    user_api = "gpunp"
    internal_api = "gpunp"
    filename_prefixes = ("gpunp_threads",)

    def get_num_threads(self):
        """The number of threads."""
        return gpunp_threads.get()

    def set_num_threads(self, num_threads):
        """Set the number of threads, in all threads of the process."""
        gpunp_threads.set(num_threads)

    def get_version(self):
        """The version of gpunp."""
        from gpunp._version import __version__

        return __version__


threadpoolctl.register(GpunpController)
