import { fileURLToPath } from 'node:url';
import { CLASS_ENDS, classLabel, MAP_COLOURS } from '../../portal/map-classes.ts';
import { type Outlines, readOutlines } from '../../shards/fgb/outlines.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openRelease } from '../../shards/release/release-source.ts';
import { openStore } from '../../shards/store/open-store.ts';
import { type Bytes, type Degrees, MICRO } from '../../shards/units.ts';

const LIBRARIES = 601;
const CACHE_BYTES: Bytes = 64 * 2 ** 20;
const WIDTH = 960;
const MARGIN = 24;
const LEGEND_WIDTH = 250;
const { classes: COLOURS, beyond: BEYOND } = MAP_COLOURS.light;

type LonLat = readonly [lon: Degrees, lat: Degrees];

/** A block as it is drawn. */
interface DrawnBlock {
  readonly rings: readonly (readonly LonLat[])[];
  /** Index into `CLASS_ENDS`; past the last: beyond 30 minutes. */
  readonly cls: number;
  readonly people: number;
}

/**
 * Draws the README's picture from the demo city's store: blocks by minutes on foot to the nearest
 * library, and how many people live in each class.
 */
async function picture(location: string): Promise<string> {
  const release = await openRelease(await openStore(location), new ReleaseCache(CACHE_BYTES));
  const blocks: DrawnBlock[] = [];
  for (const { manifest } of release.counties) blocks.push(...(await blocksOf(release, manifest)));
  return draw(blocks);
}

/** The blocks of a county that are linked to streets: the others are water. */
async function blocksOf(release: Release, county: CountyManifest): Promise<DrawnBlock[]> {
  const index = await release.index(county);
  const { objects } = county;
  const bytes = await release.store.readRange(objects.blocks, 0, objects.blocks.bytes);
  const outlines = readOutlines(objects.blocks.name, bytes);
  const ordinals = Array.from(index.geoids.keys()).filter((block) => index.isRoutable(block));
  const rows = await release.nearestRows(county, Uint32Array.from(ordinals));
  const column =
    release.manifest.modes.indexOf('walk') * release.taxonomy.leafIds.length +
    release.taxonomy.leafIds.indexOf(LIBRARIES);
  return ordinals.map((block, i) => ({
    rings: ringsOf(outlines, block),
    cls: classOf(rows[i][column] / 10),
    people: index.population(block) ?? 0,
  }));
}

function ringsOf({ firstRing, firstPoint, x, y }: Outlines, block: number): LonLat[][] {
  const rings: LonLat[][] = [];
  for (let ring = firstRing[block]; ring < firstRing[block + 1]; ring++) {
    const points: LonLat[] = [];
    for (let at = firstPoint[ring]; at < firstPoint[ring + 1]; at++) {
      points.push([x[at] / MICRO, y[at] / MICRO]);
    }
    rings.push(points);
  }
  return rings;
}

/** Index of a class; past the last: beyond 30 minutes, which is stored as 0. */
function classOf(minutes: number): number {
  return minutes === 0 ? CLASS_ENDS.length : CLASS_ENDS.findIndex((bound) => minutes <= bound);
}

function colourOf(cls: number): string {
  return COLOURS[cls] ?? BEYOND;
}

function draw(blocks: readonly DrawnBlock[]): string {
  const { project, height } = projectionOf(blocks.flatMap(({ rings }) => rings.flat()));
  const pathOf = ({ rings }: DrawnBlock) =>
    rings.map((ring) => `M${ring.map((point) => project(point)).join('L')}Z`).join('');
  const people = new Float64Array(CLASS_ENDS.length + 1);
  for (const block of blocks) people[block.cls] += block.people;
  const layers = Array.from(people.keys(), (cls) => {
    const paths = blocks.filter((block) => block.cls === cls).map(pathOf);
    return `<path d="${paths.join('')}" fill="${colourOf(cls)}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Map of a fictional city: minutes on foot to the nearest library, by census block">
<rect width="100%" height="100%" fill="#fff"/>
<g stroke="#fff" stroke-width=".5" fill-rule="evenodd">
${layers.join('\n')}
</g>
${legend(people)}
</svg>
`;
}

/** Fits points into the width that the legend leaves. */
function projectionOf(points: readonly LonLat[]) {
  const bounds = (axis: 0 | 1) =>
    points.reduce(
      ([least, most], point) => [Math.min(least, point[axis]), Math.max(most, point[axis])],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    );
  const [[west, east], [south, north]] = [bounds(0), bounds(1)];
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = (WIDTH - LEGEND_WIDTH - 3 * MARGIN) / ((east - west) * shrink);
  const project = ([lon, lat]: LonLat) => {
    const [x, y] = [(lon - west) * shrink * scale, (north - lat) * scale];
    return `${(MARGIN + x).toFixed(1)} ${(MARGIN + y).toFixed(1)}`;
  };
  return { project, height: Math.ceil((north - south) * scale) + 2 * MARGIN };
}

function legend(people: Float64Array): string {
  const all = people.reduce((sum, count) => sum + count, 0);
  const most = people.reduce((a, b) => Math.max(a, b));
  const left = WIDTH - LEGEND_WIDTH - MARGIN;
  const rows = Array.from(people, (count, cls) => {
    const y = MARGIN + 66 + cls * 26;
    const label = labelOf(cls);
    return `<rect x="${left + 74}" y="${y}" width="${((count / most) * 120).toFixed(1)}" height="18" fill="${colourOf(cls)}" stroke="#888" stroke-width=".5"/>
<text x="${left + 66}" y="${y + 14}" text-anchor="end">${label}</text>
<text x="${left + 80 + (count / most) * 120}" y="${y + 14}">${Math.round((100 * count) / all)} %</text>`;
  });
  return `<g font-family="system-ui, sans-serif" font-size="13" fill="#222">
<text x="${left}" y="${MARGIN + 16}" font-size="17" font-weight="600">Walk to a library</text>
<text x="${left}" y="${MARGIN + 38}">share of people, by census block</text>
${rows.join('\n')}
<text x="${left}" y="${MARGIN + 66 + people.length * 26 + 22}" fill="#666">Port Meridian, a fictional city</text>
</g>`;
}

function labelOf(cls: number): string {
  if (cls === CLASS_ENDS.length) return 'over 30';
  return cls === 0 ? `${classLabel(cls)} min` : classLabel(cls);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await picture(process.argv[2] ?? 'var/store'));
}
