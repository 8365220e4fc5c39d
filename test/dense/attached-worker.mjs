// Node starts no worker from TypeScript.
import {register} from 'tsx/esm/api';

register();
await import('./attached-worker.ts');
