"""site.py FOLDER: the bodies of notebooks/*.ipynb as HTML, for scripts/site.mjs.

Writes a list of {name, title, body, image} to FOLDER/pages.json, the styles of code to FOLDER/code.css, and to
FOLDER/images the pictures of the outputs and beside each, as a script, the Plotly figure. A formula becomes
<span class="tex">, a displayed one <span class="tex display">.
"""

import json
import re
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


class FigureFiles(ExtractOutputPreprocessor):
    """The pictures as files, and beside each its figure: a page opened from a folder may load scripts, not JSON."""

    extract_output_types = {"image/png"}

    def preprocess_cell(self, cell, resources, index):
        cell, resources = super().preprocess_cell(cell, resources, index)
        for output in cell.get("outputs", []):
            image = output.get("metadata", {}).get("filenames", {}).get("image/png")
            if image and PLOTLY in output.data:
                script = f"showFigure({json.dumps(image)}, {json.dumps(output.data[PLOTLY])});\n"
                resources["outputs"][str(Path(image).with_suffix(".js"))] = script.encode()
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
    return {"name": path.stem, "title": title, "body": body, "image": next(iter(files), None)}


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
