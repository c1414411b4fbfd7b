/** Says why people, table and files are missing where the map is elsewhere. */
export function FarNote() {
  return (
    <p role="status">
      The map is more than a degree away from these blocks. Move it there to count people, and for
      the table and files.
    </p>
  );
}
