import { useState } from 'preact/hooks';
import type { Device } from '../../responses.ts';
import { devices, endSession } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { momentOf } from '../formats.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { StackingTable } from '../parts/tables.tsx';
import { deviceName } from './activity-text.ts';

export function Devices() {
  const loaded = useLoaded(devices);
  const [ending, setEnding] = useState<Device | null>(null);
  return (
    <Section id="devices" title="Signed-in devices">
      <Shown of={loaded} what="devices">
        {(all) => (
          <StackingTable
            rows={all}
            columns={[
              ['Device', ({ client }) => deviceName(client)],
              ['IP address', ({ address }) => address],
              ['Signed in', ({ started_at }) => momentOf(started_at)],
              ['Last seen', ({ seen_at }) => momentOf(seen_at)],
              [
                'Action',
                (device) =>
                  device.current ? (
                    <span class="tag">this device</span>
                  ) : (
                    <button
                      type="button"
                      class="button button-small"
                      aria-label={`Sign out ${inWords(device)}`}
                      onClick={() => setEnding(device)}
                    >
                      Sign out
                    </button>
                  ),
                'action',
              ],
            ]}
          />
        )}
      </Shown>
      {ending && (
        <ConfirmDialog
          title="Sign this device out?"
          action="Sign out this device"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await endSession(ending.id);
            setEnding(null);
            await loaded.reload();
          }}
        >
          <p>{inWords(ending)}. API keys keep working.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function inWords({ client, started_at }: Device): string {
  return `${deviceName(client)}, signed in ${momentOf(started_at)}`;
}
