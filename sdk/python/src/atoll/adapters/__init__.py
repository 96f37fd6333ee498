"""Sandboxes for agent frameworks. Each module needs its framework's package, which is not installed with this one."""
