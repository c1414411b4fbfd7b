#!/usr/bin/env node
import { requireNode } from '../supported-node.ts';

requireNode('tta');
await import('./main.ts');
