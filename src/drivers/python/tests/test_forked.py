"""What a zygote forks: programs and contexts like those that are started."""

import unittest

import test_script
from support import PYTHON, environment
from zygote_host import Context, Execution, Zygote, ZygoteCase


class ForkedScriptPlain(test_script.ScriptPlain):
    """The corpus of programs, from a zygote."""

    words = ("--no-ipython",)

    @classmethod
    def setUpClass(cls):
        cls.zygote = Zygote(*cls.words)
        cls.link = cls.zygote.box()

    @classmethod
    def tearDownClass(cls):
        cls.link.close()
        cls.zygote.close()

    def outcome(self, command, stdin, env):
        if command[0] != "zygote":
            return super().outcome(command, stdin, env)
        env = {name: value for name, value in environment(**env).items() if value}
        status, out, err = Execution(self.link, command[1:], env, str(self.folder), stdin.encode()).outcome()
        return status, test_script.text_of(out), test_script.text_of(err)

    def ours(self, words):
        return ["zygote", PYTHON, *words]


class ForkedScriptWithIPython(ForkedScriptPlain):
    words = ()


class ForkedContextWithIPython(ZygoteCase):
    words = ("numpy", "pandas", "matplotlib.pyplot")

    def test_everything_is_there(self):
        self.assertEqual(self.zygote.ready["loaded"], ["IPython", "numpy", "pandas", "matplotlib.pyplot"])
        self.assertEqual(self.zygote.ready["threads"], 0)
        context = Context(self.link)
        self.assertEqual(context.run("!echo hi").out, "hi\n")
        self.assertIn("text/html", context.run("import pandas as pd\npd.DataFrame({'a': [1]})").result)
        run = context.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
        self.assertEqual(run.displays[0]["application/vnd.atoll.chart+json"]["type"], "line")
        run = context.run("plt.boxplot([1, 2, 3])\nplt.show()")
        self.assertEqual(run.displays[0]["application/vnd.atoll.chart+json"]["type"], "box_and_whisker")
        self.assertEqual(context.run("get_ipython().user_ns is globals()").plain, "True")
        self.assertEqual(context.close()[0], 0)

    def test_random_numbers_differ(self):
        code = "import numpy as np; print(np.random.rand(), np.random.default_rng().random())"
        outputs = [self.run_code(code)[1].split() for _ in range(4)]
        for column in zip(*outputs):
            self.assertEqual(len(set(column)), len(outputs))

    def test_a_script_sees_no_shell(self):
        status, out, err = self.run_code(
            "import IPython, builtins; print(IPython.get_ipython(), hasattr(builtins, 'get_ipython'))"
        )
        self.assertEqual((status, out, err), (0, "None False\n", ""))

    def test_a_script_that_plots(self):
        code = (
            "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig('plot.png'); plt.show();"
            " print(plt.get_fignums())"
        )
        self.assertEqual(self.run_code(code)[:2], (0, "[1]\n"))


if __name__ == "__main__":
    unittest.main()
