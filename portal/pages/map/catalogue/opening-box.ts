/** West, south, east, north, degrees. */
type Box = readonly number[];

/**
 * Returns the box in which a map opens: that of the POIs, since blocks of water may reach far out,
 * clipped to that of the blocks, since stations may lie far beyond them.
 */
export function openingBox(blocks: Box, pois: Box | null): Box {
  if (pois === null) return blocks;
  const box = blocks.map((edge, i) => (i < 2 ? Math.max : Math.min)(edge, pois[i]));
  return box[0] < box[2] && box[1] < box[3] ? box : blocks;
}
