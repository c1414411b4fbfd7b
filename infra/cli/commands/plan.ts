import type { Command } from 'commander';
import { pathsIn } from '../../../builder/build-request.ts';
import { cutUnits } from '../../../builder/plan/cut-units.ts';
import type { StoredPlan } from '../../../builder/plan/release-plan.ts';
import { whileBuilding } from '../../../builder/publish/output.ts';
import { planRelease } from '../../../builder/tasks/plan-release.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { counted } from '../../../shards/number-words.ts';
import { countyInWords } from '../../../shards/states.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import { planSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { addInputs, type InputFlags, readInputs } from '../input-options.ts';
import { print } from '../print.ts';
import { readTogether, run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

export function definePlan(command: Command): void {
  command.addHelpText(
    'after',
    '\nEqual inputs give the same plan. `tta build` plans first, and reuses an existing plan.',
  );
  addSettings(addInputs(command), planSchema).action((flags: InputFlags & Flags) =>
    run(() => plan(flags)),
  );
}

async function plan(flags: InputFlags & Flags): Promise<void> {
  const [request, set] = await readTogether(
    () => readInputs(flags),
    () => readSettings(planSchema, flags),
  );
  const planned = await whileOpen(openWritableStore(set.STORE), (store) =>
    whileBuilding(store, pathsIn(request), () =>
      planRelease(request, store, terminalProgress(process.stderr)),
    ),
  );
  print(...inWords(planned, set.UNIT_BLOCKS));
}

function inWords(
  { ref, plan: { counties, county_names, modes, feeds, feeds_left_out } }: StoredPlan,
  most: number,
): string[] {
  const blocksOf = (group: readonly string[]) =>
    group.reduce((sum, county) => sum + counties[county].blocks, 0);
  const all = Object.keys(counties);
  const units = cutUnits(counties, most);
  const named = (county: string) => countyInWords(county, county_names[county]);
  return [
    `${ref.name}: ${counted(blocksOf(all), 'block')} in ${counted(all.length, 'county', 'counties')}; ${modes.join(', ')}`,
    ...feeds.map(({ facts }) => `feed ${facts.file}: service day ${facts.service_date}`),
    ...feeds_left_out.map(({ file, reason }) => `feed ${file}: left out: ${reason}`),
    ...units.map(
      (unit, i) =>
        `unit ${i + 1}: ${counted(blocksOf(unit), 'block')}; ${unit.map(named).join(', ')}`,
    ),
  ];
}
