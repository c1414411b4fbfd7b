import { CodeBlock } from '../parts/code-block.tsx';
import { Section } from '../parts/page.tsx';
import { EXAMPLE, MODES, REQUEST, responseText } from './example.ts';

const MINUTES = 30;
const WIDTH = 190;

export function ExampleResponse() {
  return (
    <Section id="example" title="One block, one response" class="example">
      <div class="example-parts">
        <div class="card">
          <table class="strips">
            <caption>
              Minutes from block <code>{EXAMPLE.geoid}</code> of the demo city
            </caption>
            <thead>
              <tr>
                <th scope="col">To the nearest</th>
                {MODES.map((mode) => (
                  <th key={mode} scope="col" class="number">
                    <svg class="mode-mark" aria-hidden="true" viewBox="0 3 14 14">
                      <Mark mode={mode} x={7} />
                    </svg>
                    {mode}
                  </th>
                ))}
                <td class="strip" aria-hidden="true">
                  <Axis />
                </td>
              </tr>
            </thead>
            <tbody>
              {EXAMPLE.rows.map(({ type, name, minutes }) => (
                <tr key={type}>
                  <th scope="row">{name}</th>
                  {minutes.map((time, i) => (
                    <td key={MODES[i]} class="number">
                      {time?.toFixed(1) ?? <span class="quiet">&gt; 30</span>}
                    </td>
                  ))}
                  <td class="strip" aria-hidden="true">
                    <Strip minutes={minutes} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="quiet">
            No row means “not within 30 minutes”. Transit times are the 10th percentile of
            door-to-door times for departures between 8:00 and 9:00.
          </p>
        </div>
        <div class="example-code">
          <CodeBlock what="Request, on foot" text={REQUEST} />
          <CodeBlock what="Response" text={responseText()} />
        </div>
      </div>
    </Section>
  );
}

function Axis() {
  return (
    <svg class="strip-svg" aria-hidden="true" viewBox={`-8 0 ${WIDTH + 16} 20`}>
      {[0, 10, 20, 30].map((minute) => (
        <text key={minute} class="tick" x={(minute / MINUTES) * WIDTH} y="14">
          {minute}
        </text>
      ))}
    </svg>
  );
}

function Strip({ minutes }: { readonly minutes: readonly (number | null)[] }) {
  return (
    <svg class="strip-svg" aria-hidden="true" viewBox={`-8 0 ${WIDTH + 16} 20`}>
      <path class="strip-line" d={`M0 10H${WIDTH}`} />
      {minutes.map((time, i) => {
        if (time === null) return null;
        const x = (time / MINUTES) * WIDTH;
        return <Mark key={MODES[i]} mode={MODES[i]} x={x} />;
      })}
    </svg>
  );
}

/** The mark of a mode; modes differ in shape as well as colour. */
function Mark({ mode, x }: { readonly mode: (typeof MODES)[number]; readonly x: number }) {
  if (mode === 'walk') return <circle class="of-walk" cx={x} cy="10" r="5.5" />;
  if (mode === 'bike') return <rect class="of-bike" x={x - 4.5} y="5.5" width="9" height="9" />;
  return <path class="of-transit" d={`M${x} 3.5L${x + 6} 14.5H${x - 6}Z`} />;
}
