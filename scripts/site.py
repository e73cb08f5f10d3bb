"""site.py FOLDER: the bodies of notebooks/*.ipynb as HTML, for scripts/site.mjs.

Writes a list of {name, title, body, image} to FOLDER/pages.json, the styles of code to FOLDER/code.css, and to
FOLDER/images the pictures of the outputs and beside each, as a script, the Plotly figure, and its numbers as CSV. A
formula becomes <span class="tex">, a displayed one <span class="tex display">.
"""

import base64
import csv
import io
import json
import re
import struct
import sys
from html import escape
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import ExtractOutputPreprocessor
from pygments.formatters import HtmlFormatter

PLOTLY = "application/vnd.plotly.v1+json"
NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


class Renderer(IPythonRenderer):
    def inline_math(self, body):
        return f'<span class="tex">{escape(body)}</span>'

    def block_math(self, body):
        return f'<span class="tex display">{escape(body)}</span>'

    def latex_environment(self, name, body):
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def markdown(source):
    return MarkdownWithMath(renderer=Renderer(escape=False)).render(source)


class Exporter(HTMLExporter):
    # The template without a page around it, and so without the addresses of MathJax and others.
    def _template_name_default(self):
        return "basic"

    def default_filters(self):
        yield from super().default_filters()
        yield ("markdown2html", markdown)


BYTES = {"f8": "d", "f4": "f", "i4": "i", "u4": "I", "i2": "h", "u2": "H", "i1": "b", "u1": "B"}
COLUMNS = ("x", "y", "z", "text", "base", "q1", "median", "q3", "lowerfence", "upperfence", "mean")


def numbers(value):
    """A list of a trace; Plotly's binary form is decoded."""
    if isinstance(value, dict) and "bdata" in value:
        data = base64.b64decode(value["bdata"])
        kind = BYTES[value["dtype"]]
        return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))
    return value if isinstance(value, list) else None


def rows(trace):
    """The points of a trace as records; a cell of a heat map is one row."""
    lists = {name: numbers(trace.get(name)) for name in COLUMNS}
    for axis in ("x", "y"):
        error = trace.get(f"error_{axis}", {})
        lists |= {f"error_{axis}": numbers(error.get("array")), f"error_{axis}_minus": numbers(error.get("arrayminus"))}
    if lists["z"] and isinstance(lists["z"][0], (list, dict)):
        for i, line in enumerate(map(numbers, lists["z"])):
            for j, z in enumerate(line):
                yield {"x": lists["x"][j] if lists["x"] else j, "y": lists["y"][i] if lists["y"] else i, "z": z}
        return
    columns = {name: values for name, values in lists.items() if values is not None}
    for i in range(max(map(len, columns.values()), default=0)):
        yield {name: values[i] if i < len(values) else None for name, values in columns.items()}


def table(figure):
    """The numbers of a figure as CSV: a line per point, with the name and the axes of its trace."""
    records = [
        {"trace": trace.get("name", k), "axes": f"{trace.get('xaxis', 'x')} {trace.get('yaxis', 'y')}"} | row
        for k, trace in enumerate(figure["data"])
        for row in rows(trace)
    ]
    names = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


class FigureFiles(ExtractOutputPreprocessor):
    """The pictures as files, and beside each its numbers and its figure: a page in a folder may load scripts, not JSON."""

    extract_output_types = {"image/png"}

    def preprocess_cell(self, cell, resources, index):
        cell, resources = super().preprocess_cell(cell, resources, index)
        for output in cell.get("outputs", []):
            image = output.get("metadata", {}).get("filenames", {}).get("image/png")
            if image and PLOTLY in output.data:
                figure = output.data[PLOTLY]
                script = f"showFigure({json.dumps(image)}, {json.dumps(figure)});\n"
                resources["outputs"][str(Path(image).with_suffix(".js"))] = script.encode()
                resources["outputs"][str(Path(image).with_suffix(".csv"))] = table(figure).encode()
        return cell, resources


def described(notebook):
    """A picture's alternative text is what its output says in words."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                output.metadata["image/png"] = {"alt": data.get("text/plain", "A figure")}
    return notebook


def page(path, exporter, folder):
    notebook = described(nbformat.read(path, as_version=4))
    resources = {"unique_key": path.stem, "output_files_dir": "images"}
    body, resources = exporter.from_notebook_node(notebook, resources)
    files = resources.get("outputs", {})
    for name, data in files.items():
        (folder / name).write_bytes(data)
    title = re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)[1]
    return {"name": path.stem, "title": title, "body": body, "image": next((name for name in files if name.endswith(".png")), None)}


def main():
    folder = Path(sys.argv[1])
    (folder / "images").mkdir(parents=True)
    exporter = Exporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.register_preprocessor(FigureFiles(), enabled=True)
    paths = [p for p in sorted(NOTEBOOKS.glob("*.ipynb")) if not p.name.startswith("e2e-")]
    (folder / "pages.json").write_text(json.dumps([page(path, exporter, folder) for path in paths]))
    (folder / "code.css").write_text(HtmlFormatter().get_style_defs(".highlight"))


if __name__ == "__main__":
    main()
