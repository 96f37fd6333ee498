"""A null pointer read is status 128 + 11."""
import ctypes

print("about to crash", flush=True)
ctypes.string_at(0)
