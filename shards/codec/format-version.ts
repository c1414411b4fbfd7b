/** The version of every binary layout in `shards/`. Readers reject any other. */
export const FORMAT_VERSION = 5;
