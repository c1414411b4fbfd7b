/** How a route's rows are laid out where they are not JSON. */
export interface RowTable {
  /** Members of a row, those of nested objects with a dot; in CSV the dot is an underscore. */
  readonly columns: readonly string[];
  /** Rows have `lon` and `lat`, and can be points of GeoJSON. */
  readonly hasPoints: boolean;
}

/** Members of a POI besides its id. */
export const POI_FACTS: readonly string[] = [
  'name',
  'lon',
  'lat',
  'address.street',
  'address.city',
  'address.state',
  'address.zip',
];
/** How long one travels, and by what. */
export const TIME: readonly string[] = ['mode', 'travel_time'];

export const CATEGORY_TIMES: RowTable = {
  columns: ['dest_type_id', ...TIME],
  hasPoints: false,
};
export const POI_TIMES: RowTable = {
  columns: ['dest_id', ...TIME, ...POI_FACTS],
  hasPoints: true,
};
export const POIS: RowTable = { columns: ['dest_id', ...POI_FACTS], hasPoints: true };
export const CATCHMENT: RowTable = {
  columns: ['dest_id', 'geoid', ...TIME],
  hasPoints: false,
};
export const AREAL: RowTable = {
  columns: ['geoid', 'dest_type_id', 'mode_id', ...TIME, 'reason', 'population'],
  hasPoints: false,
};

/** A table of rows that also say which of several origins they are from. */
export function withOrigin(table: RowTable, origin: readonly string[]): RowTable {
  return { ...table, columns: [...origin, ...table.columns] };
}
