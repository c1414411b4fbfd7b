/** Members of an answer that are not its rows. */
interface Beside {
  readonly next_cursor?: string | null;
  readonly resolved_block?: string;
  readonly errors?: readonly object[];
  readonly truncated?: readonly unknown[];
  readonly truncated_reason?: string | null;
  readonly unrouted?: readonly { readonly mode: string; readonly reason: string }[];
}

/**
 * What an answer says beside its rows, as headers by name: formats that have rows alone say it
 * nowhere else. Of the origins of a batch that gave nothing it says how many; JSON lists them.
 */
export function headersBesideRows(body: object): Readonly<Record<string, string>> {
  const { next_cursor, resolved_block, errors, truncated, truncated_reason, unrouted } =
    body as Beside;
  return {
    ...(next_cursor && { 'x-next-cursor': next_cursor }),
    ...(resolved_block && { 'x-resolved-block': resolved_block }),
    ...(errors && { 'x-batch-errors': String(errors.length) }),
    ...(truncated && { 'x-batch-truncated': String(truncated.length) }),
    ...(unrouted && {
      'x-unrouted': unrouted.map(({ mode, reason }) => `${mode}=${reason}`).join(', '),
    }),
    ...(truncated_reason && { 'x-truncated-reason': truncated_reason }),
  };
}
