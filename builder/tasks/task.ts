import { z } from 'zod';
import { COUNTED_NAME } from '../../shards/access/access-columns.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import {
  countyFipsSchema,
  DIRECTIONS,
  latestSchema,
  objectRefSchema,
  releaseSchema,
} from '../../shards/release/manifest.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import type { ReleaseRequest } from '../build-request.ts';
import { tableJobSchema } from '../export/tables.ts';
import { partOptionsOf } from '../join/join-release.ts';
import { blocksOf, bytesOfUnit, cutUnits, DEFAULT_UNIT_BLOCKS } from '../plan/cut-units.ts';
import { type LocalInput, plannedInputSchema } from '../plan/planned-input.ts';
import type { ReleasePlan, StoredPlan } from '../plan/release-plan.ts';
import { jobSpecSchema } from '../prepare/preparation.ts';
import { archiveGroups } from '../tiles/tile-work.ts';

const unit = z.array(countyFipsSchema).min(1).readonly();
const units = z.array(unit).readonly();

const ofRelease = {
  plan: objectRefSchema,
  request: z.strictObject({
    release: releaseSchema,
    tiles: z.boolean(),
    directions: z.array(z.enum(DIRECTIONS)).min(1).readonly(),
    access: z.array(z.string().regex(COUNTED_NAME)).readonly(),
  }),
};

const joined = { ...ofRelease, units, parts: units };

/**
 * Schema of a task: a kind of work, and its inputs by their contents. Its results go to the store
 * and its outcome is a receipt there, whose key follows from the task, so it can run in any thread
 * and on any machine, and again. It names no path and no key, since anyone with access to a queue
 * can put tasks there.
 */
export const taskSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('prepare'),
    spec: jobSpecSchema,
    inputs: z.array(plannedInputSchema).readonly(),
  }),
  z.strictObject({ kind: z.literal('unit'), ...ofRelease, counties: unit }),
  /** The part of the join that makes the objects of some units' counties. */
  z.strictObject({ kind: z.literal('part'), ...ofRelease, units, counties: unit }),
  /** The census places of the release, from all parts. */
  z.strictObject({ kind: z.literal('states'), ...joined }),
  /** The tiles around a unit, and its access classes; see `drawTiles`, `makeAccessClasses`. */
  z.strictObject({ kind: z.literal('tiles'), ...joined, counties: unit }),
  /** A group of archives of the tiles of all units, see `joinArchives`. */
  z.strictObject({ kind: z.literal('archives'), ...joined, group: z.int().min(0) }),
  z.strictObject({ kind: z.literal('join'), ...joined }),
  z.strictObject({ kind: z.literal('table'), latest: latestSchema, table: tableJobSchema }),
]);
export type Task = z.infer<typeof taskSchema>;
export type TaskOf<Kind extends Task['kind']> = Extract<Task, { kind: Kind }>;

/** A task in a graph, with those that must be done before it. */
export interface TaskNode {
  /** Identifies the task among all tasks for a store. */
  readonly id: string;
  readonly task: Task;
  /** Begun in this order. */
  readonly after: readonly TaskNode[];
  readonly inputs: readonly LocalInput[];
  /** An estimate of the memory that the task takes; 0 if any machine has enough. */
  readonly memory: Bytes;
}

const ID_DIGITS = 16;

export function idOf(madeOf: readonly unknown[]): string {
  return hashOfJson(madeOf).slice(0, ID_DIGITS);
}

/** Blocks of a part of a join: larger ones read their surroundings less often. */
const PART_BLOCKS = 200_000;

/**
 * Returns the graph of a build after its plan, by its last task, the join. Parts wait for all
 * units, whose rows lead into them; tiles for the parts, which have their POIs; archives for all
 * tiles. The unit that takes longest begins first, since it would end last. A part has the counties
 * of units that have up to `partBlocks` blocks together.
 */
export function tasksOf(
  { ref, plan }: Pick<StoredPlan, 'ref' | 'plan'>,
  request: ReleaseRequest,
  unitBlocks = DEFAULT_UNIT_BLOCKS,
  partBlocks = PART_BLOCKS,
): TaskNode {
  const { release } = request;
  const options = partOptionsOf({ ...request, plan: { plan } });
  const build = idOf([ref.sha256, release, options]);
  const common = { plan: ref, request: { release, ...options } };
  const units = cutUnits(plan.counties, unitBlocks);
  const pairsOf = (counties: readonly CountyFips[]) =>
    counties.reduce((sum, county) => sum + plan.counties[county].pairs, 0);
  const longestFirst = [...units].sort((a, b) => pairsOf(b) - pairsOf(a));
  const unitNodes = longestFirst.map((counties) => ({
    id: `${build}-unit-${counties[0]}`,
    task: { kind: 'unit' as const, ...common, counties },
    after: [],
    inputs: [],
    memory: bytesOfUnit(blocksOf(plan.counties, counties)),
  }));
  const parts = partsOf(plan, units, partBlocks);
  const nodeOf = (name: string, task: Task, after: readonly TaskNode[]): TaskNode => {
    return { id: `${build}-${name}`, task, after, inputs: [], memory: 0 };
  };
  const partNodes = parts.map((counties) =>
    nodeOf(`part-${counties[0]}`, { kind: 'part', ...common, units, counties }, unitNodes),
  );
  const joined = { ...common, units, parts };
  const states = nodeOf('states', { kind: 'states', ...joined }, partNodes);
  const join = (after: readonly TaskNode[]) => nodeOf('join', { kind: 'join', ...joined }, after);
  if (!options.tiles) return join([states]);
  const tileNodes = units.map((counties) =>
    nodeOf(`tiles-${counties[0]}`, { kind: 'tiles', ...joined, counties }, [states]),
  );
  const { modes, taxonomy } = plan;
  const hasLines = plan.service_date !== null;
  const archives = archiveGroups({ modes, taxonomy, hasBaseMap: true, hasLines }).map((_, group) =>
    nodeOf(`archives-${group}`, { kind: 'archives', ...joined, group }, tileNodes),
  );
  return join(archives);
}

/** Groups consecutive units into parts, whose counties ascend. */
function partsOf(
  { counties }: Pick<ReleasePlan, 'counties'>,
  units: readonly (readonly CountyFips[])[],
  most: number,
): CountyFips[][] {
  const parts: CountyFips[][] = [];
  let room = 0;
  for (const unit of units) {
    const blocks = blocksOf(counties, unit);
    if (parts.length === 0 || blocks > room) {
      parts.push([]);
      room = most;
    }
    parts.at(-1)!.push(...unit);
    room -= blocks;
  }
  return parts.map((part) => part.sort());
}

/** Whether a task runs in several threads itself, so that no other should run beside it. */
export function usesAllThreads({ kind }: Task): boolean {
  return kind === 'unit' || kind === 'part' || kind === 'tiles';
}

/** Names a task for people. */
export function nameOf(task: Task): string {
  if (task.kind === 'unit') return `unit of ${task.counties.join(', ')}`;
  if (task.kind === 'prepare') {
    return `prepare ${task.spec.kind} of ${task.inputs.map(({ name }) => name).join(', ')}`;
  }
  if (task.kind === 'part') return `part of the join from ${task.counties[0]} on`;
  if (task.kind === 'tiles') return `tiles around ${task.counties[0]}`;
  if (task.kind === 'archives') return `group ${task.group} of the tile archives`;
  if (task.kind !== 'table') return task.kind;
  const { table, county } = task.table;
  return county === null ? `table ${table}` : `table ${table} of county ${county}`;
}
