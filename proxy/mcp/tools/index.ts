import type { Tool } from '../tool.ts';
import { comparePlaces } from './compare-places.ts';
import { explainBlock } from './explain-block.ts';
import { findBlocks } from './find-blocks.ts';
import { checkBalance, findPlace, listTypes } from './free-tools.ts';
import { measureCoverage } from './measure-coverage.ts';
import { reachFrom } from './reach-from.ts';

/** Every tool, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  findPlace,
  listTypes,
  explainBlock,
  comparePlaces,
  measureCoverage,
  findBlocks,
  reachFrom,
  checkBalance,
];
