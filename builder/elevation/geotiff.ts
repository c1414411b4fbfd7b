import { existsSync } from 'node:fs';
import { GeoTIFF, type GeoTIFFImage } from 'geotiff';
import { BuildError } from '../errors.ts';
import { requireKind } from '../inputs/file-kind.ts';
import { unreadable } from '../inputs/fingerprint.ts';
import { MAX_BLOCK_BYTES } from './block-limit.ts';
import { BoundedFile } from './bounded-file.ts';
import { type CellWindow, type HeightRaster, withoutVoids } from './height-raster.ts';
import { isUnpacked } from './unpacking.ts';

/** Datums whose longitudes and latitudes agree within a metre or two: WGS 84, NAD83, ETRS89. */
const DATUMS = new Set([4326, 4979, 4269, 4759, 4893, 6318, 6319, 4258]);
const GEOGRAPHIC = 2;
const DEGREES = 9102;
const METRES = 9001;
/** EPSG vertical systems in feet of any definition. */
const IN_FEET = new Set([
  5614, 5702, 5754, 6130, 6131, 6132, 6358, 6359, 6360, 8050, 8051, 8052, 8053, 8228,
]);
const METRE = /^(|m|met(er|re)s?)$/i;
const CELLS_ARE_POINTS = 2;
const ADVICE = 'convert it to degrees: gdalwarp -t_srs EPSG:4326 IN.tif OUT.tif';
/** Maximum number of cells read at a time: half a gigabyte of heights. */
const MAX_WINDOW_CELLS = 2 ** 27;

/**
 * Opens a GeoTIFF whose first band holds heights in metres on a lattice of degrees. Throws a
 * `BuildError` for a damaged file, and for any other kind of file.
 */
export async function openGeoTiff(file: string): Promise<HeightRaster> {
  await requireKind(file, 'tiff');
  const source = await BoundedFile.open(file).catch((error) => {
    throw unreadable(file, error);
  });
  const broken = (error: Error) => {
    if (error instanceof BuildError) throw error;
    throw new BuildError(
      `${file}: is not a complete GeoTIFF (${error.message}); download it again`,
    );
  };
  try {
    const tiff = await GeoTIFF.fromSource(source);
    const image = await tiff.getImage();
    requireDegrees(file, image);
    await requireMetres(file, image);
    await requireNoMask(file, tiff, image);
    const lattice = latticeOf(file, image);
    await requireBoundedBlocks(file, image);
    await requireAllCells(file, image, source.fileSize);
    const noData = image.getGDALNoData();
    return {
      ...lattice,
      columns: image.getWidth(),
      rows: image.getHeight(),
      async read({ left, top, right, bottom }) {
        if ((right - left) * (bottom - top) > MAX_WINDOW_CELLS) {
          throw new BuildError(
            `${file}: has too many cells from west to east to be read at once; split it: gdal_translate -projwin WEST NORTH EAST SOUTH IN.tif OUT.tif`,
          );
        }
        const heights = new Float32Array((right - left) * (bottom - top));
        for (const part of partsByBlock({ left, top, right, bottom }, image)) {
          const cells = await cellsOf(image, part).catch(broken);
          const width = part.right - part.left;
          for (let row = 0; row < part.bottom - part.top; row++) {
            const to = (part.top - top + row) * (right - left) + part.left - left;
            heights.set(cells.subarray(row * width, (row + 1) * width), to);
          }
        }
        return withoutVoids(heights, noData);
      },
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    return broken(error as Error);
  }
}

/**
 * Splits a window by strip or tile, since the library would hold all of a larger window's strips or
 * tiles in memory at once.
 */
function* partsByBlock(window: CellWindow, image: GeoTIFFImage): Generator<CellWindow> {
  const [width, height] = [image.getTileWidth(), image.getTileHeight()];
  for (let { top } = window; top < window.bottom; ) {
    const bottom = Math.min(window.bottom, top - (top % height) + height);
    for (let { left } = window; left < window.right; ) {
      const right = Math.min(window.right, left - (left % width) + width);
      yield { left, top, right, bottom };
      left = right;
    }
    top = bottom;
  }
}

function cellsOf(image: GeoTIFFImage, { left, top, right, bottom }: CellWindow) {
  const window = [left, top, right, bottom];
  return image.readRasters({ window, samples: [0], interleave: true });
}

function requireDegrees(file: string, image: GeoTIFFImage): void {
  const keys = image.getGeoKeys() ?? {};
  const refuse = (why: string) => {
    throw new BuildError(`${file}: ${why}; ${ADVICE}`);
  };
  if (keys.GTModelTypeGeoKey === undefined) refuse('is not georeferenced');
  if (keys.GTModelTypeGeoKey !== GEOGRAPHIC) {
    refuse(`is projected (EPSG:${keys.ProjectedCSTypeGeoKey ?? '?'}), not in degrees`);
  }
  if (!DATUMS.has(keys.GeographicTypeGeoKey)) {
    refuse(`is in degrees of EPSG:${keys.GeographicTypeGeoKey ?? '?'}, not of WGS 84 or NAD83`);
  }
  if ((keys.GeogAngularUnitsGeoKey ?? DEGREES) !== DEGREES) refuse('is not in degrees');
}

/**
 * Checks the unit of heights by the vertical system, which may omit it, and by GDAL's metadata of
 * the band.
 */
async function requireMetres(file: string, image: GeoTIFFImage): Promise<void> {
  const keys = image.getGeoKeys() ?? {};
  const band = await image.getGDALMetadata(0);
  if (
    (keys.VerticalUnitsGeoKey ?? METRES) !== METRES ||
    IN_FEET.has(keys.VerticalCSTypeGeoKey) ||
    !METRE.test(String(band?.UNITTYPE ?? '').trim())
  ) {
    throw new BuildError(
      `${file}: has heights in feet or an unknown unit; metres are needed. From feet: gdal_translate -scale 0 1 0 0.3048 -a_srs EPSG:4326 IN.tif OUT.tif`,
    );
  }
  if (Number(band?.SCALE ?? 1) !== 1 || Number(band?.OFFSET ?? 0) !== 0) {
    throw new BuildError(
      `${file}: has heights that are not stored in metres; gdal_translate -unscale IN.tif OUT.tif`,
    );
  }
}

/** Values of the tag `ExtraSamples` for a band of transparency. */
const ALPHA = [1, 2];
/** The bit of the tag `NewSubfileType` of an image that is the mask of another. */
const MASK = 4;
/** Number of images that are looked at: a damaged list of them may have no end. */
const MAX_IMAGES = 32;

/**
 * Throws an error for cells without heights that only a mask or a band of transparency marks, since
 * they hold zeros, which would be read as the level of the sea.
 */
async function requireNoMask(file: string, tiff: GeoTIFF, image: GeoTIFFImage): Promise<void> {
  const extra = Array.from(image.fileDirectory.getValue('ExtraSamples') ?? []);
  // GDAL before 3.9 writes masks beside the file.
  let isMasked = extra.some((kind) => ALPHA.includes(kind)) || existsSync(`${file}.msk`);
  for (let at = 1; at < MAX_IMAGES && !isMasked; at++) {
    const other = await imageAt(tiff, at);
    if (!other) break;
    isMasked = (Number(other.fileDirectory.getValue('NewSubfileType') ?? 0) & MASK) !== 0;
  }
  if (!isMasked) return;
  throw new BuildError(
    `${file}: marks cells without heights by a mask, which is not read; give them a value instead: gdalwarp -dstnodata -9999 IN.tif MID.tif, then gdal_translate -b 1 MID.tif OUT.tif`,
  );
}

/** An image of a file by its ordinal; null after the last. */
async function imageAt(tiff: GeoTIFF, ordinal: number): Promise<GeoTIFFImage | null> {
  return tiff.getImage(ordinal).catch((error: Error) => {
    if (/^No image at index/.test(error.message)) return null;
    throw error;
  });
}

/**
 * Returns the position of an image's cells. The library's own origin does not distinguish corners
 * from centers.
 */
function latticeOf(file: string, image: GeoTIFFImage) {
  const tie = image.fileDirectory.getValue('ModelTiepoint');
  const scale = image.fileDirectory.getValue('ModelPixelScale');
  if (tie?.length !== 6 || !scale || !(scale[0] > 0) || !(scale[1] > 0)) {
    throw new BuildError(`${file}: has no grid running east and south; ${ADVICE}`);
  }
  const [column, row, , lon, lat] = tie;
  const middle = image.getGeoKeys()?.GTRasterTypeGeoKey === CELLS_ARE_POINTS ? 0 : 0.5;
  return {
    west: lon + (middle - column) * scale[0],
    north: lat - (middle - row) * scale[1],
    stepEast: scale[0],
    stepSouth: scale[1],
  };
}

/**
 * Throws an error if strips or tiles are too large, have no cells, or cannot be unpacked. A strip
 * or tile is decoded whole, even for a few cells.
 */
async function requireBoundedBlocks(file: string, image: GeoTIFFImage): Promise<void> {
  if (!(await isUnpacked(image))) {
    throw new BuildError(
      `${file}: uses an unsupported compression; gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif`,
    );
  }
  const bytes = image.getTileWidth() * image.getTileHeight() * image.getBytesPerPixel();
  if (!(bytes > 0)) throw new Error('its strips or tiles have no cells');
  if (bytes <= MAX_BLOCK_BYTES) return;
  throw new BuildError(
    `${file}: has strips or tiles of more than ${MAX_BLOCK_BYTES / 2 ** 20} MiB; gdal_translate -co TILED=YES IN.tif OUT.tif`,
  );
}

/**
 * Throws an error if any strip or tile is missing, since the library reads missing data as zeros.
 * GDAL leaves out those without heights if asked to (`SPARSE_OK`), and those after the place where
 * it was interrupted.
 */
async function requireAllCells(file: string, image: GeoTIFFImage, size: number): Promise<void> {
  const { fileDirectory: tags } = image;
  const across = Math.ceil(image.getWidth() / image.getTileWidth());
  const down = Math.ceil(image.getHeight() / image.getTileHeight());
  const offsets = await tags.loadValue(image.isTiled ? 'TileOffsets' : 'StripOffsets');
  const lengths = await tags.loadValue(image.isTiled ? 'TileByteCounts' : 'StripByteCounts');
  const isWhole = (block: number) => {
    const [offset, length] = [Number(offsets?.[block]), Number(lengths?.[block])];
    return length > 0 && offset + length <= size;
  };
  const blocks = Math.max(across * down, lengths?.length ?? 0);
  for (let block = 0; block < blocks; block++) {
    if (isWhole(block)) continue;
    if (Number(offsets?.[block]) === 0 && Number(lengths?.[block]) === 0) {
      throw new BuildError(
        `${file}: lacks some of its strips or tiles; if these have no heights, write them: gdal_translate IN.tif OUT.tif; if not, make or download the file again`,
      );
    }
    throw new BuildError(`${file}: is truncated: cells are missing; download it again`);
  }
}
