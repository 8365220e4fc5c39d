/** The folders that a training run writes encoders to. */
import {join} from 'node:path';
import type {TrainedEncoder} from './result.ts';

/** The folders of the question encoders and passages. */
export function folders(folder: string, areSeparate: boolean): Pick<TrainedEncoder, 'folder' | 'passageFolder'> {
	return areSeparate ? {folder: join(folder, 'question'), passageFolder: join(folder, 'passage')} : {folder, passageFolder: folder};
}
