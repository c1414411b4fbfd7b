import { useApiAddress } from '../api/use-api-address.ts';

/** Footer of every page, with the sources of the data. */
export function Footer() {
  const api = useApiAddress();
  return (
    <footer class="site-foot">
      <p>
        Streets and points of interest: ©{' '}
        <a href="https://www.openstreetmap.org/copyright">OpenStreetMap contributors</a>, ODbL.
        Blocks: US Census Bureau. Timetables: feeds of the transit agencies.
      </p>
      {api !== null && (
        <ul>
          <li>
            <a href={`${api}/docs`}>API reference</a>
          </li>
          <li>
            <a href={`${api}/openapi.json`}>OpenAPI document</a>
          </li>
        </ul>
      )}
    </footer>
  );
}
