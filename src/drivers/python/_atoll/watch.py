"""Does something right after a module has been executed, without importing it.

A module may be looked for and not imported, fail and be tried again, be reloaded, or be executed by hand from its
spec: actions stay registered, and each execution that succeeds calls them.
"""
import sys

_actions = {}  # by name of the module
_seen = {}  # the same, and the module that the actions have been called with


def when_imported(name, action):
    """Calls action(module): now, if the module is there already, and each time it is executed from now on."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    _actions.setdefault(name, []).append(action)
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        _seen[name] = module
        action(module)


def catch_up():
    """For modules that came past the finder: another one stood before it, or their loader cannot be watched."""
    for name in list(_actions):
        module = sys.modules.get(name)
        if module is not None and _seen.get(name) is not module and not _is_being_imported(module):
            _act(name, module)


class _Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in _actions:
            return None
        spec = _find_behind(name, path, target)
        _watch_loader(getattr(spec, "loader", None))
        return spec


def _watch_loader(loader):
    """One loader may execute many modules, and each of them more than once."""
    exec_module = getattr(loader, "exec_module", None)
    if exec_module is None or isinstance(loader, type) or hasattr(exec_module, "_atoll_watch"):
        return

    def exec_and_act(module):
        exec_module(module)
        name = getattr(getattr(module, "__spec__", None), "name", None)
        if name in _actions:
            _act(name, module)

    exec_and_act._atoll_watch = True
    try:
        loader.exec_module = exec_and_act
    except AttributeError:
        pass


def _find_behind(name, path, target):
    for finder in sys.meta_path:
        if finder is not _Finder and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


def _is_being_imported(module):
    return getattr(getattr(module, "__spec__", None), "_initializing", False)


def _act(name, module):
    """A library that is not as expected loses its extras; the user's import works all the same."""
    _seen[name] = module
    for action in _actions[name]:  # an action may add another
        try:
            action(module)
        except Exception:
            pass
