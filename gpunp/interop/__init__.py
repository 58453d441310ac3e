"""Standards (the array API, DLPack) and adapters for other libraries."""
