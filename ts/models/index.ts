/** Finds models: in folders, among passagekit's own, and on the Hugging Face hub. */
export {downloadModel, type DownloadOptions, type ModelUse} from './hub.ts';
export {type ModelOptions, resolveModel} from './resolve.ts';
