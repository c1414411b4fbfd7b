#!/usr/bin/env node
import { endBySignals, keepCompiledModules } from '../program-start.ts';
import { requireNode } from '../supported-node.ts';

requireNode('tta');
endBySignals();
keepCompiledModules();
await import('./main.ts');
