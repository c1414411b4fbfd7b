import { endBySignals, keepCompiledModules } from './program-start.ts';
import { requireNode } from './supported-node.ts';

requireNode('npm start');
endBySignals();
keepCompiledModules();
await import('./start-service.ts');
