/** Studies of three papers on any data set, each with a report: exported as `passagekit/studies`. */
export * from './phrases/index.ts';
export * from './replication/index.ts';
export * from './vocabulary/index.ts';
