/** Says why people, table and files are missing if facts of some blocks cannot be found. */
export function FarNote() {
  return (
    <p role="status">
      Some of these blocks are outside this release, or more than a degree away from the map: people
      cannot be counted, and there is no table or file. If the map is elsewhere, move it there.
    </p>
  );
}
