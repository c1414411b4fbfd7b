import { useState } from 'preact/hooks';
import type { Device } from '../../responses.ts';
import { devices, endSession } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { momentOf } from '../formats.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { deviceName } from './activity-text.ts';

export function Devices() {
  const loaded = useLoaded(devices);
  const [ending, setEnding] = useState<Device | null>(null);
  return (
    <Section id="devices" title="Signed-in devices">
      <Shown of={loaded} what="devices">
        {(all) => (
          <table class="stacking">
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">IP address</th>
                <th scope="col">Signed in</th>
                <th scope="col">Last seen</th>
                <th scope="col">
                  <span class="unseen">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((device) => (
                <tr key={device.id}>
                  <th scope="row">{deviceName(device.client)}</th>
                  <td data-name="IP address">{device.address}</td>
                  <td data-name="Signed in">{momentOf(device.started_at)}</td>
                  <td data-name="Last seen">{momentOf(device.seen_at)}</td>
                  <td class="action">
                    {device.current ? (
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
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
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
