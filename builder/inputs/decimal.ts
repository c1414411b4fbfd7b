const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** A digit other than 0 before the exponent. */
const NOT_ZERO = /^[-+.0]*[1-9]/;

/**
 * Reads a decimal number, such as `7`, `+39.3041` or `1e-5`; `NaN` for anything else, also for what
 * only JavaScript takes for a number, such as `0x10`, or is nearer to 0 than any number but 0, such
 * as `1e-400`.
 */
export function decimalOf(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return value === 0 && NOT_ZERO.test(text) ? Number.NaN : value;
}
