"""Whole programs, unmodified: ``python -m gpunp run program.py``.

The modules of a program see a NumPy whose functions that create arrays place large ones on the device. Other
modules see NumPy itself, and get read-only host copies of device arrays. `gpunp.running.session` combines the
parts; ``docs/run-your-program.md`` says what a program may expect.
"""
