/** Names of sources, by their prefixes in the version of a data component. */
const NAMES: Readonly<Record<string, string>> = {
  osm: 'OpenStreetMap',
  gtfs: 'GTFS feeds of the transit agencies',
  files: 'POI lists of the operator',
  elevation: 'elevation models',
  tabblock20: 'US Census Bureau, TIGER/Line 2020',
};

/** The sources of a data component, from a version such as `osm-12ab+gtfs-34cd/timetable-56ef`. */
export function sourcesOf(version: string): string {
  const [sources] = version.split('/');
  const kinds = sources.split('+').map((source) => source.split('-')[0]);
  return kinds.map((kind) => NAMES[kind] ?? kind).join('; ');
}
