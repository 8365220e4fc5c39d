/**
The public API of passagekit, except the studies. Importing this module loads neither the native addon nor a model runtime: the first call
that needs the addon loads it, and opening a model loads the runtime.
*/
export * from './calibration/index.ts';
export * from './collection/index.ts';
export * from './corpus/index.ts';
export * from './dense/index.ts';
export * from './encoders/index.ts';
export * from './core/errors.ts';
export * from './evaluation/index.ts';
export * from './fusion/index.ts';
export * from './models/index.ts';
export type {OpenOptions} from './core/open-options.ts';
export * from './phrases/index.ts';
export * from './reader/index.ts';
export * from './sparse/index.ts';
export * from './training/index.ts';
export type * from './core/typed-fields.ts';
export type * from './core/types.ts';
export * from './vocabulary/index.ts';
