"""site.py: the notebooks as web pages with an index, in site/, for `npm run site`.

They open from the folder, without a server and without a network. The new pages take the place of the old when all of
them are made. Beside the picture of each Plotly figure lie the figure, as a script, and its numbers as CSV.
"""

import array
import base64
import csv
import io
import json
import re
import shutil
from html import escape
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import ExtractOutputPreprocessor
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).resolve().parent.parent
PLOTLY = "application/vnd.plotly.v1+json"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="katex.min.css">
<link rel="stylesheet" href="code.css">
<link rel="stylesheet" href="site.css">
<script src="katex.min.js" defer></script>
<script src="site-page.js" defer></script>
</head>
<body>
<nav><a href="index.html">all notebooks</a><label><input type="checkbox" id="code"> all code</label></nav>
<details class="contents" open><summary>on this page</summary><ul>{contents}</ul></details>
<main>
{body}
</main>
</body>
</html>
"""


class Renderer(IPythonRenderer):
    """Formulas as elements that site-page.js typesets."""

    def inline_math(self, body):
        return f'<span class="tex">{escape(body)}</span>'

    def block_math(self, body):
        return f'<span class="tex display">{escape(body)}</span>'

    def latex_environment(self, name, body):
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


class Exporter(HTMLExporter):
    # The template without a page around it, and so without the addresses of MathJax and others.
    def _template_name_default(self):
        return "basic"

    def default_filters(self):
        yield from super().default_filters()
        yield ("markdown2html", lambda source: MarkdownWithMath(renderer=Renderer(escape=False)).render(source))


BYTES = {"f8": "d", "f4": "f", "i4": "i", "u4": "I", "i2": "h", "u2": "H", "i1": "b", "u1": "B"}
COLUMNS = ("x", "y", "z", "text", "base", "q1", "median", "q3", "lowerfence", "upperfence", "mean")


def numbers(value):
    """A list of a trace; Plotly's binary form is decoded."""
    if isinstance(value, dict) and "bdata" in value:
        return array.array(BYTES[value["dtype"]], base64.b64decode(value["bdata"])).tolist()
    return value if isinstance(value, list) else None


def table(figure):
    """The numbers of a figure as CSV: a line per point, with the name and the axes of its trace."""
    records = []
    for k, trace in enumerate(figure["data"]):
        lists = {name: numbers(trace.get(name)) for name in COLUMNS}
        for name in ("error_x", "error_y"):
            error = trace.get(name, {})
            lists |= {name: numbers(error.get("array")), f"{name}_minus": numbers(error.get("arrayminus"))}
        columns = {name: values for name, values in lists.items() if values is not None}
        for i in range(max(map(len, columns.values()), default=0)):
            record = {"trace": trace.get("name", k), "axes": f"{trace.get('xaxis', 'x')} {trace.get('yaxis', 'y')}"}
            records.append(record | {name: values[i] for name, values in columns.items() if i < len(values)})
    text = io.StringIO()
    writer = csv.DictWriter(text, dict.fromkeys(name for record in records for name in record), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


class FigureFiles(ExtractOutputPreprocessor):
    """The pictures as files, described in words, and beside each its numbers and its figure: a script, for a page in a
    folder may not load JSON."""

    extract_output_types = {"image/png"}

    def preprocess_cell(self, cell, resources, index):
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.metadata["image/png"] = {"alt": output.data.get("text/plain", "A figure")}
        cell, resources = super().preprocess_cell(cell, resources, index)
        for output in cell.get("outputs", []):
            image = output.get("metadata", {}).get("filenames", {}).get("image/png")
            if image and PLOTLY in output.data:
                figure = output.data[PLOTLY]
                script = f"showFigure({json.dumps(image)}, {json.dumps(figure)});\n"
                for ending, text in ((".js", script), (".csv", table(figure))):
                    resources["outputs"][str(Path(image).with_suffix(ending))] = text.encode()
        return cell, resources


def export(path, exporter, folder):
    """A notebook as (title, body, its first picture); its files are written to the folder."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"unique_key": path.stem, "output_files_dir": "images"}
    body, resources = exporter.from_notebook_node(notebook, resources)
    files = resources.get("outputs", {})
    for name, data in files.items():
        (folder / name).write_bytes(data)
    title = re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)[1]
    return title, body, next((name for name in files if name.endswith(".png")), None)


def page(name, pages):
    """A page: code folded, the numbers behind each picture, links to the other pages, and a list of the headings."""
    title, body, _ = pages[name]
    code = r'<div class="highlight hl-typescript">.*?</pre></div>'
    body = re.sub(code, r"<details><summary>code</summary>\g<0></details>", body, flags=re.DOTALL)
    csv_link = r'\g<0>\n<p class="numbers"><a href="\1.csv" download>the numbers as CSV</a></p>'
    body = re.sub(r'<img [^>]*src="(images/[^"]+)\.png"[^>]*>', csv_link, body)
    if name == "index":
        cards = [
            f'<a class="card" href="{other}.html"><span>{escape(of)}</span><img src="{image}" alt="" loading="lazy"></a>'
            for other, (of, _, image) in pages.items()
            if image and other != name
        ]
        body += '<h2 id="pictures">Pictures<a class="anchor-link" href="#pictures">¶</a></h2>\n'
        body += f'<div class="gallery">\n{"".join(cards)}\n</div>'
    target = r'href="([\w-]+)\.ipynb(#[^"]*)?"'
    body = re.sub(target, lambda m: f'href="{m[1]}.html{m[2] or ""}"' if m[1] in pages else m[0], body)
    headings = re.findall(r'<h([23]) id="([^"]+)">(.*?)<a class="anchor-link"', body)
    items = (f'<li class="level{level}"><a href="#{place}">{text}</a></li>' for level, place, text in headings)
    return PAGE.format(title=escape(title), contents="\n".join(items), body=body)


def main():
    site, half, old = (ROOT / name for name in ("site", "site.part", "site.old"))
    shutil.rmtree(half, ignore_errors=True)
    (half / "images").mkdir(parents=True)
    exporter = Exporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.register_preprocessor(FigureFiles(), enabled=True)
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if not path.name.startswith("e2e-")]
    pages = {path.stem: export(path, exporter, half) for path in paths}
    for name in pages:
        (half / f"{name}.html").write_text(page(name, pages))
    (half / "code.css").write_text(HtmlFormatter().get_style_defs(".highlight"))
    # The fonts of formulas, and Plotly, which a page loads when a figure is asked for.
    katex = ROOT / "node_modules" / "katex" / "dist"
    shutil.copytree(katex / "fonts", half / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    scripts = [ROOT / "scripts" / "site.css", ROOT / "scripts" / "site-page.js"]
    for file in [katex / "katex.min.css", katex / "katex.min.js", *scripts]:
        shutil.copy(file, half)
    shutil.copy(ROOT / "node_modules" / "plotly.js" / "plotly.min.js", half / "plotly.js")
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        site.rename(old)
    half.rename(site)
    shutil.rmtree(old, ignore_errors=True)
    print(f"{len(pages)} notebooks as pages: open site/index.html")


if __name__ == "__main__":
    main()
