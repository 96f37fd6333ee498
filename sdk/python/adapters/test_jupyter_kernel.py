"""A notebook, executed by Jupyter's own client, whose code runs in a sandbox."""
import json
import socket
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import atoll


@pytest.fixture
def installed(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "atoll.adapters.jupyter_kernel", "install", "--prefix", str(tmp_path)], check=True)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share/jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    return json.loads((tmp_path / "share/jupyter/kernels/atoll/kernel.json").read_text())


def notebook(*cells):
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(code) for code in cells]
    return made


def test_a_notebook_runs_inside(installed):
    assert installed["language"] == "python"
    book = notebook("import socket; socket.gethostname()", "x = 20\nprint('printed')", "x + 22",
                    "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    NotebookClient(book, kernel_name="atoll", timeout=120).execute()
    outputs = [cell.outputs for cell in book.cells]
    assert outputs[0][0].data["text/plain"] != repr(socket.gethostname())
    assert outputs[1][0].text == "printed\n"
    assert outputs[2][0].data["text/plain"] == "42"
    assert any("image/png" in output.get("data", {}) for output in outputs[3])
    with atoll.Atoll() as client:
        assert not list(client.list(status=["ready", "running"]))


def test_an_error_is_one(installed):
    book = notebook("1 / 0")
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        NotebookClient(book, kernel_name="atoll", timeout=120).execute()
