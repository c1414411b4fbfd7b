#!/usr/bin/env node
import { keepCompiledModules } from '../compile-cache.ts';
import { requireNode } from '../supported-node.ts';

requireNode('tta');
keepCompiledModules();
await import('./main.ts');
