"""The kernel's known faults, each against the real kernel. Prints `ok name` or `FAIL name: why`."""

import inspect
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

from jupyter_client import KernelManager

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


@dataclass
class Outcome:
    status: str = "none"
    stdout: str = ""
    stderr: str = ""
    displays: list = field(default_factory=list)  # data of each

    def hear(self, message):
        content = message["content"]
        if message["msg_type"] == "stream":
            setattr(self, content["name"], getattr(self, content["name"]) + content["text"])
        elif message["msg_type"] in ("display_data", "update_display_data"):
            self.displays.append(content["data"])


class Kernel:
    def __init__(self):
        self.manager = KernelManager(kernel_name="tslab")
        if "LYREO_TEST_NODE" in os.environ:  # scripts/node-versions.mjs
            self.manager.kernel_spec.argv[0] = os.environ["LYREO_TEST_NODE"]
        self.manager.start_kernel(cwd=str(NOTEBOOKS))
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code, timeout=60, interrupts=()):
        """One cell, interrupted at these times [s]."""
        outcome = Outcome()
        timers = [Timer(seconds, self.manager.interrupt_kernel) for seconds in interrupts]
        for timer in timers:
            timer.start()
        reply = self.client.execute_interactive(code, timeout=timeout, output_hook=outcome.hear, allow_stdin=False)
        for timer in timers:
            timer.cancel()
        outcome.status = reply["content"]["status"]
        return outcome

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def ok(outcome):
    assert outcome.status == "ok" and outcome.stderr == "", outcome
    return outcome


def alive(kernel):
    time.sleep(0.4)  # cells that come within 0.2 s of a failed one are dropped by tslab
    assert "still here" in ok(kernel.run("console.log('still here')", 20)).stdout


# --- Output ------------------------------------------------------------------------------------


def thousands_of_messages_arrive_in_order_and_the_cell_ends(kernel):
    outcome = ok(kernel.run("for (let i = 0; i < 5000; i++) console.log(i);"))
    assert outcome.stdout.split() == [str(i) for i in range(5000)], len(outcome.stdout.split())


def progress_shows_a_bar_and_a_table_shows_html(kernel):
    code = """const tick = lyreo.progress(3, 'work');
for (const i of [1, 2, 3]) await tick(i);
import * as dfd from 'danfojs-node';
lyreo.table(new dfd.DataFrame([{ name: '<b>', value: 1.23456789 }]));"""
    shown = ok(kernel.run(code)).displays
    assert 'value="3" max="3"' in shown[-2]["text/html"], shown
    assert "&#60;b&#62;" in shown[-1]["text/html"] and "1.2346" in shown[-1]["text/html"], shown[-1]


# --- Interrupt ---------------------------------------------------------------------------------


def a_loop_that_awaits_is_interrupted_and_leaves_no_zombie(kernel):
    for wait in ["setTimeout(r, 20)", "setImmediate(r)"]:
        code = f"for (let i = 0; ; i++) {{ await new Promise<void>((r) => {{ {wait} }}); if (i % 10 === 0) console.log('beat'); }}"
        outcome = kernel.run(code, 20, [1])
        assert outcome.status == "error" and "beat" in outcome.stdout, outcome
        time.sleep(0.4)
        after = ok(kernel.run("await new Promise((r) => setTimeout(r, 800)); console.log('quiet');"))
        assert after.stdout.split() == ["quiet"], f"a zombie prints: {after.stdout[:200]}"


def a_loop_that_blocks_is_interrupted(kernel):
    wait = "await new Promise((r) => setTimeout(r, 50));"
    for code in ["for (;;) {}", f"{wait} for (;;) {{}}", f"{wait} for (;;) await null;"]:
        outcome = kernel.run(code, 20, [1])
        assert outcome.status == "error" and outcome.stderr.startswith("Interrupted. Cells that waited"), outcome
        alive(kernel)


def a_cooperative_loop_ends_in_order_and_keeps_its_results(kernel):
    # A signal asked for again and again is the same.
    code = """const beat = lyreo.progress(1e9);
let episodes = 0;
while (!lyreo.interruptSignal().aborted) await beat(++episodes);
console.log('saved');"""
    outcome = ok(kernel.run(code, 20, [1]))
    assert "saved" in outcome.stdout and "run this cell again" in outcome.stdout, outcome
    assert "true" in ok(kernel.run("console.log(episodes > 10)")).stdout


def a_cooperative_loop_of_long_steps_ends_in_order(kernel):
    for milliseconds in [800, 1300]:
        step = f"for (const end = Date.now() + {milliseconds}; Date.now() < end;);"
        code = f"""await (async () => {{
  const signal = lyreo.interruptSignal();
  while (!signal.aborted) {{ {step} await lyreo.breathe(); }}
  console.log('in order');
}})();"""
        # In the first step, in a later one, and twice in one.
        for times in [[0.4], [1.7], [0.4, 0.6]]:
            outcome = ok(kernel.run(code, 20, times))
            assert "in order" in outcome.stdout, outcome


def a_cell_that_was_told_may_take_its_time(kernel):
    # The watchdog hears of the interrupt after the cell: here the cell is in its last step by then.
    code = """const signal = lyreo.interruptSignal();
while (!signal.aborted) await new Promise((r) => setTimeout(r, 1));
for (const end = Date.now() + 1500; Date.now() < end;);
await lyreo.breathe();
console.log('in order');"""
    for _ in range(4):
        assert "in order" in ok(kernel.run(code, 20, [0.5])).stdout


def a_training_ends_in_order(kernel):
    code = """const trained = await lyreo.train({
  config: lyreo.systemConfig('calibrated', { slots: 400 }), method: 'lyreo', seed: 1, updates: 50, signal: lyreo.interruptSignal(),
});
console.log(trained.aborted, trained.log.length < 50);"""
    outcome = ok(kernel.run(code, 60, [4]))
    assert outcome.stdout.split()[:2] == ["true", "true"], outcome


def runs_that_are_stopped_leave_no_part_of_a_file(kernel):
    with TemporaryDirectory() as folder:
        code = f"process.env.LYREO_RUNS = {folder!r}; await lyreo.makeMissing('fig7', 'quick');"
        assert kernel.run(code, 30, [2]).status == "error"
        assert not list(Path(folder).glob("**/*.part"))
        alive(kernel)
        ok(kernel.run("delete process.env.LYREO_RUNS;"))


def a_second_interrupt_ends_a_cell_that_ignores_the_first(kernel):
    for loop in ["await null; for (;;);", "for (;;) await new Promise((r) => setTimeout(r, 10));"]:
        start = time.monotonic()
        assert kernel.run(f"lyreo.interruptSignal(); {loop}", 30, [1, 2]).status == "error"
        assert time.monotonic() - start > 2
        alive(kernel)


def a_signal_listener_set_in_a_cell_does_not_kill_the_kernel(kernel):
    ok(kernel.run("process.once('SIGINT', () => undefined);"))
    outcome = kernel.run("await new Promise((r) => setTimeout(r, 30000));", 20, [0.5])
    assert outcome.status == "error", outcome
    alive(kernel)


def a_kernel_whose_starter_is_killed_ends(kernel):
    other = type(kernel)()
    pid = ok(other.run("console.log(process.pid);")).stdout.strip()
    other.client.execute("for (;;);")
    time.sleep(1)
    other.manager.provisioner.process.kill()
    for _ in range(50):
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout.strip()
        if state == "" or state.startswith("Z"):
            return other.stop()
        time.sleep(0.1)
    other.stop()
    raise AssertionError(f"process {pid} goes on: {state}")


# --- Language ----------------------------------------------------------------------------------


def top_level_await_works_in_every_form(kernel):
    code = """async function* numbers() { yield 1; yield 2; }
const late = <T>(value: T) => new Promise<T>((r) => setTimeout(() => r(value), 5));"""
    ok(kernel.run(code))
    assert "42" in ok(kernel.run("const answer = await (late(42)); console.log(answer);")).stdout
    assert "true" in ok(kernel.run("console.log(answer.toFixed(0) === '42');")).stdout
    assert "7" in ok(kernel.run("console.log(await (async () => 7)());")).stdout
    assert ok(kernel.run("for await (const n of numbers()) console.log(n);")).stdout.split() == ["1", "2"]


def types_of_the_library_are_real(kernel):
    outcome = kernel.run("const wrong: string = lyreo.createRng(1);")
    assert "Type 'Rng' is not assignable to type 'string'" in outcome.stderr, outcome
    alive(kernel)
    outcome = kernel.run("lyreo.noSuchName;")
    assert outcome.status == "error" and "noSuchName" in outcome.stderr, outcome
    alive(kernel)


def asked(kernel, method, code):
    """An answer of the kernel at the cursor, "|"."""
    position = code.index("|")
    return getattr(kernel.client, method)(code.replace("|", ""), position, reply=True, timeout=30)["content"]


def documentation_signatures_and_fields_are_shown(kernel):
    def shown(code):
        return asked(kernel, "inspect", code)["data"].get("text/plain", "")

    assert "Shows a figure" in shown("lyreo.pl|ot")
    options = ["lyreo.systemConfig(|", "lyreo.systemConfig('calibrated', { | })", "lyreo.systemConfig('calibrated', |)"]
    for code in options:
        text = shown(code)
        assert text.startswith("lyreo.systemConfig(preset: Preset, overrides?: Partial<SystemConfig>"), (code, text)
        assert "users?: number – U, mobile users" in text, (code, text)
    # The innermost call, the fields of the literal at the cursor.
    text = shown("lyreo.plot(lyreo.figure([], { title: 'x', | }), {})")
    assert text.startswith("lyreo.figure(") and "subtitle?: string" in text and "caption" not in text, text
    assert "servers: number" in shown("let config: lyreo.System|Config;")
    assert shown("const x = (|1 + 2);") == ""


def names_complete_with_hyphens_too(kernel):
    def completed(code):
        reply = asked(kernel, "complete", code)
        return [f"{code[: reply['cursor_start']]}{name}" for name in reply["matches"]]

    assert {"lyreo.plot", "lyreo.table"} <= set(completed("lyreo.|"))
    assert completed("lyreo.schedulers['drift-|']") == ["lyreo.schedulers['drift-plus-penalty"]
    assert completed("lyreo.schedulers['dri|") == ["lyreo.schedulers['drift-plus-penalty"]
    assert "lyreo.learningOf('ly-ppo-own" in completed("lyreo.learningOf('ly-|')")
    assert completed("lyreo.schedulers.dri|") == ["lyreo.schedulers['drift-plus-penalty']"]
    assert completed("lyreo.schedulers.ra|") == ["lyreo.schedulers.random"]


def files_that_change_beside_the_library_do_no_harm(kernel):
    manifest = NOTEBOOKS.parent / "package.json"
    for _ in range(3):
        half = manifest.with_suffix(".json.part")
        half.write_bytes(manifest.read_bytes())
        half.replace(manifest)
        time.sleep(0.5)
        assert "still here" in ok(kernel.run("console.log('still here');")).stdout


def danfojs_runs_on_the_same_tensorflow(kernel):
    code = """import * as tf from '@tensorflow/tfjs-node';
console.log(dfd.tensorflow === tf, tf.getBackend(), tf.matMul(tf.ones([2, 2]), tf.ones([2, 2])).arraySync());"""
    outcome = ok(kernel.run(code))
    assert outcome.stdout.split()[0] == "true" and "2, 2" in outcome.stdout, outcome


def an_error_in_a_cell_is_readable_and_a_mistake_of_the_user_has_no_stack(kernel):
    outcome = kernel.run("throw new RangeError('users is 0; allowed are whole numbers from 1');")
    assert outcome.status == "error" and "RangeError: users is 0; allowed" in outcome.stderr, outcome
    assert "/tslab/dist/" not in outcome.stderr and "node:" not in outcome.stderr, outcome
    alive(kernel)
    outcome = kernel.run("lyreo.systemConfig('calibrated', { users: 0 });")
    assert outcome.status == "error" and len(outcome.stderr.splitlines()) == 1, outcome
    assert outcome.stderr.startswith("UserError: configuration: users is 0; allowed"), outcome
    alive(kernel)


TESTS = [
    thing
    for thing in list(globals().values())
    if inspect.isfunction(thing) and thing is not alive and [*inspect.signature(thing).parameters] == ["kernel"]
]


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    failed, kernel = 0, None
    for test in (test for test in TESTS if wanted in test.__name__):
        name = test.__name__.replace("_", " ")
        try:
            if kernel is None:
                kernel = Kernel()
                ok(kernel.run("import * as lyreo from 'lyreo'; import * as dfd from 'danfojs-node';"))
            test(kernel)
            print(f"ok {name}", flush=True)
        except Exception as error:  # noqa: BLE001 - every failure is a result
            failed += 1
            print(f"FAIL {name}: {error!r}"[:1500], flush=True)
            if kernel is not None:
                kernel.stop()
            kernel = None
    if kernel is not None:
        kernel.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
