import { asShown } from '../../shards/shown-text.ts';

/** Prints lines to the standard output, without what could act on a terminal. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${asShown(line)}\n`);
}

/** Prints a result as JSON on one line, or else as lines. */
export function printEither(
  isJson: boolean | undefined,
  json: object,
  ...lines: readonly string[]
): void {
  if (isJson) process.stdout.write(`${JSON.stringify(json)}\n`);
  else print(...lines);
}

/** Prints lines that are no results to the standard error. */
export function tell(...lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${asShown(line)}\n`);
}
