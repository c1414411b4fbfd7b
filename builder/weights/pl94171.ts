import type { Readable } from 'node:stream';
import { PEOPLE, WEIGHT_SOURCES } from '../../shards/weights/weight.ts';
import { BuildError } from '../errors.ts';
import type { ZipInput } from '../inputs/zip.ts';
import {
  type CountedArea,
  countIn,
  type WantedCounts,
  type WeightFacts,
  type WeightFile,
} from './weight-file.ts';

/** Indices of fields in the geographic header, and in a segment, whose data begin at `data`. */
const GEO = { sumlev: 2, logrecno: 7, geocode: 9 };
const SEGMENT = { logrecno: 4, data: 5 };
/** The summary level of blocks. */
const BLOCK = '750';

/**
 * Index of the first field of a table. Segment 1 has the tables P1 and P2; segment 2 has P3, P4 and
 * H1. `FIELDS` are the numbers of fields in the two segments.
 */
const P1 = SEGMENT.data;
const P2 = P1 + 71;
const P3 = SEGMENT.data;
const H1 = P3 + 71 + 73;
const FIELDS = [P2 + 73, H1 + 3];

const SOURCE = { source: WEIGHT_SOURCES.redistricting, year: 2020 };

interface Cell extends WeightFacts {
  readonly segment: 0 | 1;
  readonly field: number;
}

/**
 * The cells that become weights, each with the index of its segment (0 for segment 1) and its
 * field.
 */
const CELLS: readonly Cell[] = [
  cell(1, P3, 'people_18_plus', 'People of 18 years and over'),
  cell(0, P2 + 1, 'hispanic', 'Hispanic or Latino'),
  cell(0, P2 + 4, 'white_not_hispanic', 'White alone, not Hispanic or Latino'),
  cell(0, P1 + 2, 'white', 'White alone'),
  cell(0, P1 + 3, 'black', 'Black or African American alone'),
  cell(0, P1 + 4, 'american_indian', 'American Indian and Alaska Native alone'),
  cell(0, P1 + 5, 'asian', 'Asian alone'),
  cell(0, P1 + 6, 'pacific_islander', 'Native Hawaiian and Other Pacific Islander alone'),
  cell(0, P1 + 7, 'other_race', 'Some Other Race alone'),
  cell(0, P1 + 8, 'two_or_more_races', 'Two or More Races'),
  cell(1, H1, 'housing_units', 'Housing units', 'housing units'),
  cell(1, H1 + 1, 'households', 'Occupied housing units', 'households'),
];

function cell(segment: 0 | 1, field: number, weight: string, label: string, unit = 'people'): Cell {
  return { segment, field, weight, label, unit, ...SOURCE };
}

const POPULATION = [cell(0, P1, PEOPLE.weight, PEOPLE.label)];

/**
 * Opens the zip archive of a state's redistricting data as the Census Bureau publishes it: the
 * geographic header and the segments, which are pipe-delimited and have the same records in the
 * same order, joined by the logical record number (2020 Census State Redistricting Data Summary
 * File, technical documentation).
 */
export function openPl94171(zip: ZipInput, wanted: WantedCounts): WeightFile {
  const cells = wanted === 'people' ? POPULATION : CELLS;
  const { path } = zip;
  const [geo, ...segments] = ['geo2020.pl', '000012020.pl', '000022020.pl'].map(
    (ending) => zip.endingWith(ending)[0],
  );
  if (geo === undefined || segments.some((name) => name === undefined)) {
    zip.close();
    throw new BuildError(
      `${path}: lacks the geographic header or a segment of PL 94-171 (…geo2020.pl, …000012020.pl, …000022020.pl)`,
    );
  }
  return {
    path,
    weights: cells.map(({ segment: _, field: _f, ...facts }) => facts),
    omitsZeros: false,
    rows: rowsOf(zip, geo, segments as string[], cells),
  };
}

async function* rowsOf(
  zip: ZipInput,
  geo: string,
  segments: readonly string[],
  wanted: readonly Cell[],
): AsyncGenerator<CountedArea> {
  try {
    const headers = linesOf(zip.stream(geo));
    const data = segments.map((name) => linesOf(zip.stream(name)));
    let line = 0;
    for await (const header of headers) {
      line++;
      const place = header.split('|');
      const records = await Promise.all(data.map(async (lines) => (await lines.next()).value));
      if (place[GEO.sumlev] !== BLOCK) continue;
      const row = `record ${line}`;
      const cells = records.map((record, i) => {
        const fields = (record ?? '').split('|');
        const isSame = fields[SEGMENT.logrecno] === place[GEO.logrecno];
        if (isSame && fields.length === FIELDS[i]) return fields;
        throw new BuildError(
          `${zip.path}: ${segments[i]}: ${row} is not of ${FIELDS[i]} fields for the block in ${geo}; download it again`,
        );
      });
      const counts = wanted.map(({ segment, field, weight }) =>
        countIn(cells[segment][field].trim(), zip.path, row, weight),
      );
      yield { area: place[GEO.geocode] ?? '', counts, row };
    }
  } finally {
    zip.close();
  }
}

async function* linesOf(stream: Readable): AsyncGenerator<string, undefined> {
  stream.setEncoding('latin1');
  let pending = '';
  for await (const chunk of stream) {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop()!;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (pending !== '') yield pending;
}
