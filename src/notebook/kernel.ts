/** Output of a cell through the running tslab kernel; plain text everywhere else. */

/** The data of one output: MIME type → content. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** A function of the kernel preload (scripts/kernel-preload.cjs) that the library uses. */
interface KernelHook {
  readonly stopRequests: { add(request: () => void): void };
  /** A new object for every cell that runs. */
  readonly cell?: object;
}

/** The part of tslab's module for Jupyter that writes outputs; a new writer for each cell. */
interface JupyterModule {
  readonly lastWriteDisplayData:
    | ((message: { data: MimeBundle; metadata: object; transient: { display_id?: string } }, update: boolean) => void)
    | null;
}

/** Whether this code runs in a notebook's kernel. */
export function inKernel(): boolean {
  return '__tslab__' in globalThis;
}

/** Whether notebooks are being written headless: then each figure is also a picture. */
export function isStatic(): boolean {
  return process.env['LYREO_STATIC'] === '1';
}

/** The preload's hook; undefined outside the project's own kernel. */
export function kernelHook(): KernelHook | undefined {
  return (globalThis as { [key: symbol]: KernelHook | undefined })[Symbol.for('lyreo.kernel')];
}

/**
 * Shows a bundle of MIME types as one output of the cell; a reader takes the richest it knows.
 * Outside a kernel it prints `text/plain`.
 */
export function display(data: MimeBundle, displayId?: string, update = false): void {
  // The module object, not a named import: the kernel sets a new writer for each cell. Only a
  // module already loaded counts, for loading tslab loads the TypeScript compiler.
  const write = inKernel() ? jupyterModule()?.lastWriteDisplayData : undefined;
  if (write) {
    const transient = displayId === undefined ? {} : { display_id: displayId };
    write({ data, metadata: {}, transient }, update);
  } else if (typeof data['text/plain'] === 'string' && data['text/plain'] !== '') {
    console.log(data['text/plain']);
  }
}

function jupyterModule(): JupyterModule | undefined {
  const path = Object.keys(require.cache).find((key) => /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(key));
  return path === undefined ? undefined : (require.cache[path]?.exports as JupyterModule);
}

let slots = 0;

/** An output of the cell: the first call shows a bundle, and each later one shows its own in that place. */
export function displaySlot(): (data: MimeBundle) => void {
  const id = `lyreo-${process.pid}-${++slots}`;
  let shown = false;
  return (data) => {
    display(data, id, shown);
    shown = true;
  };
}

/** Lets the kernel send its messages and take an interrupt. Await it in long loops. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Shows Markdown, formulas between dollar signs included. */
export function markdown(text: string): void {
  display({ 'text/markdown': text, 'text/plain': text });
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
