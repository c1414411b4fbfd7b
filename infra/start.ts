import { requireNode } from './supported-node.ts';

requireNode('npm start');
await import('./start-service.ts');
