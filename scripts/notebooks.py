"""notebooks.py [--write] [--part I/N] [NAME ...]: runs notebooks/*.ipynb headless in the project's kernel.

Without --write it compares the text of every output with the committed one and changes no file; a
cell whose output differs from run to run carries the tag "varies". With --write it stores the new
outputs so that a diff shows only what changed, the pictures in figures/, the links from notebook to
notebook and the run times, which index.ipynb, the last to run, shows.
Prints `ok name` or `FAIL name: why` per notebook.
"""

import argparse
import copy
import difflib
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

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CELL_SECONDS = 900
SECONDS = ROOT / "data" / "notebook-seconds.json"
INDEX = "index.ipynb"
LINKS = re.compile(r"(\[[^]]*\]\([^)]*\)( · )?)+")
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
KERNEL = {"display_name": "TypeScript", "language": "typescript", "name": "tslab"}


class Failed(Exception):
    pass


def execute(notebook, attempts=2):
    """Runs all cells; the notebook then holds the new outputs.

    A kernel that dies is started once more, and said so: on some virtual machines a signal that arrives inside
    TensorFlow's vector code corrupts memory.
    """
    client = NotebookClient(
        notebook,
        kernel_name="tslab",
        timeout=CELL_SECONDS,
        iopub_timeout=60,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise Failed(str(error)) from None
    except DeadKernelError as error:
        if attempts <= 1:
            raise Failed(f"{type(error).__name__}: {error}") from None
        print("the kernel died; once more from the start", flush=True)
        return execute(notebook, attempts - 1)
    except CellTimeoutError as error:
        raise Failed(f"{type(error).__name__}: {error}") from None
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
        kept = ("tags", "jupyter")
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in kept if key in cell.metadata})
        if cell.cell_type == "code":
            cell.execution_count = None
            # An output that a live display left empty shows nothing.
            cell.outputs = [o for o in cell.outputs if o.get("data") != {"text/plain": ""}]


def texts(cell):
    """What the outputs of a cell say, without pictures and the numbers inside figures."""
    lines = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            lines += output.text.splitlines()
        else:
            data = output.get("data", {})
            lines.append("[" + " ".join(sorted(data)) + "]")
            for kind in ("text/plain", "text/html", "text/markdown"):
                lines += data.get(kind, "").splitlines()
    return [line.rstrip() for line in lines]


def same_line(a, b):
    """Equal but for the last digits of numbers, which differ between processors."""
    parts, others = NUMBER.split(a), NUMBER.split(b)
    return len(parts) == len(others) and all(
        math.isclose(float(x), float(y), rel_tol=1e-6, abs_tol=1e-12) if i % 2 else x == y
        for i, (x, y) in enumerate(zip(parts, others))
    )


def compare(committed, fresh):
    for number, (old, new) in enumerate(zip(committed.cells, fresh.cells)):
        if "varies" in old.metadata.get("tags", []):
            continue
        before, now = texts(old), texts(new)
        if len(before) == len(now) and all(map(same_line, before, now)):
            continue
        diff = list(difflib.unified_diff(before, now, "committed", "this run", lineterm="", n=1))[:20]
        raise Failed(f"cell {number} says something else (npm run notebooks writes it):\n" + "\n".join(diff))


def check_no_paths(notebook):
    text = nbformat.writes(notebook)
    for path in {str(ROOT), str(Path.home())} - {"/"}:
        if path + "/" in text:
            raise Failed(f"an output holds the path {path}")


def links(path, paths):
    """The line of links to the notebooks before and after, and to the index."""
    at = paths.index(path)
    name = lambda p: re.sub(r"^(\d+) (fig|table)\d+", r"\1", p.stem.replace("-", " ")).replace("  ", " ")
    parts = []
    if at > 0:
        parts.append(f"[← {name(paths[at - 1])}]({paths[at - 1].name})")
    if path.name != INDEX:
        parts.append(f"[contents]({INDEX})")
    if at + 1 < len(paths):
        parts.append(f"[{name(paths[at + 1])} →]({paths[at + 1].name})")
    return " · ".join(parts)


def write_links(notebook, line):
    """Below the title and as the last cell."""
    first = notebook.cells[0]
    title, *rest = [part for part in first.source.split("\n\n") if not LINKS.fullmatch(part)]
    first.source = "\n\n".join([title, line, *rest])
    if notebook.cells[-1].id != "onward":
        notebook.cells.append(nbformat.v4.new_markdown_cell("", id="onward"))
    notebook.cells[-1].source = line


def process(path, write):
    committed = nbformat.read(path, as_version=4)
    fresh = copy.deepcopy(committed)
    began = time.monotonic()
    execute(fresh)
    seconds = round(time.monotonic() - began)
    tidy(fresh)
    check_no_paths(fresh)
    if write:
        store(fresh, path)
        times = json.loads(SECONDS.read_text()) | {path.stem: seconds}
        SECONDS.write_text(json.dumps(dict(sorted(times.items())), indent=2) + "\n")
    else:
        if committed.metadata != fresh.metadata:
            raise Failed(f"the metadata is {committed.metadata}; the kernel gives {fresh.metadata}")
        tidy(committed)
        compare(committed, fresh)


def store(notebook, path):
    half = path.with_suffix(".part")
    nbformat.write(notebook, half)
    half.replace(path)


def part_of(text):
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: I/N with 1 <= I <= N")
    return int(match[1]), int(match[2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--part", type=part_of, default=(1, 1), help="I/N: every N-th notebook from the I-th on")
    parser.add_argument("names", nargs="*", help="part of a file name; default: all")
    options = parser.parse_args()
    # The index is the first to read and the last to run, for it shows the run times of the others.
    paths = [p for p in sorted(NOTEBOOKS.glob("*.ipynb")) if not p.name.startswith(("e2e-", INDEX))]
    paths.append(NOTEBOOKS / INDEX)
    if options.write:
        for path in paths:
            notebook = nbformat.read(path, as_version=4)
            write_links(notebook, links(path, [paths[-1], *paths[:-1]]))
            store(notebook, path)
    for name in options.names:
        if not any(name in p.name for p in paths):
            parser.error(f"name is {name!r}; allowed: part of a file name in notebooks/, such as {paths[0].stem}")
    if options.names:
        paths = [p for p in paths if any(name in p.name for name in options.names) or options.write and p.name == INDEX]
    index, count = options.part
    paths = paths[index - 1 :: count]
    os.environ["LYREO_STATIC"] = "1"
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        if not options.write:
            os.environ["LYREO_FIGURES"] = scratch
        for path in paths:
            try:
                process(path, options.write)
                print(f"ok {path.name}", flush=True)
            except Failed as reason:
                failed += 1
                print(f"FAIL {path.name}: {reason}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
