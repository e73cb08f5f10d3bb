/** A remark on stderr that does not end the command. */
export function warn(message: string): void {
  process.stderr.write(`warning: ${message}\n`);
}
