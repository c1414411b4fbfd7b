import { releaseFacts } from '../api/service.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { counted, dateOf, dayMonthYear } from '../parts/formats.ts';
import { Section } from '../parts/section.tsx';
import { Shown } from '../parts/shown.tsx';
import { WideTable } from '../parts/wide-table.tsx';

const COMPONENTS: Readonly<Record<string, string>> = {
  road_network: 'Streets and paths',
  transit_network: 'Timetables',
  pois: 'Points of interest',
  blocks: 'Census blocks',
  parks: 'Parks',
};

/** Sources of the current release. */
export function ReleaseFacts({ api }: { readonly api: string | null }) {
  return (
    <Section id="facts" title="Data in this release" class="facts">
      {api !== null && <Facts api={api} />}
    </Section>
  );
}

function Facts({ api }: { readonly api: string }) {
  const facts = useLoaded(() => releaseFacts(api));
  return (
    <Shown of={facts} what="release details">
      {({ release, last_updated, components, modes, types }) => (
        <>
          <p>
            Release <strong>{release}</strong>, published {dateOf(last_updated)}:{' '}
            {counted(types.filter((type) => type.is_leaf).length, 'destination type')}; travel by{' '}
            {modes.map(({ mode }) => mode).join(', ')}.
          </p>
          <WideTable label="Data versions">
            <thead>
              <tr>
                <th scope="col">Data</th>
                <th scope="col">As of</th>
                <th scope="col">Version</th>
              </tr>
            </thead>
            <tbody>
              {components.map(({ component, version, effective_date }) => (
                <tr key={component}>
                  <th scope="row">{COMPONENTS[component] ?? component}</th>
                  <td>{dayMonthYear(effective_date)}</td>
                  <td>
                    <code>{version}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </WideTable>
        </>
      )}
    </Shown>
  );
}
