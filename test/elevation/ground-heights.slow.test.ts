import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addDecoder } from 'geotiff';
import { beforeAll, describe, expect, test } from 'vitest';
import { groundHeights, openRaster } from '../../builder/elevation/ground-heights.ts';
import { DeflateDecoder } from '../../builder/elevation/unpacking.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { positions } from '../support/rings.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { Dice } from '../transit/dice.ts';
import { type Lattice, type Surface, writeGeoTiff, writeHgt } from './rasters.ts';

/** TIFF's code of DEFLATE, as GDAL writes it. */
const DEFLATE = 8;

const folder = folderOfTests();
const at = (name: string) => path.join(folder, name);
beforeAll(() => ensureDebianPackage('gdal-bin', 'gdal_translate'));

async function heightsOf(
  files: readonly string[],
  points: readonly (readonly number[])[],
): Promise<number[]> {
  const rasters = await Promise.all(files.map(openRaster));
  const lon = Float64Array.from(points, ([lon]) => lon);
  const lat = Float64Array.from(points, ([, lat]) => lat);
  try {
    return [...(await groundHeights(rasters, lon, lat))];
  } finally {
    for (const raster of rasters) await raster.close();
  }
}

/** A slope that rounding to metres does not affect: 1,200 m per degree is one metre per cell. */
const slope: Surface = (lon, lat) => 1_200 * (lon + 77) + 2_400 * (lat - 39);
const inDegree = (dice: Dice) => [dice.between(-77, -76), dice.between(39, 40)] as const;

test('heights of a tile match those that GDAL reads, cell by cell', async () => {
  const dice = new Dice(1);
  const file = writeHgt(folder, 39, -77, () => dice.between(-400, 4_000));
  const cells = Array.from({ length: 200 }, () => [
    -77 + Math.floor(dice.between(0, 1_201)) / 1_200,
    39 + Math.floor(dice.between(0, 1_201)) / 1_200,
  ]);
  const asked = cells.map((cell) => cell.join(' ')).join('\n');
  const args = ['-valonly', '-wgs84', file];
  const theirs = execFileSync('gdallocationinfo', args, { input: asked, encoding: 'utf8' });
  const ours = await heightsOf([file], cells);
  expect(ours.map(Math.round)).toEqual(theirs.trim().split('\n').map(Number));
});

const LATTICE: Lattice = { west: -77, north: 40, cell: 1 / 300, columns: 300, rows: 300 };

describe('an even slope is reproduced at every point', () => {
  const points = Array.from(
    { length: 500 },
    (
      (dice) => () =>
        inDegree(dice)
    )(new Dice(2)),
  );
  const expectSlope = async (files: readonly string[], places = points) => {
    const heights = await heightsOf(files, places);
    heights.forEach((height, i) => {
      expect(height).toBeCloseTo(slope(places[i][0], places[i][1])!, 2);
    });
  };
  // Points within the centres of the outermost cells: beyond them there is nothing to interpolate.
  const within = points.filter(([lon, lat]) => {
    const margin = LATTICE.cell / 2;
    return Math.min(lon + 77, -76 - lon, lat - 39, 40 - lat) > margin;
  });

  test('in an SRTM tile', () => expectSlope([writeHgt(folder, 39, -77, slope)]));

  test.each<[string, readonly string[]]>([
    ['strips', []],
    ...['DEFLATE', 'LZW'].flatMap((how): [string, readonly string[]][] => {
      const packed = ['-co', `COMPRESS=${how}`];
      return [
        [`strips by ${how}`, packed],
        [`tiles by ${how}`, [...packed, '-co', 'TILED=YES', '-co', 'PREDICTOR=3']],
      ];
    }),
    ['cells as points', ['-mo', 'AREA_OR_POINT=Point']],
    ['degrees of NAD83', ['-a_srs', 'EPSG:4269']],
  ])('in a GeoTIFF by GDAL: %s', async (name, options) => {
    await expectSlope([writeGeoTiff(at(`${name}.tif`), LATTICE, slope, options)], within);
  });

  test('across the border of two files that share no cell', async () => {
    const half = { ...LATTICE, columns: 150 };
    const files = [
      writeGeoTiff(at('west.tif'), half, slope),
      writeGeoTiff(at('east.tif'), { ...half, west: -76.5 }, slope),
    ];
    const border = [-0.9, -0.5, -0.1, 0, 0.3, 0.7].flatMap((cells) =>
      [39.2, 39.8].map((lat) => [-76.5 + cells * LATTICE.cell, lat] as const),
    );
    await expectSlope(files, [...within, ...border]);
  });

  test('across the border of two tiles, which share cells, in either order', async () => {
    const files = [writeHgt(folder, 39, -77, slope), writeHgt(folder, 39, -76, slope)];
    const border = [-0.9, -0.5, -0.1, 0, 0.3, 0.7].map((c) => [-76 + c / 1_200, 39.345] as const);
    await expectSlope(files, [...points, ...border]);
    expect(await heightsOf(files.toReversed(), border)).toEqual(await heightsOf(files, border));
  });
});

test('strips and tiles are unpacked one after the other, so that few are in memory', async () => {
  const file = writeGeoTiff(at('many.tif'), LATTICE, slope, [
    '-co',
    'TILED=YES',
    '-co',
    'BLOCKXSIZE=64',
    '-co',
    'BLOCKYSIZE=64',
    '-co',
    'COMPRESS=DEFLATE',
  ]);
  let [atOnce, most, all] = [0, 0, 0];
  class CountingDecoder extends DeflateDecoder {
    override decodeBlock(block: ArrayBufferLike) {
      all++;
      most = Math.max(most, ++atOnce);
      return super.decodeBlock(block).finally(() => atOnce--);
    }
  }
  // The compiled builder, which other tests load, may have registered its own decoder last.
  addDecoder(DEFLATE, async () => CountingDecoder);
  await heightsOf([file], positions('-76.95 39.95, -76.05 39.05')).finally(() =>
    addDecoder(DEFLATE, async () => DeflateDecoder),
  );
  expect([most, all]).toEqual([1, 25]);
});

test('a height is from the finest file that has one, and NaN where no file has one', async () => {
  const coarse = writeGeoTiff(at('coarse.tif'), { ...LATTICE, cell: 1 / 100 }, () => 50);
  const west: Surface = (lon) => (lon < -76.5 ? 200 : null);
  const fine = writeHgt(folder, 39, -77, west);
  const points = positions('-76.8 39.5, -76.2 39.5, -70 39.5');
  expect(await heightsOf([coarse, fine], points)).toEqual([200, 50, Number.NaN]);
  expect(await heightsOf([fine], points)).toEqual([200, Number.NaN, Number.NaN]);
  // Only the cells around a point that are not void count.
  expect(await heightsOf([fine], [[-76.5 - 0.4 / 1_200, 39.5]])).toEqual([200]);
});

/** TIFF tags. */
const [WIDTH, LENGTH, ROWS_PER_STRIP, TILE_WIDTH] = [256, 257, 278, 322];
/** The type code of four-byte values. */
const LONG = 4;

describe('an unusable file is refused by name, with advice', () => {
  let written: string | undefined;
  const plain = () => {
    written ??= writeGeoTiff(at('plain.tif'), LATTICE, slope);
    return written;
  };
  const refusal = async (file: string, points = [[-76.5, 39.5]]) => {
    const reported = await heightsOf([file], points).then(String, (error) => error);
    expect(reported.name).toBe('BuildError');
    expect(reported.message).toContain(file);
    return reported.message.replace(file, 'FILE');
  };
  const translated = (name: string, ...options: string[]) => {
    execFileSync('gdal_translate', ['-q', ...options, plain(), at(name)]);
    return at(name);
  };

  test('metres of a projection', async () => {
    const file = at('utm.tif');
    execFileSync('gdalwarp', ['-q', '-t_srs', 'EPSG:32618', plain(), file]);
    expect(await refusal(file)).toBe(
      'FILE: is projected (EPSG:32618), not in degrees; convert it to degrees: gdalwarp -t_srs EPSG:4326 IN.tif OUT.tif',
    );
  });

  test('a location off the globe, another datum, scaled heights', async () => {
    const lost = at('lost.tif');
    execFileSync('gdal_translate', ['-q', '-of', 'GTiff', `${plain()}.asc`, lost]);
    expect(await refusal(lost)).toMatch(/is not georeferenced/);
    expect(await refusal(translated('nad27.tif', '-a_srs', 'EPSG:4267'))).toMatch(/EPSG:4267/);
    expect(await refusal(translated('scaled.tif', '-a_scale', '0.1'))).toMatch(/not stored in/);
  });

  test.each([6360, 8228, 5702])('feet of a vertical system: EPSG:%d', async (system) => {
    const file = translated(`${system}.tif`, '-a_srs', `EPSG:4269+${system}`);
    expect(await refusal(file)).toMatch(/heights in feet/);
    const metres = ['-scale', '0', '1', '0', '0.3048', '-a_srs', 'EPSG:4326'];
    execFileSync('gdal_translate', ['-q', ...metres, file, at(`${system}-m.tif`)]);
    const [height] = await heightsOf([at(`${system}-m.tif`)], [[-76.5, 39.5]]);
    expect(height).toBeCloseTo(0.3048 * slope(-76.5, 39.5)!, 2);
  });

  test('feet of a band; metres of a band or a vertical system are accepted', async () => {
    const inUnit = (unit: string) => {
      const vrt = at(`${unit}.vrt`);
      execFileSync('gdal_translate', ['-q', '-of', 'VRT', plain(), vrt]);
      const band = /<VRTRasterBand[^>]*>/;
      const text = readFileSync(vrt, 'utf8');
      writeFileSync(
        vrt,
        text.replace(band, (tag) => `${tag}<UnitType>${unit}</UnitType>`),
      );
      execFileSync('gdal_translate', ['-q', vrt, at(`${unit}.tif`)]);
      return at(`${unit}.tif`);
    };
    for (const unit of ['ft', 'US survey foot']) {
      expect(await refusal(inUnit(unit))).toMatch(/heights in feet/);
    }
    const navd88 = translated('navd88.tif', '-a_srs', 'EPSG:4269+5703');
    for (const file of [inUnit('m'), inUnit('metre'), navd88]) {
      const [height] = await heightsOf([file], [[-76.5, 39.5]]);
      expect(height).toBeCloseTo(slope(-76.5, 39.5)!, 2);
    }
  });

  /** Writes a copy of a file with other values for some of its tags. */
  const altered = (file: string, name: string, values: Readonly<Record<number, number>>) => {
    const bytes = readFileSync(file);
    const tags = bytes.readUInt32LE(4) + 2;
    for (let tag = tags; tag < tags + 12 * bytes.readUInt16LE(tags - 2); tag += 12) {
      const value = values[bytes.readUInt16LE(tag)];
      if (value === undefined) continue;
      bytes.writeUInt16LE(LONG, tag + 2);
      bytes.writeUInt32LE(value, tag + 8);
    }
    writeFileSync(at(name), bytes);
    return at(name);
  };

  test.each(['DEFLATE', 'LZW'])(
    'a strip that is too large, or holds more than it claims: %s',
    async (how) => {
      const size = ['-outsize', '5000', '5000', '-co', 'BLOCKYSIZE=5000'];
      const file = translated(`large-${how}.tif`, ...size, '-co', `COMPRESS=${how}`);
      expect(await refusal(file)).toBe(
        'FILE: has strips or tiles of more than 64 MiB; gdal_translate -co TILED=YES IN.tif OUT.tif',
      );
      const less = { [WIDTH]: 200, [LENGTH]: 200, [ROWS_PER_STRIP]: 200 };
      const bomb = altered(file, `bomb-${how}.tif`, less);
      // The point lies in the first corner, since fewer cells of the same size cover less.
      expect(await refusal(bomb, [[-76.99, 39.99]])).toBe(
        'FILE: is not a complete GeoTIFF (a strip or tile holds more than 160000 bytes); download it again',
      );
    },
  );

  test.each(['DEFLATE', 'LZW'])('a damaged strip: %s', async (how) => {
    const file = translated(`whole-${how}.tif`, '-co', `COMPRESS=${how}`, '-co', 'BLOCKYSIZE=300');
    const bytes = readFileSync(file);
    bytes.fill(0x55, bytes.length - 2_000);
    writeFileSync(file, bytes);
    expect(await refusal(file)).toMatch(/not a complete GeoTIFF/);
  });

  test.each([2, 3])('big-endian cells, each stored as a difference: predictor %d', async (how) => {
    const packed = ['-co', 'COMPRESS=LZW', '-co', 'ENDIANNESS=BIG'];
    const file = translated(`big-endian-${how}.tif`, ...packed, '-co', `PREDICTOR=${how}`);
    expect(await refusal(file)).toMatch(/unsupported compression/);
    const [height] = await heightsOf([translated('big-endian.tif', ...packed)], [[-76.5, 39.5]]);
    expect(height).toBeCloseTo(slope(-76.5, 39.5)!, 2);
  });

  test.each(['PACKBITS', 'LERC', 'ZSTD'])(
    'a compression that is not supported: %s',
    async (how) => {
      expect(await refusal(translated(`${how}.tif`, '-co', `COMPRESS=${how}`))).toBe(
        'FILE: uses an unsupported compression; gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif',
      );
    },
  );

  test('a file that claims more cells than it has strips or tiles for, or none in each', async () => {
    const tiled = translated('tiled.tif', '-co', 'TILED=YES');
    const huge = { [WIDTH]: 2_000_000_000, [LENGTH]: 2_000_000_000 };
    expect(await refusal(altered(tiled, 'huge.tif', huge))).toMatch(/is truncated/);
    const none = { [TILE_WIDTH]: 0 };
    expect(await refusal(altered(tiled, 'none.tif', none))).toMatch(/not a complete GeoTIFF/);
    // Rows of a million cells, all of which lie between two points.
    const wide = altered(plain(), 'wide.tif', { [WIDTH]: 1_000_000 });
    expect(
      await refusal(
        wide,
        [-76.5, 3_000].map((lon) => [lon, 39.5]),
      ),
    ).toMatch(/too many cells/);
  });

  test.each(['a mask', 'a mask beside the file', 'transparency'])(
    'cells without heights that %s marks',
    async (how) => {
      const holed: Surface = (lon, lat) => (lon < -76.8 ? null : slope(lon, lat));
      const whole = writeGeoTiff(at('holed.tif'), LATTICE, holed);
      const file = at(`${how}.tif`);
      if (how === 'transparency') execFileSync('gdalwarp', ['-q', '-dstalpha', whole, file]);
      else {
        const inside = how === 'a mask' ? 'YES' : 'NO';
        const mask = ['--config', 'GDAL_TIFF_INTERNAL_MASK', inside, '-mask', '1'];
        execFileSync('gdal_translate', ['-q', ...mask, '-a_nodata', 'none', whole, file]);
      }
      expect(await refusal(file)).toBe(
        'FILE: marks cells without heights by a mask, which is not read; give them a value instead: gdalwarp -dstnodata -9999 IN.tif MID.tif, then gdal_translate -b 1 MID.tif OUT.tif',
      );
      const valued = at(`${how}-valued.tif`);
      execFileSync('gdalwarp', ['-q', '-dstnodata', '-9999', file, at(`${how}-mid.tif`)]);
      execFileSync('gdal_translate', ['-q', '-b', '1', at(`${how}-mid.tif`), valued]);
      const points = [-76.9, -76.5].map((lon) => [lon, 39.5]);
      expect(await heightsOf([valued], points)).toEqual(await heightsOf([whole], points));
    },
  );

  test('tiles that were not written', async () => {
    const tiles = ['-co', 'TILED=YES', '-co', 'SPARSE_OK=TRUE'];
    const file = at('sparse.tif');
    const nowhere = ['-co', 'BLOCKXSIZE=16', '-co', 'BLOCKYSIZE=16'];
    const holed: Surface = (lon, lat) => (lon < -76.8 ? null : slope(lon, lat));
    writeGeoTiff(file, LATTICE, holed, [...tiles, ...nowhere]);
    expect(await refusal(file)).toBe(
      'FILE: lacks some of its strips or tiles; if these have no heights, write them: gdal_translate IN.tif OUT.tif; if not, make or download the file again',
    );
    execFileSync('gdal_translate', ['-q', file, at('unsparse.tif')]);
    const [west, east] = await heightsOf(
      [at('unsparse.tif')],
      [
        [-76.9, 39.5],
        [-76.5, 39.5],
      ],
    );
    expect(west).toBeNaN();
    expect(east).toBeCloseTo(slope(-76.5, 39.5)!, 2);
  });

  test('a tag that claims to have hundreds of millions of values', async () => {
    const bytes = readFileSync(translated('big.tif', '-co', 'BIGTIFF=YES'));
    // The number of values of the first tag; an entry has 20 bytes: tag, type, count and value.
    bytes.writeUInt32LE(2 ** 28, 16 + 8 + 4);
    writeFileSync(at('millions.tif'), bytes);
    expect(await refusal(at('millions.tif'))).toMatch(/not a complete GeoTIFF/);
  });

  test('a file that is truncated, of another kind, or missing', async () => {
    const cut = at('cut.tif');
    copyFileSync(plain(), cut);
    truncateSync(cut, readFileSync(cut).length - 5_000);
    expect(await refusal(cut)).toMatch(/truncated/);
    const text = at('text.tif');
    writeFileSync(text, 'heights');
    expect(await refusal(text)).toMatch(/not a complete GeoTIFF/);
    const tile = writeHgt(folder, 39, -77, slope);
    const short = at('N39W078.hgt');
    writeFileSync(short, readFileSync(tile).subarray(2));
    expect(await refusal(short)).toMatch(/has 2884800 bytes/);
    copyFileSync(tile, at('baltimore.hgt'));
    expect(await refusal(at('baltimore.hgt'))).toMatch(/south-west corner/);
    expect(await refusal(at('N38W077.hgt'))).toMatch(/no such file/);
    expect(await refusal(at('heights.asc'))).toMatch(/neither/);
  });
});
