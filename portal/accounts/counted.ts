/** `1 token`, `2 tokens`: in digits alone, as logs and programs read them. */
export function counted(value: number, one: string): string {
  return `${value} ${one}${value === 1 ? '' : 's'}`;
}
