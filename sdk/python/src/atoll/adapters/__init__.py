"""Sandboxes for agent frameworks. Each module needs the package of its framework, which is not installed with this one."""
