import { keepCompiledModules } from './compile-cache.ts';
import { requireNode } from './supported-node.ts';

requireNode('npm start');
keepCompiledModules();
await import('./start-service.ts');
