/** How a route's rows are laid out where they are not JSON. */
export interface RowTable {
  /** Members of a row, those of nested objects with a dot; in CSV the dot is an underscore. */
  readonly columns: readonly string[];
  /** Rows have `lon` and `lat`, and can be points of GeoJSON. */
  readonly hasPoints: boolean;
}

const POI = ['dest_id', 'name', 'lon', 'lat'];
const ADDRESS = ['address.street', 'address.city', 'address.state', 'address.zip'];

export const CATEGORY_TIMES: RowTable = {
  columns: ['dest_type_id', 'mode', 'travel_time'],
  hasPoints: false,
};
export const POI_TIMES: RowTable = {
  columns: ['dest_id', 'mode', 'travel_time', 'name', 'lon', 'lat', ...ADDRESS],
  hasPoints: true,
};
export const POIS: RowTable = { columns: [...POI, ...ADDRESS], hasPoints: true };
export const CATCHMENT: RowTable = {
  columns: ['dest_id', 'geoid', 'mode', 'travel_time'],
  hasPoints: false,
};
export const AREAL: RowTable = {
  columns: ['geoid', 'dest_type_id', 'mode_id', 'travel_time', 'reason', 'population'],
  hasPoints: false,
};

/** A table of rows that also say which of several origins they are from. */
export function withOrigin(table: RowTable, origin: readonly string[]): RowTable {
  return { ...table, columns: [...origin, ...table.columns] };
}
