"""display(): shows values on the way."""
import builtins

from _atoll import watch


class Publisher:
    """Sends bundles; what display() and a figure's show() end in."""

    def __init__(self, wire):
        self._wire = wire

    def publish(self, data):
        from _atoll import bundle

        self._wire.send(b"display", bundle.encode(data))
        if self._wire.deferred:
            self._wire.deferred = False
            raise KeyboardInterrupt


class DisplayHandle:
    """What display(…, display_id=…) returns. An update is shown as one more display."""

    def __init__(self, display_id, display):
        self.display_id, self._display = display_id, display

    def display(self, value, **named):
        self._display(value, **named)

    def update(self, value, **named):
        self._display(value, **named)

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id


def make_display(publisher):
    def display(*values, include=None, exclude=None, raw=False, display_id=None, **_):
        """Shows values in every form that they have."""
        from _atoll import bundle

        for value in values:
            data = dict(value) if raw else bundle.of(value)
            if data is None:
                continue
            for mime in list(data) if include or exclude else ():
                if mime != "text/plain" and (include and mime not in include or mime in (exclude or ())):
                    del data[mime]
            publisher.publish(data)
        if display_id is None:
            return None
        return DisplayHandle("%x" % id(values) if display_id is True else display_id, display)

    display.__module__ = "builtins"
    return display


def install(publisher):
    """As a built-in, and for `from IPython.display import display` where IPython's shell is not in use."""
    display = builtins.display = make_display(publisher)

    def adapt(module):
        module.display = display
        module.publish_display_data = lambda data, *_, **__: publisher.publish(dict(data))

    watch.when_imported("IPython.core.display_functions", adapt)
