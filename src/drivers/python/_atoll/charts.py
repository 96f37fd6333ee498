"""The data of a matplotlib figure: what is plotted, not how it looks.

One set of axes with one kind of data is a chart (line, scatter, bar, pie, box_and_whisker); several
make a superchart; what is none of these is unknown.
"""
MAX_POINTS = 20000
MAX_TICKS = 200
DATE_CONVERTERS = ("DateConverter", "ConciseDateConverter", "_SwitchableDateConverter", "DatetimeConverter")


def of(figure):
    charts = []
    for axes in figure.axes:
        if axes.get_visible() and axes.get_label() != "<colorbar>":
            charts += _charts_of(axes)
    heading = getattr(figure, "_suptitle", None)
    title = heading.get_text() if heading is not None else None
    if len(charts) == 1:
        charts[0]["title"] = charts[0]["title"] or title or None
        return charts[0]
    return {"type": "superchart" if charts else "unknown", "title": title or None, "elements": charts}


def _charts_of(axes):
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    if wedges:
        elements = [_wedge(wedge) for wedge in wedges]
        return [{"type": "pie", "title": axes.get_title() or None, "elements": elements}]
    x, y = Axis(axes, "x"), Axis(axes, "y")
    found = []
    boxes = [box for box in getattr(axes, "_atoll_boxes", ()) if box[3].axes is axes]
    if boxes:
        found.append(("box_and_whisker", [_box(box, x, y) for box in boxes]))
    bars = [c for c in axes.containers if type(c).__name__ == "BarContainer"]
    if bars:
        found.append(("bar", [bar for container in bars for bar in _bars(container, x, y)]))
    if not boxes:
        found += _point_charts(axes, x, y)
    return [_chart(axes, kind, elements, x, y) for kind, elements in found or [("unknown", [])]]


def _chart(axes, kind, elements, x, y):
    chart = {"type": kind, "title": axes.get_title() or None, "elements": elements}
    chart.update(x.description())
    chart.update(y.description())
    return chart


def _point_charts(axes, x, y):
    lines, scatters = [], []
    for line in axes.lines:
        # Lines across the axes (axhline) and the caps of error bars are no data.
        if line.get_transform() is axes.transData and line.get_label() != "_nolegend_":
            drawn = str(line.get_linestyle()).lower() not in ("none", "", " ")
            series = line.get_label(), line.get_xdata(False), line.get_ydata(False)
            (lines if drawn else scatters).append(series)
    for dots in axes.collections:
        if type(dots).__name__ == "PathCollection":
            offsets = dots.get_offsets()
            scatters.append((dots.get_label(), offsets[:, 0], offsets[:, 1]))
    charts = []
    for kind, series in (("line", lines), ("scatter", scatters)):
        if series:
            charts.append((kind, [_points(each, len(series), x, y) for each in series]))
    return charts


def _points(series, count, x, y):
    label, xs, ys = series
    step = max(1, -(-len(xs) * count // MAX_POINTS))  # evenly thinned when there are too many
    return {"label": _label(label),
            "points": [[x.value(a), y.value(b)] for a, b in zip(xs[::step], ys[::step])]}


def _wedge(wedge):
    return {"label": _label(wedge.get_label()), "angle": number(wedge.theta2 - wedge.theta1),
            "radius": number(wedge.r)}


def _bars(container, x, y):
    across = getattr(container, "orientation", None) == "horizontal"
    group = _label(container.get_label())
    for bar in container.patches[:MAX_POINTS]:
        if across:
            place, value, axis = bar.get_y() + bar.get_height() / 2, bar.get_width(), y
        else:
            place, value, axis = bar.get_x() + bar.get_width() / 2, bar.get_height(), x
        yield {"label": axis.name_of(place), "group": group, "value": number(value)}


def _box(box, x, y):
    stats, place, horizontal, _ = box
    label = stats.get("label")
    return {"label": (y if horizontal else x).name_of(place) if label is None or label == "" else str(label),
            "min": number(stats.get("whislo")), "first_quartile": number(stats.get("q1")),
            "median": number(stats.get("med")), "third_quartile": number(stats.get("q3")),
            "max": number(stats.get("whishi")),
            "outliers": [number(value) for value in list(stats.get("fliers", ()))[:MAX_POINTS]]}


def _label(text):
    text = str(text)
    return "" if text.startswith("_") else text  # matplotlib's own names for what has none


def _is_name(text):
    """Of a tick: words, and not the number that it stands for."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return bool(text) and not text.startswith("$") and number(text) is None


def number(value):
    """A float, or None for what JSON has no number for (NaN, infinity, masked)."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        return None
    return value if value - value == 0 else None


class Axis:
    def __init__(self, axes, letter):
        self._letter = letter
        axis = getattr(axes, letter + "axis")
        self._label = axis.get_label().get_text()
        self._scale = axis.get_scale()
        converter = type(getattr(axis, "_converter", None) or getattr(axis, "converter", None)).__name__
        self._categories = {}
        if converter == "StrCategoryConverter":
            self._scale = "categorical"
            mapping = getattr(axis.units, "_mapping", {})
            self._categories = {place: str(name) for name, place in mapping.items()}
        elif converter in DATE_CONVERTERS:
            self._scale = "datetime"
        low, high = sorted(axis.get_view_interval())
        slack = (high - low) * 1e-6
        ticks = list(zip(axis.get_majorticklocs(), [tick.get_text() for tick in axis.get_ticklabels()]))
        seen = [tick for tick in ticks if low - slack <= tick[0] <= high + slack]
        self._ticks = seen[:MAX_TICKS]
        self._named = self._scale == "categorical" or any(_is_name(text) for _, text in self._ticks)

    def description(self):
        label, unit = self._label, None
        if label.endswith(")") and "(" in label:
            unit = label[label.rindex("(") + 1:-1].strip() or None
        letter = self._letter
        return {letter + "_label": label or None, letter + "_unit": unit,
                letter + "_ticks": [self.value(place) if self._scale == "datetime" else number(place)
                                    for place, _ in self._ticks],
                letter + "_tick_labels": [text for _, text in self._ticks], letter + "_scale": self._scale}

    def value(self, place):
        """As the user gave it: a category, a moment, a number."""
        if self._scale == "categorical":
            return self._categories.get(number(place), number(place))
        if self._scale == "datetime" and number(place) is not None:
            from matplotlib.dates import num2date

            return num2date(place).replace(tzinfo=None).isoformat()
        return number(place)

    def name_of(self, place):
        """Of a bar or box: the tick that stands nearest, where ticks are names."""
        place = number(place)
        if place is None:
            return ""
        if self._named and self._ticks:
            places = sorted(tick for tick, _ in self._ticks)
            gap = min((b - a for a, b in zip(places, places[1:])), default=1.0)
            nearest, text = min(self._ticks, key=lambda tick: abs(tick[0] - place))
            if text and abs(nearest - place) <= gap / 2:
                return text
        value = self.value(place)
        return value if isinstance(value, str) else "%g" % value
