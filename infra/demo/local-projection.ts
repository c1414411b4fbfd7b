import type { Degrees, Metres } from '../../shards/units.ts';

/** Where the demo city lies: in the open Atlantic, so that nobody takes it for a real place. */
const ORIGIN = { lon: -70 as Degrees, lat: 36 as Degrees };

/** OpenStreetMap keeps coordinates to 10⁻⁷ degrees, about a centimetre. */
const UNITS_PER_DEGREE = 1e7;

/**
 * Degrees of a point so many metres east and north of the origin, on OpenStreetMap's raster. The
 * projection is sinusoidal: distances along the parallels and areas are true, and distances along
 * the origin's meridian; a north-south step of a lattice in metres is too long by at most 1 in
 * 10⁵ within 40 km of it.
 */
export function toDegrees(east: Metres, north: Metres): readonly [lon: Degrees, lat: Degrees] {
  let lat = ORIGIN.lat;
  // The degree's length changes so slowly that the second step is exact to a millimetre.
  for (let step = 0; step < 2; step++) {
    lat = ORIGIN.lat + north / metresPerDegreeOfLatitude((ORIGIN.lat + lat) / 2);
  }
  const lon = ORIGIN.lon + east / metresPerDegreeOfLongitude(lat);
  return [
    Math.round(lon * UNITS_PER_DEGREE) / UNITS_PER_DEGREE,
    Math.round(lat * UNITS_PER_DEGREE) / UNITS_PER_DEGREE,
  ];
}

/**
 * The standard series for the WGS84 ellipsoid, good to a millimetre a degree. On purpose not the
 * formula that the builder measures streets with: the city is an oracle for it.
 */
function metresPerDegreeOfLatitude(lat: Degrees): Metres {
  const phi = (lat * Math.PI) / 180;
  return (
    111_132.95255 -
    559.84957 * Math.cos(2 * phi) +
    1.17514 * Math.cos(4 * phi) -
    0.0023 * Math.cos(6 * phi)
  );
}

function metresPerDegreeOfLongitude(lat: Degrees): Metres {
  const phi = (lat * Math.PI) / 180;
  return 111_412.87733 * Math.cos(phi) - 93.50412 * Math.cos(3 * phi) + 0.11774 * Math.cos(5 * phi);
}
