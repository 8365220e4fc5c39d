// Starts `attached-worker.ts`. A worker thread must register tsx before it can import TypeScript.
import {register} from 'tsx/esm/api';

register();
await import('./attached-worker.ts');
