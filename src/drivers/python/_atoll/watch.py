"""Does something right after a module has been imported, without importing it."""
import sys

_actions = {}


def when_imported(name, action):
    """Calls action(module): now, if the module is there already."""
    if name in sys.modules:
        action(sys.modules[name])
        return
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    _actions.setdefault(name, []).append(action)


class _Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        actions = _actions.pop(name, None)
        if actions is None:
            return None
        spec = _find_behind(name, path, target)
        loader = getattr(spec, "loader", None)
        if not hasattr(loader, "exec_module"):
            return spec
        exec_module = loader.exec_module

        def exec_and_act(module):
            del loader.exec_module
            exec_module(module)
            for action in actions:
                _attempt(action, module)

        try:
            loader.exec_module = exec_and_act
        except AttributeError:
            pass
        return spec


def _find_behind(name, path, target):
    for finder in sys.meta_path:
        if finder is not _Finder and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


def _attempt(action, module):
    """A library that is not as expected loses its extras; the user's import works all the same."""
    try:
        action(module)
    except Exception:
        pass
