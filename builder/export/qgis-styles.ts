import { classLabel, MAP_COLOURS } from '../../portal/map-classes.ts';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import type { Release } from '../../shards/release/release.ts';

const { classes, beyond, stripe } = MAP_COLOURS.light;

/** An entry of a legend: the features that a QGIS expression selects, and their colour. */
interface Swatch {
  readonly label: string;
  readonly filter: string;
  readonly colour: string;
  /** Colour of stripes over the fill. */
  readonly stripe?: string;
}

const classSwatches = (minutes: string): readonly Swatch[] =>
  BAND_ENDS.map((end, i) => ({
    label: `${classLabel(i)} min`,
    filter: `${minutes} > ${BAND_ENDS[i - 1] ?? -1} and ${minutes} <= ${end}`,
    colour: classes[i],
  }));

/**
 * QGIS style for blocks with minutes: those of the table `blocks` joined with `nearest_wide`, or of
 * GeoJSON from the API. The layer's variable `column` names the column of minutes. Blocks without
 * land are not drawn, as on the map.
 */
export function blockStyle({ manifest, taxonomy }: Release): string {
  const [mode] = manifest.modes;
  const column = `${mode}_${taxonomy.labelOf(taxonomy.leafIds[0])}`;
  const minutes = 'attribute(@column)';
  // Rows of the API have a reason instead of these columns; a boolean in CSV is a text.
  const onFoot = manifest.modes.includes('step_free')
    ? "if(@column like 'step_free%' or @column like 'transit_step_free%', 'step_free_linked', 'walk_linked')"
    : "'walk_linked'";
  const isLinked = `coalesce(attribute('reason') <> 'no-data', to_string(attribute(if(@column like 'bike%', 'bike_linked', ${onFoot}))) <> 'false', true)`;
  const hasLand = `coalesce(attribute('land_area_m2'), 1) > 0`;
  const swatches: readonly Swatch[] = [
    ...classSwatches(minutes),
    {
      label: `over ${BAND_ENDS.at(-1)} min`,
      filter: `${minutes} is null and ${isLinked}`,
      colour: beyond,
    },
    {
      label: 'no street near',
      filter: `${minutes} is null and not ${isLinked} and ${hasLand}`,
      colour: beyond,
      stripe,
    },
  ];
  const rules = swatches.map(
    ({ label, filter }, i) =>
      `   <rule key="{${i}}" symbol="${i}" label="${escaped(label)}" filter="${escaped(filter)}"/>\n`,
  );
  return `${HEADER}
 <customproperties>
  <Option type="Map">
   <Option type="List" name="variableNames"><Option type="QString" value="column"/></Option>
   <Option type="List" name="variableValues"><Option type="QString" value="${column}"/></Option>
  </Option>
 </customproperties>
 <renderer-v2 type="RuleRenderer" forceraster="0" symbollevels="0" enableorderby="0">
  <rules key="{minutes}">
${rules.join('')}  </rules>
  <symbols>
${swatches.map((swatch, i) => symbolOf(swatch, `${i}`)).join('')}  </symbols>
 </renderer-v2>
</qgis>
`;
}

/**
 * QGIS style for vector tiles of bands. Tiles are empty where the nearest POI is over 30 minutes
 * away or no street is near.
 */
export function bandStyle(): string {
  const styles = classSwatches('"minutes"').map(
    (
      swatch,
    ) => `   <style name="${swatch.label}" layer="bands" geometry="2" enabled="1" min-zoom="-1" max-zoom="-1" expression="${escaped(swatch.filter)}">
    <symbols>
${symbolOf(swatch, '0')}    </symbols>
   </style>
`,
  );
  return `${HEADER}
 <renderer type="basic">
  <styles>
${styles.join('')}  </styles>
 </renderer>
</qgis>
`;
}

const HEADER = `<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0">`;

/** Returns a fill whose outline has the same colour, so that no gap shows between neighbours. */
function symbolOf({ colour, stripe }: Swatch, name: string): string {
  const fill = layerOf('SimpleFill', {
    color: rgba(colour),
    outline_color: rgba(colour),
    outline_width: '0.1',
    outline_width_unit: 'MM',
  });
  const line = layerOf('SimpleLine', { line_color: rgba(stripe ?? colour), line_width: '0.4' });
  const stripes = layerOf(
    'LinePatternFill',
    { angle: '45', distance: '1.2', distance_unit: 'MM' },
    `<symbol type="line" name="@${name}@1">\n${line}</symbol>\n`,
  );
  return `<symbol type="fill" name="${name}">\n${fill}${stripe === undefined ? '' : stripes}</symbol>\n`;
}

function layerOf(kind: string, options: Readonly<Record<string, string>>, symbol = ''): string {
  const members = Object.entries(options).map(
    ([name, value]) => `<Option type="QString" name="${name}" value="${value}"/>\n`,
  );
  return `<layer class="${kind}" enabled="1" pass="0" locked="0">\n<Option type="Map">\n${members.join('')}</Option>\n${symbol}</layer>\n`;
}

/** Converts `#rrggbb` to the notation of QGIS. */
function rgba(colour: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return [...channels, 255].join();
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
