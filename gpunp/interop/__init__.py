"""Standards and other libraries: the array API, DLPack."""
