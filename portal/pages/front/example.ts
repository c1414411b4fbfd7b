export const MODES = ['walk', 'bike', 'transit'] as const;

/** A block, and minutes from it by each mode; `null`: no row. */
interface Example {
  readonly geoid: string;
  readonly population: number;
  readonly landAreaM2: number;
  readonly rows: readonly {
    readonly type: number;
    readonly name: string;
    readonly minutes: readonly (number | null)[];
  }[];
}

/** Response of the demo city that `npm start` builds. */
export const EXAMPLE: Example = {
  geoid: '990010012003080',
  population: 313,
  landAreaM2: 15_608,
  rows: [
    { type: 101, name: 'Grocery store', minutes: [5.4, 2.4, 5.4] },
    { type: 301, name: 'Preschool', minutes: [8.5, 4, 8.5] },
    { type: 401, name: 'Hospital', minutes: [6.7, 3.1, 6.7] },
    { type: 512, name: 'Medium park', minutes: [26.9, 9.3, 18.1] },
    { type: 601, name: 'Library', minutes: [6.2, 2.7, 6.2] },
    { type: 604, name: 'Movie theater', minutes: [null, 14.8, null] },
  ],
};

const SUMMARY = `/v1/blocks/${EXAMPLE.geoid}/summary`;
const WANTED = ['mode=walk', ...EXAMPLE.rows.map(({ type }) => `type=${type}`)];

const A_LINE = 4;
const data = WANTED.map((wanted) => `-d ${wanted}`);

/** The example request: minutes on foot to each of these types. */
export const REQUEST = [
  `curl -G "$API${SUMMARY}"`,
  '  -H "Authorization: Bearer $KEY"',
  `  ${data.slice(0, A_LINE).join(' ')}`,
  `  ${data.slice(A_LINE).join(' ')}`,
].join(' \\\n');

/** The raw response, apart from its line breaks. */
export function responseText(): string {
  const { geoid, population, landAreaM2 } = EXAMPLE;
  const rows = EXAMPLE.rows.flatMap(({ type: dest_type_id, minutes: [travel_time] }) =>
    travel_time === null ? [] : [JSON.stringify({ dest_type_id, mode: 'walk', travel_time })],
  );
  return [
    `{"block":{"geoid":"${geoid}",`,
    `  "population":${population},"land_area_m2":${landAreaM2}},`,
    ' "results":[',
    ...rows.map((row, i) => `  ${row}${i + 1 < rows.length ? ',' : ']}'}`),
  ].join('\n');
}
