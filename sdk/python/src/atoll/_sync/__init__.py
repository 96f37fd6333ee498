# Made by tools/sdk_unasync.py from _async/__init__.py; changes belong there.
"""The synchronous client, made from `_async` by tools/sdk_unasync.py."""
