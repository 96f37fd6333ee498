"""A table goes in; figures and a chart come out, as a picture and as data."""

import pathlib
import tempfile

from atoll import Sandbox

with Sandbox.create(timeout=600) as box:
    box.files.write("sales.csv", "month,sales\nJan,100\nFeb,200\nMar,300\n")

    with box.open_context("python") as python:
        python.run("import pandas; table = pandas.read_csv('sales.csv')", check=True)
        total = python.run("int(table.sales.sum())", check=True)
        print(f"total {total.text}")

        drawn = python.run(
            """
import matplotlib.pyplot as plt
plt.bar(table.month, table.sales)
plt.title("Sales")
plt.show()
""",
            check=True,
        )

    picture = pathlib.Path(tempfile.gettempdir(), "atoll-sales.png")
    picture.write_bytes(drawn.png or b"")
    state = "saved" if drawn.png else "missing"
    title = drawn.chart["title"] if drawn.chart else None
    print(f'picture {state}, chart "{title}"')
