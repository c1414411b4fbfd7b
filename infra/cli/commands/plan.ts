import type { Command } from 'commander';
import { pathsIn } from '../../../builder/build-request.ts';
import { cutUnits } from '../../../builder/plan/cut-units.ts';
import { planRelease } from '../../../builder/plan/make-plan.ts';
import type { StoredPlan } from '../../../builder/plan/release-plan.ts';
import { whileBuilding } from '../../../builder/publish/output.ts';
import { Receipts } from '../../../builder/receipts/receipts.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import { planSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { addInputs, type InputFlags, readInputs } from '../input-options.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .description(
      'Freeze what all parts of a release have in common, and say how it would be cut into units.',
    )
    .addHelpText(
      'after',
      '\nThe same inputs are the same plan; `tta build` makes it first, and takes over one that is there.',
    );
  addSettings(addInputs(command), planSchema).action((flags: InputFlags & Flags) =>
    run(() => plan(flags)),
  );
}

async function plan(flags: InputFlags & Flags): Promise<void> {
  const request = readInputs(flags);
  const set = readSettings(planSchema, flags);
  const store = await openWritableStore(set.STORE);
  try {
    const resolvedRequest = await whileBuilding(store, pathsIn(request), () =>
      planRelease(request, store, terminalProgress(process.stderr), new Receipts(store)),
    );
    process.stdout.write(inWords(resolvedRequest, set.UNIT_BLOCKS));
  } finally {
    await store.close();
  }
}

function inWords({ ref, plan: { counties, modes, inputs } }: StoredPlan, most: number): string {
  const blocksOf = (group: readonly string[]) =>
    group.reduce((sum, county) => sum + counties[county].blocks, 0);
  const all = Object.keys(counties);
  const units = cutUnits(counties, most);
  const lines = [
    `${ref.name}: ${blocksOf(all)} blocks in ${all.length} counties; ${modes.join(', ')}`,
    ...inputs.gtfs.map((feed) =>
      feed.service_date === null
        ? `feed ${feed.name}: another version of one that is read, left out`
        : `feed ${feed.name}: read on ${feed.service_date}`,
    ),
    ...units.map((unit, i) => `unit ${i + 1}: ${blocksOf(unit)} blocks; ${unit.join(', ')}`),
  ];
  return `${lines.join('\n')}\n`;
}
