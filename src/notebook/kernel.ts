/** Output of a cell through the running tslab kernel; plain text everywhere else. */

export type MimeBundle = Readonly<Record<string, unknown>>;

/** The function of tslab that writes an output. */
type Writer = (message: { data: MimeBundle; metadata: object; transient: object }, update: boolean) => void;

/** Whether this code runs in a notebook's kernel. */
export function inKernel(): boolean {
  return '__tslab__' in globalThis;
}

/** Whether notebooks are being written headless: then each figure is also a picture. */
export function isStatic(): boolean {
  return process.env['LYREO_STATIC'] === '1';
}

/**
 * Shows a bundle of MIME types as one output of the cell; a reader takes the richest it knows.
 * Outside a kernel it prints `text/plain`.
 */
export function display(data: MimeBundle, displayId?: string, update = false): void {
  // The module that is loaded already, for loading tslab loads the TypeScript compiler; and the object, not a named import,
  // for the kernel sets a new writer for each cell.
  const path = Object.keys(require.cache).find((key) => /[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(key));
  const jupyter = require.cache[path ?? '']?.exports as { readonly lastWriteDisplayData: Writer | null } | undefined;
  const text = data['text/plain'];
  if (inKernel() && jupyter?.lastWriteDisplayData) {
    const transient = displayId === undefined ? {} : { display_id: displayId };
    jupyter.lastWriteDisplayData({ data, metadata: {}, transient }, update);
  } else if (typeof text === 'string' && text !== '') console.log(text);
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
