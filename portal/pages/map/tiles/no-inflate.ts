/**
 * Stands in for `fflate`, with which `pmtiles` unpacks tiles where the browser cannot: all browsers
 * that the pages support can.
 */
export function decompressSync(): never {
  throw new Error('this browser has no DecompressionStream');
}
