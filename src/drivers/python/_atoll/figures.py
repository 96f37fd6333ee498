"""matplotlib in a context: figures are shown at the end of a run or by show(), with their data."""
import os
import sys

from _atoll import errors, watch

CHART = "application/vnd.atoll.chart+json"


class Figures:
    def __init__(self, publisher):
        self._publisher = publisher
        watch.when_imported("matplotlib", _draw_without_a_screen)
        watch.when_imported("matplotlib.pyplot", self._take_show)
        watch.when_imported("matplotlib.axes._axes", _note_box_plots)

    def _take_show(self, pyplot):
        def show(*_, **__):
            """Shows all open figures and closes them."""
            self.show_open()

        pyplot.show = show

    def show_open(self):
        helpers = sys.modules.get("matplotlib._pylab_helpers")
        managers = helpers.Gcf.get_all_fig_managers() if helpers else ()
        for manager in managers:
            figure = manager.canvas.figure
            try:
                if figure.axes and not already_shown(figure):
                    self._publisher.publish(bundle_of(figure))
            except Exception as problem:
                errors.print_traceback(problem)
            finally:
                helpers.Gcf.destroy(manager)


def _draw_without_a_screen(matplotlib):
    if not os.environ.get("MPLBACKEND"):
        matplotlib.rcParams["backend"] = "agg"


def bundle_of(figure):
    forms = {"text/plain": repr(figure), "image/png": _png_of(figure), CHART: _chart_of(figure)}
    figure._atoll_shown, figure.stale = True, False
    return forms


def already_shown(figure):
    """By display() or as the result, and not drawn on since."""
    return getattr(figure, "_atoll_shown", False) and not figure.stale


def _png_of(figure):
    import io

    if figure.canvas is None or type(figure.canvas).__name__ == "FigureCanvasBase":
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure)
    picture = io.BytesIO()
    figure.canvas.print_figure(picture, format="png", dpi=figure.dpi, bbox_inches="tight",
                               facecolor=figure.get_facecolor(), edgecolor=figure.get_edgecolor())
    return picture.getvalue()


def _chart_of(figure):
    try:
        from _atoll import charts

        return charts.of(figure)
    except Exception:  # the picture is there; a library's own kind of axes need not be understood
        return {"type": "unknown", "title": None, "elements": []}


def _note_box_plots(module):
    """Keeps the numbers of a box plot, which the lines that it is drawn with do not show."""
    draw = module.Axes.bxp
    if hasattr(draw, "_atoll_draw"):
        return

    def bxp(self, bxpstats, positions=None, *args, **named):
        bxpstats = list(bxpstats)
        artists = draw(self, bxpstats, positions, *args, **named)
        places = range(1, len(bxpstats) + 1) if positions is None else positions
        horizontal = named.get("vert") is False or named.get("orientation") == "horizontal"
        self.__dict__.setdefault("_atoll_boxes", []).extend(
            (stats, place, horizontal, median)
            for stats, place, median in zip(bxpstats, places, artists.get("medians", ())))
        return artists

    bxp._atoll_draw = draw
    bxp.__doc__, bxp.__name__ = draw.__doc__, "bxp"
    module.Axes.bxp = bxp
