const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/**
 * Reads a decimal number, such as `7`, `+39.3041` or `1e-5`; `NaN` for anything else, also for what
 * only JavaScript takes for a number, such as `0x10`.
 */
export function decimalOf(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
