const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256: table k advances a byte through k further zero bytes ("slicing by 8"). */
const TABLES = buildTables();

/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `length` bytes from `offset`, continuing from
 * `seed`: a previous CRC, or a number to bind the sum to its place.
 */
export function crc32c(bytes: Uint8Array, seed = 0, offset = 0, length = bytes.length - offset) {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = ~seed;
  let i = offset;
  const end = offset + length;
  for (; i + 8 <= end; i += 8) {
    const low =
      crc ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    crc =
      t7[low & 255] ^
      t6[(low >>> 8) & 255] ^
      t5[(low >>> 16) & 255] ^
      t4[low >>> 24] ^
      t3[bytes[i + 4]] ^
      t2[bytes[i + 5]] ^
      t1[bytes[i + 6]] ^
      t0[bytes[i + 7]];
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

function buildTables(): Int32Array[] {
  const tables = Array.from({ length: 8 }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[0][byte] = crc;
  }
  for (let k = 1; k < 8; k++) {
    for (let byte = 0; byte < 256; byte++) {
      const previous = tables[k - 1][byte];
      tables[k][byte] = (previous >>> 8) ^ tables[0][previous & 255];
    }
  }
  return tables;
}
