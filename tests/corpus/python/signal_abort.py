"""abort() is status 128 + 6."""
import os

print("about to abort", flush=True)
os.abort()
