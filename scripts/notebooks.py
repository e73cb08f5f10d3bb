"""notebooks.py [--write] [--part I/N] [NAME ...]: runs notebooks/*.ipynb headless in the project's kernel.

Without --write it compares the text of every output with the committed one and changes no file; a
cell whose output differs from run to run carries the tag "varies". With --write it stores the new
outputs so that a diff shows only changes, the pictures in figures/ and the run times, which
index.ipynb, the last to run, shows.
Prints `ok name` or `FAIL name: why` per notebook.
"""

import argparse
import base64
import copy
import difflib
import io
import json
import math
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
SECONDS = ROOT / "data" / "notebook-seconds.json"
INDEX = NOTEBOOKS / "index.ipynb"
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
KERNEL = {"display_name": "TypeScript", "language": "typescript", "name": "tslab"}
PLOTLY = "application/vnd.plotly.v1+json"


class Failed(Exception):
    pass


def execute(notebook, attempts=2):
    """Runs all cells; the notebook then holds the new outputs.

    A kernel that dies is started once more, and said so: on some virtual machines a signal that arrives inside
    TensorFlow's vector code corrupts memory.
    """
    options = {"timeout": 900, "iopub_timeout": 60, "record_timing": False, "coalesce_streams": True}
    resources = {"metadata": {"path": str(NOTEBOOKS)}}
    try:
        NotebookClient(notebook, kernel_name="tslab", resources=resources, **options).execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        if attempts <= 1 or not isinstance(error, DeadKernelError):
            raise Failed(f"{type(error).__name__}: {error}") from None
        print("the kernel died; once more from the start", flush=True)
        return execute(notebook, attempts - 1)
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error" or output.get("name") == "stderr":
                raise Failed(f"cell {number} writes an error:\n{output.get('text', output.get('evalue'))}")


def tidy(notebook):
    """Nothing in the file that differs between two equal runs.

    The language is stored as the kernel gives it: JupyterLab would write it, and then ask to save the notebook.
    """
    language = notebook.metadata.get("language_info", {})
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": language})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in ("tags", "jupyter")})
        if cell.cell_type == "code":
            cell.execution_count = None
            # An output that a live display left empty shows nothing.
            cell.outputs = [o for o in cell.outputs if o.get("data") != {"text/plain": ""}]


def texts(cell):
    """The text of the outputs of a cell, without pictures and the numbers inside figures."""
    lines = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        lines += [output.get("text", ""), "[" + " ".join(sorted(data)) + "]"]
        lines += [data.get(kind, "") for kind in ("text/plain", "text/html", "text/markdown")]
    return [line.rstrip() for line in "\n".join(lines).splitlines()]


def same_line(a, b):
    """Equal but for the last digits of numbers, which differ between processors."""
    parts, others = NUMBER.split(a), NUMBER.split(b)
    return len(parts) == len(others) and all(
        math.isclose(float(x), float(y), rel_tol=1e-6, abs_tol=1e-12) if i % 2 else x == y
        for i, (x, y) in enumerate(zip(parts, others))
    )


def compare(committed, fresh):
    if committed.metadata != fresh.metadata:
        raise Failed(f"the metadata is {committed.metadata}; the kernel gives {fresh.metadata}")
    for number, (old, new) in enumerate(zip(committed.cells, fresh.cells)):
        before, now = texts(old), texts(new)
        same = len(before) == len(now) and all(map(same_line, before, now))
        if same or "varies" in old.metadata.get("tags", []):
            continue
        diff = list(difflib.unified_diff(before, now, "committed", "this run", lineterm="", n=1))[:20]
        raise Failed(f"cell {number} says something else (npm run notebooks writes it):\n" + "\n".join(diff))


def small(png):
    """A picture with a palette of 256 colours: a third of the bytes, and looks the same."""
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def store(notebook, path, began):
    """Writes the notebook, each figure on one line, with small pictures; also those of figures/ that it has made."""
    figures = []
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        data = output.get("data", {})
        if PLOTLY in data:
            figures.append(json.dumps(data[PLOTLY], ensure_ascii=False, separators=(",", ":")))
            data[PLOTLY] = f"@figure {len(figures) - 1}@"
        if "image/png" in data:
            data["image/png"] = base64.b64encode(small(base64.b64decode(data["image/png"]))).decode()
    half = path.with_suffix(".part")
    half.write_text(re.sub(r'"@figure (\d+)@"', lambda found: figures[int(found[1])], nbformat.writes(notebook)) + "\n")
    half.replace(path)
    for picture in (ROOT / "figures").glob("*.png"):
        if picture.stat().st_mtime >= began:
            picture.write_bytes(small(picture.read_bytes()))


def process(path, write):
    committed = nbformat.read(path, as_version=4)
    fresh = copy.deepcopy(committed)
    began, clock = time.time(), time.monotonic()
    execute(fresh)
    seconds = round(time.monotonic() - clock)
    tidy(fresh)
    text = nbformat.writes(fresh)
    for folder in {str(ROOT), str(Path.home())} - {"/"}:
        if folder + "/" in text:
            raise Failed(f"an output holds the path {folder}")
    if write:
        store(fresh, path, began)
        times = json.loads(SECONDS.read_text()) | {path.stem: seconds}
        SECONDS.write_text(json.dumps(dict(sorted(times.items())), indent=2) + "\n")
    else:
        tidy(committed)
        compare(committed, fresh)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--part", default="1/1", help="I/N: every N-th notebook from the I-th on")
    parser.add_argument("names", nargs="*", help="part of a file name; default: all")
    options = parser.parse_args()
    # The index is the first to read and the last to run, for it shows the run times of the others.
    paths = [p for p in sorted(NOTEBOOKS.glob("*.ipynb")) if not p.name.startswith("e2e-") and p != INDEX] + [INDEX]
    for name in options.names:
        if not any(name in p.name for p in paths):
            parser.error(f"name is {name!r}; allowed: part of a file name in notebooks/, such as {paths[0].stem}")
    if options.names:
        paths = [p for p in paths if any(name in p.name for name in options.names) or options.write and p == INDEX]
    index, count = map(int, options.part.split("/"))
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"LYREO_STATIC": "1"} | ({} if options.write else {"LYREO_FIGURES": scratch})
        for path in paths[index - 1 :: count]:
            try:
                process(path, options.write)
                print(f"ok {path.name}", flush=True)
            except Failed as reason:
                failed += 1
                print(f"FAIL {path.name}: {reason}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
