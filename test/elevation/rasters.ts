import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Metres at a position, or null where there is no value. */
export type Surface = (lon: number, lat: number) => number | null;

const SIDE = 1_201;
const VOID = -32_768;

/** Writes a three-arc-second SRTM tile as plain bytes; heights are whole metres. */
export function writeHgt(folder: string, south: number, west: number, height: Surface): string {
  const cells = Buffer.alloc(SIDE * SIDE * 2);
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      const lat = south + 1 - row / (SIDE - 1);
      const lon = west + column / (SIDE - 1);
      cells.writeInt16BE(Math.round(height(lon, lat) ?? VOID), (row * SIDE + column) * 2);
    }
  }
  const [ns, ew] = [south < 0 ? 'S' : 'N', west < 0 ? 'W' : 'E'];
  const degrees = (value: number, digits: number) => String(Math.abs(value)).padStart(digits, '0');
  const name = `${ns}${degrees(south, 2)}${ew}${degrees(west, 3)}.hgt`;
  const file = path.join(folder, name);
  writeFileSync(file, cells);
  return file;
}

export interface Lattice {
  /** The outer corner of the first cell. */
  readonly west: number;
  readonly north: number;
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
}

/** Writes a GeoTIFF by GDAL: 32-bit heights at cell centres; `options` for gdal_translate. */
export function writeGeoTiff(
  file: string,
  { west, north, cell, columns, rows }: Lattice,
  height: Surface,
  options: readonly string[] = [],
): string {
  mkdirSync(path.dirname(file), { recursive: true });
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) =>
      (height(west + (column + 0.5) * cell, north - (row + 0.5) * cell) ?? -9999).toFixed(4),
    ).join(' '),
  );
  const grid = `${file}.asc`;
  writeFileSync(
    grid,
    [
      `ncols ${columns}`,
      `nrows ${rows}`,
      `xllcorner ${west}`,
      `yllcorner ${north - rows * cell}`,
      `cellsize ${cell}`,
      'NODATA_value -9999',
      ...lines,
    ].join('\n'),
  );
  const kind = ['-q', '-of', 'GTiff', '-ot', 'Float32', '-a_srs', 'EPSG:4326'];
  execFileSync('gdal_translate', [...kind, ...options, grid, file]);
  return file;
}
