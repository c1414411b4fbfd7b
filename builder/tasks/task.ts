import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  countyFipsSchema,
  DIRECTIONS,
  latestSchema,
  objectRefSchema,
  releaseSchema,
} from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import type { ReleaseRequest } from '../build-request.ts';
import { tableJobSchema } from '../export/table-job.ts';
import { blocksOf, bytesOfUnit, cutUnits, DEFAULT_UNIT_BLOCKS } from '../plan/cut-units.ts';
import type { StoredPlan } from '../plan/release-plan.ts';

const unit = z.array(countyFipsSchema).min(1).readonly();

const ofRelease = {
  plan: objectRefSchema,
  request: z.strictObject({
    release: releaseSchema,
    tiles: z.boolean(),
    directions: z.array(z.enum(DIRECTIONS)).min(1).readonly(),
  }),
};

/**
 * Schema of a task: a kind of work, and its inputs by their contents. Its results go to the store
 * and its outcome is a receipt there, so it can run in any thread and on any machine, and again. It
 * names no path, since anyone with access to a queue can put tasks there.
 */
export const taskSchema = z.discriminatedUnion('kind', [
  /** A preparation, whose definition is an object of the store; see `StoredJob`. */
  z.strictObject({ kind: z.literal('prepare'), job: objectRefSchema }),
  z.strictObject({ kind: z.literal('unit'), ...ofRelease, counties: unit }),
  z.strictObject({ kind: z.literal('join'), ...ofRelease, units: z.array(unit).readonly() }),
  /** Runs while no other process writes a release. */
  z.strictObject({ kind: z.literal('publish'), ...ofRelease }),
  z.strictObject({
    kind: z.literal('table'),
    /** Version of the program that is to write the table: all tables must have the same bytes. */
    program: z.string().max(100),
    latest: latestSchema,
    table: tableJobSchema,
  }),
]);
export type Task = z.infer<typeof taskSchema>;
export type TaskOf<Kind extends Task['kind']> = Extract<Task, { kind: Kind }>;

/** A task in a graph, with those that must be done before it. */
export interface TaskNode {
  /** Identifies the task among all tasks for a store. */
  readonly id: string;
  /** Id that the tasks of one build, plan or export share. */
  readonly build: string;
  readonly task: Task;
  readonly after: readonly TaskNode[];
  /** An estimate of the memory that the task takes; 0 if any machine has enough. */
  readonly memory: Bytes;
  /** The place in the order in which waiting tasks begin, the lowest first. */
  readonly turn: number;
}

const ID_DIGITS = 16;

/** Id for what is made from some inputs. */
export function buildIdOf(madeOf: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(madeOf)).digest('hex');
  return digest.slice(0, ID_DIGITS);
}

/** Returns the id of a build: the same for the same release of the same plan. */
export function releaseIdOf(
  plan: ObjectRef,
  { release, tiles = true, directions = DIRECTIONS }: ReleaseRequest,
): string {
  return buildIdOf([plan.sha256, release, tiles, directions]);
}

/**
 * Returns the graph of a build after its plan, by its last task, the publication, which waits for
 * the join, which waits for all units. The unit that takes longest begins first, since it would
 * end last.
 */
export function tasksOf(
  { ref, plan }: Pick<StoredPlan, 'ref' | 'plan'>,
  request: ReleaseRequest,
  unitBlocks = DEFAULT_UNIT_BLOCKS,
): TaskNode {
  const { release, tiles = true, directions = DIRECTIONS } = request;
  const build = releaseIdOf(ref, request);
  const common = { plan: ref, request: { release, tiles, directions } };
  const node = { build, memory: 0, turn: 0 };
  const units = cutUnits(plan.counties, unitBlocks);
  const pairsOf = (counties: readonly CountyFips[]) =>
    counties.reduce((sum, county) => sum + plan.counties[county].pairs, 0);
  const longestFirst = [...units].sort((a, b) => pairsOf(b) - pairsOf(a));
  const unitNodes = units.map((counties) => ({
    ...node,
    id: `${build}-unit-${counties[0]}`,
    task: { kind: 'unit' as const, ...common, counties },
    after: [],
    memory: bytesOfUnit(blocksOf(plan.counties, counties)),
    turn: 1 + longestFirst.indexOf(counties),
  }));
  const join = {
    ...node,
    id: `${build}-join`,
    task: { kind: 'join' as const, ...common, units },
    after: unitNodes,
  };
  const task = { kind: 'publish' as const, ...common };
  return { ...node, id: `${build}-publish`, task, after: [join] };
}

/** Lists a task and all that must be done before it, itself first. */
export function tasksIn(root: TaskNode): TaskNode[] {
  return [root, ...root.after.flatMap(tasksIn)];
}

/** Names a task for people. */
export function nameOf(task: Task): string {
  if (task.kind === 'unit') return `unit of ${task.counties.join(', ')}`;
  if (task.kind !== 'table') return task.kind;
  const { table, county } = task.table;
  return county === null ? `table ${table}` : `table ${table} of county ${county}`;
}
