import { type Command, InvalidArgumentError, Option } from 'commander';
import { collectGarbage, storedFiles } from '../../../builder/publish/collect-garbage.ts';
import { findManifest, latestIfAny, promoteRelease } from '../../../builder/publish/promote-release.ts';
import { LATEST } from '../../../shards/manifest.ts';
import { objectsNamed } from '../../../shards/manifest-objects.ts';
import { MANIFESTS, readManifest } from '../../../shards/manifests.ts';
import { openRelease, Release, ReleaseCache } from '../../../shards/release.ts';
import { openStore } from '../../../shards/store/open-store.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { verifyRelease } from '../../../shards/verify.ts';
import { run, UsageError } from '../run.ts';
import { terminalProgress } from '../terminal-progress.ts';

const CACHE_BYTES = 1 << 30;
const DEFAULT_KEEP = 2;
const DEFAULT_GRACE_HOURS = 24;
