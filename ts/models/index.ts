export {downloadModel, type DownloadOptions} from './hub.ts';
export {type ModelOptions, resolveModel} from './resolve.ts';
