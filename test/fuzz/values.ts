import type { Dice } from '../transit/dice.ts';

/** Kinds of fields, by which values a specification allows in them. */
type FieldKind =
  | 'text'
  | 'key'
  | 'reference'
  | 'optional reference'
  | 'latitude'
  | 'longitude'
  | 'time'
  | 'date'
  | 'zone'
  | 'whole'
  | 'number'
  | 'positive'
  | RegExp
  | readonly string[];

const FLAG = ['0', '1'];

/**
 * Fields of GTFS (the reference of gtfs.org) by table and column; and by the kind of input and
 * column those of TIGER/Line and of a list of one's own.
 */
const FIELDS: Readonly<Record<string, FieldKind>> = {
  'agency.txt agency_timezone': 'zone',
  'stops.txt stop_id': 'key',
  'stops.txt stop_lat': 'latitude',
  'stops.txt stop_lon': 'longitude',
  'stops.txt location_type': ['', '0', '1', '2', '3', '4'],
  'stops.txt parent_station': 'optional reference',
  'stops.txt stop_timezone': 'zone',
  'stops.txt level_id': 'optional reference',
  'routes.txt route_id': 'key',
  'routes.txt route_type': 'whole',
  'trips.txt trip_id': 'key',
  'trips.txt route_id': 'reference',
  'trips.txt service_id': 'reference',
  'trips.txt direction_id': ['', ...FLAG],
  'stop_times.txt trip_id': 'reference',
  'stop_times.txt stop_id': 'reference',
  'stop_times.txt arrival_time': 'time',
  'stop_times.txt departure_time': 'time',
  'stop_times.txt stop_sequence': 'whole',
  'stop_times.txt pickup_type': ['', '0', '1', '2', '3'],
  'stop_times.txt drop_off_type': ['', '0', '1', '2', '3'],
  'stop_times.txt shape_dist_traveled': 'positive',
  'frequencies.txt trip_id': 'reference',
  'frequencies.txt start_time': 'time',
  'frequencies.txt end_time': 'time',
  'frequencies.txt headway_secs': 'whole',
  'frequencies.txt exact_times': ['', ...FLAG],
  'calendar.txt service_id': 'key',
  'calendar.txt start_date': 'date',
  'calendar.txt end_date': 'date',
  'calendar_dates.txt service_id': 'reference',
  'calendar_dates.txt date': 'date',
  'calendar_dates.txt exception_type': ['1', '2'],
  'transfers.txt from_stop_id': 'reference',
  'transfers.txt to_stop_id': 'reference',
  'transfers.txt transfer_type': ['', '0', '1', '2', '3', '4', '5'],
  'transfers.txt min_transfer_time': 'positive',
  'feed_info.txt feed_start_date': 'date',
  'feed_info.txt feed_end_date': 'date',
  'levels.txt level_id': 'key',
  'levels.txt level_index': 'number',
  'pathways.txt from_stop_id': 'reference',
  'pathways.txt to_stop_id': 'reference',
  'pathways.txt pathway_mode': ['1', '2', '3', '4', '5', '6', '7'],
  'pathways.txt is_bidirectional': FLAG,
  'pathways.txt traversal_time': 'positive',
  'pathways.txt length': 'positive',
  'pathways.txt stair_count': 'number',
  'blocks GEOID20': /^\d{15}$/,
  'blocks INTPTLAT20': 'latitude',
  'blocks INTPTLON20': 'longitude',
  'blocks ALAND20': 'positive',
  'blocks POP20': 'positive',
  'places GEOID': /^\d{7}$/,
  'places INTPTLAT': 'latitude',
  'places INTPTLON': 'longitude',
  'pois id': 'text',
  'pois lat': 'latitude',
  'pois lon': 'longitude',
  'pois type': 'text',
  'pois names': 'text',
  'pois categories': 'text',
  'pois confidence': 'text',
  'weights geoid': 'reference',
  'weights desks': 'whole',
  'weights beds': 'whole',
  ...Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
      `calendar.txt ${day}`,
      FLAG,
    ]),
  ),
};

/**
 * Whether a value is one that the column of a table may have, so that a build with it may differ
 * from one with another value without a word. `others` are the values of the column's rows.
 */
export function mayBe(
  table: string,
  column: string,
  value: string,
  others: readonly string[],
): boolean {
  const kind = FIELDS[`${table} ${column}`] ?? 'text';
  const number = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : Number.NaN;
  if (kind instanceof RegExp) return kind.test(value);
  if (typeof kind !== 'string') return kind.includes(codeIn(value));
  switch (kind) {
    case 'text':
      return true;
    case 'key':
      return false;
    case 'reference':
      return others.includes(value);
    case 'optional reference':
      return value === '' || others.includes(value);
    case 'latitude':
      return Math.abs(number) <= 90;
    case 'longitude':
      return Math.abs(number) <= 180;
    case 'time':
      return TIME.test(value) && Number.parseInt(value, 10) <= 168;
    case 'date': {
      const [, year, month, day] = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)(?:\.0)?$/.exec(value) ?? [];
      const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
      return year !== undefined && date.getUTCMonth() === Number(month) - 1;
    }
    case 'zone':
      return value === '' || ['America/Chicago', 'UTC'].includes(value);
    case 'whole':
      return Number.isSafeInteger(number) && number >= 0;
    case 'positive':
      return value === '' || number >= 0;
    case 'number':
      return value === '' || !Number.isNaN(number);
  }
}

/** Hours and minutes, and seconds, by the clock of 24 or of 12 hours. */
const TIME = /^\d{1,3}:[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[AP]M)?$/i;

/** A code of an enumeration that may be written as a decimal number, or as a truth value. */
function codeIn(value: string): string {
  const words: Readonly<Record<string, string>> = { true: '1', false: '0' };
  return words[value] ?? (/^\d+(\.0*)?$/.test(value) ? String(Number(value)) : value);
}

/** Whether the column only names something, so that times do not depend on it. */
export function isName(table: string, column: string): boolean {
  return !(`${table} ${column}` in FIELDS);
}

const ODD_NUMBERS = [
  '-1',
  '0',
  '1e99',
  '-1e99',
  'NaN',
  'Infinity',
  '1.0',
  '0x10',
  '1,5',
  '-0',
  '1e-400',
  '00001',
  '+1',
  '99999999999999999999',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '٣',
  '1 000',
  '91',
  '181',
  '.5',
  '5.',
  '0.1',
];
const ODD_TIMES = [
  '24:00:00',
  '25:61:00',
  '8:00',
  '08:00',
  '-01:00:00',
  '99:99:99',
  '168:00:00',
  '167:59:59',
  '08.00.00',
  '08:00:00 AM',
  '8:0:0',
  '080000',
  '28800',
  '48:00:00',
  '0:00:00',
  '08:00:00.5',
  '٠٨:٠٠:٠٠',
  'noon',
  '00:00:00',
];
const ODD_DATES = [
  '20260231',
  '2026-01-01',
  '00000000',
  '00010101',
  '99991231',
  '20261301',
  '01/02/2026',
  '20260101T00',
  '19700101',
  '20260108',
  '2026',
  '20260101 ',
  '20260000',
  '-20260101',
];
const ODD_TEXTS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'null',
  'undefined',
  'true',
  '\0',
  'a\0b',
  '"',
  '""',
  'a"b',
  'a,b',
  'a\nb',
  'a\r\nb',
  '\t',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u2028',
  '😀',
  'e\u0301',
  '\ud800',
  '../..',
  '%s%n',

  '<b>',
  '=1+1',
  '\\',
  "'",
  '\u202e',
  '\x1b[31m',
  'America/Chicago',
  'UTC',
  '+01:00',
  'EST5EDT',
  'Mars/Base',
];
const HUGE = [300, 40_000, 70_000, 1_100_000];
const ODD_JSON: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e99,
  1e308,
  1e16,
  0.1,
  [],
  {},
  [[]],
  [null],
  [1, 2],
  { a: null },
  { primary: null },
  { primary: 3 },
  { primary: '__proto__' },
  { primary: [] },
  { primary: { primary: 'x' } },
  { toString: 1 },
  { __proto__: null, length: 3 },
  [{ freeform: 3 }],
  [
    [1, 2],
    [3, 4],
  ],
  { alternate: 'x' },
  { alternate: [null] },
];

/** A value as real files have them where they should not, and as attackers write them. */
export function oddValue(dice: Dice, isJson: boolean): unknown {
  if (isJson && dice.chance(0.5)) return dice.pick(ODD_JSON);
  const lists = [ODD_NUMBERS, ODD_NUMBERS, ODD_TIMES, ODD_DATES, ODD_TEXTS, ODD_TEXTS];
  return dice.chance(0.03) ? 'x'.repeat(dice.pick(HUGE)) : dice.pick(dice.pick(lists));
}
