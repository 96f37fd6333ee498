"""The asynchronous client. `_sync` is made from this folder by tools/sdk_unasync.py."""
