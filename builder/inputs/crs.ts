import { BuildError } from '../errors.ts';

/** A coordinate reference system as a file describes it. */
interface Crs {
  readonly name: string;
  /** Whether its coordinates are longitude and latitude in degrees. */
  readonly isInDegrees: boolean;
  /** Name of its datum, or names that contain it. */
  readonly datum: string;
}

/** Identifiers of systems in longitude and latitude that differ by two metres at most. */
const LIKE_WGS84: ReadonlySet<string> = new Set([
  'OGC:CRS84',
  'OGC:CRS84H',
  'OGC:CRS83',
  'EPSG:4326',
  'EPSG:4979',
  'EPSG:4269',
  'EPSG:6318',
  'EPSG:4258',
]);

/** Datums that differ by two metres at most, by the names that programs give them. */
const DATUM_LIKE_WGS84 =
  /wgs.?(19)?84|world.geodetic.system.(19)?84|crs.?8[34]|nad.?(19)?83|north.american.(datum.)?(of.)?1983|etrs.?(19)?89|european.terrestrial.reference.system.1989|itrf/i;

/** Whether an identifier such as EPSG:4269 stands for a system like WGS84. */
export function isIdLikeWgs84(authority: string, code: string): boolean {
  return LIKE_WGS84.has(`${authority}:${code}`.toUpperCase());
}

/** Whether coordinates of a system can be used as if they were WGS84. */
export function isLikeWgs84({ isInDegrees, datum }: Crs): boolean {
  return isInDegrees && DATUM_LIKE_WGS84.test(datum);
}

export function otherCoordinates(file: string, name: string): BuildError {
  return new BuildError(
    `${file}: its coordinates are in ${name}; write them in longitude and latitude (EPSG:4326)`,
  );
}

const WKT_HEAD = /^\s*([A-Z_]+)\s*[[(]\s*"([^"]*)"/i;
const GEOGRAPHIC = ['GEOGCS', 'GEOGCRS', 'GEODCRS', 'GEOGRAPHICCRS', 'GEODETICCRS'];
const WKT_DATUM = /\b(?:DATUM|GEODETICDATUM|ENSEMBLE)\s*[[(]\s*"([^"]*)"/i;
const WKT_UNIT = /\b(?:ANGLE)?UNIT\s*[[(]\s*"([^"]*)"/gi;

/** Reads WKT, of either version: the text of a `.prj`. */
export function crsOfWkt(text: string): Crs {
  const [, kind = '', name = ''] = WKT_HEAD.exec(text) ?? [];
  const units = [...text.matchAll(WKT_UNIT)].map(([, unit]) => unit);
  return {
    name: named(name),
    isInDegrees: GEOGRAPHIC.includes(kind.toUpperCase()) && units.some(isDegree),
    datum: `${name} ${WKT_DATUM.exec(text)?.[1] ?? ''}`,
  };
}

/** The parts of PROJJSON that are read. */
interface ProjJson {
  readonly type?: string;
  readonly name?: string;
  readonly id?: { readonly authority?: unknown; readonly code?: unknown };
  readonly datum?: { readonly name?: string };
  readonly datum_ensemble?: { readonly name?: string };
  readonly coordinate_system?: { readonly axis?: readonly { readonly unit?: unknown }[] };
}

/** Throws the error for other coordinates unless a system in PROJJSON is like WGS84. */
export function checkProjJson(file: string, crs: ProjJson): void {
  const { type, name, id, datum, datum_ensemble, coordinate_system } = crs;
  if (id && isIdLikeWgs84(String(id.authority), String(id.code))) return;
  const read: Crs = {
    name: id ? `${id.authority}:${id.code}` : named(name),
    isInDegrees:
      (type === 'GeographicCRS' || type === 'GeodeticCRS') &&
      (coordinate_system?.axis ?? []).slice(0, 2).every(({ unit }) => isDegree(String(unit))),
    datum: (datum ?? datum_ensemble)?.name ?? name ?? '',
  };
  if (!isLikeWgs84(read)) throw otherCoordinates(file, read.name);
}

/** Some programs name a system "unknown". */
function named(name = ''): string {
  return name === '' || /^unknown$/i.test(name) ? 'an unknown reference system' : name;
}

function isDegree(unit: string): boolean {
  return /^degree/i.test(unit);
}
