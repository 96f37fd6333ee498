"""pandas and matplotlib in a context: tables as HTML, figures as pictures with their data."""

import base64
import math
import unittest

from support import both_ways

CHART = "application/vnd.atoll.chart+json"


class Tables:
    def test_frames_are_html(self):
        run = self.ok("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', None]})")
        self.assertIn("<table", run.result["text/html"])
        self.assertIn("a     b", run.plain)

    def test_series_are_html(self):
        run = self.ok("import pandas as pd\npd.Series([1, 2], name='s')")
        self.assertIn("<table", run.result["text/html"])
        self.assertIn("Name: s", run.plain)

    def test_long_frames_are_short(self):
        run = self.ok("import pandas as pd\npd.DataFrame({'a': range(100_000)})")
        self.assertLess(len(run.result["text/html"]), 20_000)

    def test_arrays_are_text(self):
        self.assertEqual(self.ok("import numpy as np\nnp.arange(3)").plain, "array([0, 1, 2])")
        self.assertEqual(self.ok("np.float64(1.5)").plain, "1.5")


class Figures:
    def shown(self, code):
        run = self.ok("import matplotlib.pyplot as plt\n" + code)
        self.assertEqual(len(run.displays), 1, run)
        return run.displays[0]

    def chart(self, code):
        bundle = self.shown(code)
        self.assertTrue(base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG\r\n"))
        return bundle[CHART]

    def test_a_figure_is_shown_without_a_call(self):
        bundle = self.shown("plt.plot([1, 2, 3])")
        self.assertIn("Figure", bundle["text/plain"])

    def test_the_next_run_starts_anew(self):
        self.shown("plt.plot([1, 2, 3])")
        self.assertEqual(self.ok("1").displays, [])
        self.assertEqual(self.ok("plt.get_fignums()").plain, "[]")

    def test_show_shows_at_once(self):
        run = self.ok("import matplotlib.pyplot as plt\nprint('a')\nplt.plot([1]); plt.show()\nprint('b')")
        self.assertEqual([word for word, _ in run.messages], ["stdout", "display", "stdout", "done"])
        run = self.ok("plt.plot([1]); plt.show(); plt.plot([2]); plt.show(block=False)")
        self.assertEqual(len(run.displays), 2)

    def test_a_figure_that_is_the_result_is_shown_once(self):
        run = self.ok("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nfig")
        self.assertEqual((run.displays, run.result[CHART]["type"]), ([], "line"))
        self.assertIn("image/png", run.result)
        self.assertIn("image/png", self.ok("ax.set_title('later')\nfig").result)

    def test_a_displayed_figure_is_shown_once(self):
        self.assertEqual(
            len(
                self.ok(
                    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\ndisplay(fig)"
                ).displays
            ),
            1,
        )
        self.assertEqual(
            len(self.ok("fig, ax = plt.subplots()\nax.plot([1])\ndisplay(fig)\nax.plot([2, 3])").displays), 2
        )

    def test_closed_and_empty_figures_are_not_shown(self):
        self.assertEqual(self.ok("import matplotlib.pyplot as plt\nplt.plot([1]); plt.close()").displays, [])
        self.assertEqual(self.ok("plt.figure();").displays, [])

    def test_figures_are_shown_after_an_error_too(self):
        run = self.run_code("import matplotlib.pyplot as plt\nplt.plot([1])\n1/0")
        self.assertEqual((run.error["ename"], len(run.displays), run.status), ("ZeroDivisionError", 1, 1))

    def test_a_figure_that_cannot_be_drawn(self):
        run = self.ok("import matplotlib.pyplot as plt\nplt.plot([1]); plt.title('$\\\\nosuch$');")
        self.assertEqual(run.displays, [])
        self.assertIn("ValueError", run.err)
        self.shown("plt.plot([1])")

    def test_the_users_choice_of_a_backend(self):
        driver = self.fresh()
        run = driver.run(
            "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as"
            " plt\nplt.plot([1])\nplt.show()"
        )
        self.assertEqual((len(run.displays), run.err), (1, ""))
        self.assertEqual(len(driver.run("plt.plot([1]); matplotlib.get_backend()").displays), 1)

    def shown_after(self, *codes):
        """The last of them draws; in an interpreter that has not imported matplotlib yet."""
        driver = self.fresh()
        for code in codes[:-1]:
            driver.run(code)
        run = driver.run(codes[-1])
        self.assertEqual((len(run.displays), run.err), (1, ""), run.messages)
        self.assertIn("image/png", run.displays[0])

    def test_looking_for_it_first(self):
        look = "import importlib.util\nimportlib.util.find_spec('matplotlib') is not None"
        draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
        self.shown_after(look, draw)
        self.shown_after(look, look, draw + "\nplt.show()")
        self.shown_after("import importlib.util\nimportlib.util.find_spec('matplotlib.pyplot');", draw)
        self.shown_after("import pkgutil\npkgutil.find_loader('matplotlib');", draw)

    def test_loaded_by_hand(self):
        load = (
            "import importlib.util, sys\nspec = importlib.util.find_spec('matplotlib')\n"
            "module = importlib.util.module_from_spec(spec)\nsys.modules['matplotlib'] = module\n"
            "spec.loader.exec_module(module);"
        )
        self.shown_after(load, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")

    def test_reloaded(self):
        load = "import importlib, matplotlib, matplotlib.pyplot as plt\n"
        self.shown_after(load + "importlib.reload(plt)\nplt.plot([1, 2])\nplt.show()")
        self.shown_after(load, "importlib.reload(matplotlib);", "plt.plot([1, 2]);")

    def test_imported_in_a_thread(self):
        code = (
            "import threading\ndef work():\n    import matplotlib.pyplot as plt\n    plt.plot([1, 2])\n"
            "thread = threading.Thread(target=work)\nthread.start()\nthread.join()"
        )
        self.shown_after(code)

    def test_a_submodule_first_and_another_name(self):
        self.shown_after("from matplotlib.axes._axes import Axes", "from matplotlib import pyplot as p\np.plot([1, 2]);")
        self.shown_after("m = __import__('matplotlib.pyplot')\nm.pyplot.plot([1, 2]);")
        self.shown_after("import importlib\np = importlib.import_module('matplotlib.pyplot')\np.plot([1, 2])\np.show()")

    def test_after_an_import_that_failed(self):
        fail = (
            "import sys\nsys.modules['numpy'] = None\ntry:\n    import matplotlib.pyplot\nexcept ImportError:\n"
            "    print('failed')\ndel sys.modules['numpy']\n"
            "for name in [n for n in sys.modules if n.startswith('matplotlib')]:\n    del sys.modules[name]"
        )
        self.shown_after(fail, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")

    def test_found_by_somebody_elses_finder(self):
        mine = (
            "import sys, importlib.machinery\nclass Mine:\n    @staticmethod\n"
            "    def find_spec(name, path=None, target=None):\n"
            "        return importlib.machinery.PathFinder.find_spec(name, path, target)\n"
            "sys.meta_path.insert(0, Mine)"
        )
        self.shown_after(mine, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);")

    def test_several_figures(self):
        run = self.ok(
            "import matplotlib.pyplot as plt\nfor i in range(3):\n    plt.figure()\n    plt.plot([i, i])\n   "
            " plt.title(str(i))"
        )
        self.assertEqual([each[CHART]["title"] for each in run.displays], ["0", "1", "2"])

    def test_line(self):
        chart = self.chart(
            "plt.plot([1, 2, 3], [4.0, float('nan'), 6], label='up')\nplt.plot([1, 2], [0, 0])\n"
            "plt.axhline(2)\nplt.title('T')\nplt.xlabel('time (s)')\nplt.ylabel('y')\nplt.yscale('log');"
        )
        self.assertEqual((chart["type"], chart["title"]), ("line", "T"))
        self.assertEqual(
            (chart["x_label"], chart["x_unit"], chart["y_label"], chart["y_unit"]),
            ("time (s)", "s", "y", None),
        )
        self.assertEqual((chart["x_scale"], chart["y_scale"]), ("linear", "log"))
        self.assertEqual(
            chart["elements"],
            [
                {"label": "up", "points": [[1, 4], [2, None], [3, 6]]},
                {"label": "", "points": [[1, 0], [2, 0]]},
            ],
        )
        self.assertEqual(len(chart["x_ticks"]), len(chart["x_tick_labels"]))
        self.assertIn("1.00", chart["x_tick_labels"])

    def test_scatter(self):
        chart = self.chart("plt.scatter([1, 2], [3, 4], label='dots')")
        self.assertEqual(
            (chart["type"], chart["elements"]), ("scatter", [{"label": "dots", "points": [[1, 3], [2, 4]]}])
        )
        self.assertEqual(self.chart("plt.plot([1, 2], [3, 4], 'o')")["type"], "scatter")

    def test_bars(self):
        chart = self.chart("plt.bar(['a', 'b'], [3, 5], label='g')")
        self.assertEqual((chart["type"], chart["x_scale"]), ("bar", "categorical"))
        self.assertEqual(
            chart["elements"],
            [{"label": "a", "group": "g", "value": 3}, {"label": "b", "group": "g", "value": 5}],
        )
        chart = self.chart("plt.barh(['a', 'b'], [3, 5])")
        self.assertEqual([(e["label"], e["value"]) for e in chart["elements"]], [("a", 3), ("b", 5)])
        chart = self.chart(
            "plt.bar([0 - .2, 1 - .2], [1, 2], .4, label='m')\nplt.bar([0 + .2, 1 + .2], [3, 4], .4,"
            " label='w')\nplt.xticks([0, 1], ['one', 'two']);"
        )
        self.assertEqual(
            [(e["group"], e["label"], e["value"]) for e in chart["elements"]],
            [("m", "one", 1), ("m", "two", 2), ("w", "one", 3), ("w", "two", 4)],
        )
        chart = self.chart("plt.hist([1, 1, 2, 3], bins=3);")
        self.assertEqual([e["value"] for e in chart["elements"]], [2, 1, 1])

    def test_pie(self):
        chart = self.chart("plt.pie([1, 3], labels=['a', 'b'], autopct='%d')\nplt.title('P');")
        self.assertEqual((chart["type"], chart["title"]), ("pie", "P"))
        self.assertEqual(
            [(e["label"], round(e["angle"]), e["radius"]) for e in chart["elements"]],
            [("a", 90, 1), ("b", 270, 1)],
        )

    def test_boxes(self):
        chart = self.chart("plt.boxplot([[1, 2, 3, 4, 20], [5, 6, 7]], labels=['a', 'b']);")
        self.assertEqual(chart["type"], "box_and_whisker")
        self.assertEqual(
            chart["elements"][0],
            {
                "label": "a",
                "min": 1,
                "first_quartile": 2,
                "median": 3,
                "third_quartile": 4,
                "max": 4,
                "outliers": [20],
            },
        )
        self.assertEqual(chart["elements"][1]["label"], "b")

    def test_supercharts(self):
        chart = self.chart(
            "fig, (a, b) = plt.subplots(1, 2)\na.plot([1, 2])\nb.bar(['x'], [1])\nfig.suptitle('both');"
        )
        self.assertEqual(
            (chart["type"], chart["title"], [e["type"] for e in chart["elements"]]),
            ("superchart", "both", ["line", "bar"]),
        )
        chart = self.chart("plt.plot([1, 2], [1, 2])\nplt.scatter([1], [2]);")
        self.assertEqual([e["type"] for e in chart["elements"]], ["line", "scatter"])

    def test_what_is_not_understood(self):
        chart = self.chart("plt.imshow([[1, 2], [3, 4]])\nplt.colorbar()\nplt.title('image');")
        self.assertEqual((chart["type"], chart["title"], chart["elements"]), ("unknown", "image", []))
        self.assertEqual(
            self.chart(
                "fig = plt.figure()\nax = fig.add_subplot(projection='polar')\nax.plot([0, 1], [1, 2])"
            )["type"],
            "line",
        )
        self.chart(
            "fig = plt.figure()\nax = fig.add_subplot(projection='3d')\nax.plot([0, 1], [1, 2], [3, 4])"
        )

    def test_dates(self):
        chart = self.chart(
            "from datetime import datetime\nplt.plot([datetime(2024, 1, 1), datetime(2024, 1, 2, 12)],"
            " [1, 2])"
        )
        self.assertEqual(chart["x_scale"], "datetime")
        self.assertEqual(
            chart["elements"][0]["points"], [["2024-01-01T00:00:00", 1], ["2024-01-02T12:00:00", 2]]
        )
        self.assertTrue(chart["x_ticks"][0].startswith("2024-01-01T"))

    def test_plots_of_pandas(self):
        chart = self.chart("import pandas as pd\npd.DataFrame({'u': [1, 2], 'v': [3, 4]}).plot();")
        self.assertEqual([e["label"] for e in chart["elements"]], ["u", "v"])
        chart = self.chart("pd.DataFrame({'u': [1, 2]}, index=['p', 'q']).plot.bar();")
        self.assertEqual([(e["label"], e["value"]) for e in chart["elements"]], [("p", 1), ("q", 2)])

    def test_many_points_are_thinned(self):
        chart = self.chart("plt.plot(range(200_000))")
        self.assertLessEqual(len(chart["elements"][0]["points"]), 20_000)
        self.assertEqual(chart["elements"][0]["points"][0], [0, 0])

    def test_log_and_infinite_values(self):
        chart = self.chart("plt.plot([1, 10], [1, float('inf')])\nplt.xscale('log')")
        self.assertEqual((chart["x_scale"], chart["elements"][0]["points"][1]), ("log", [10, None]))
        self.assertTrue(all(math.isfinite(tick) for tick in chart["x_ticks"]))


both_ways(globals(), (Tables, Figures))

if __name__ == "__main__":
    unittest.main()
