import {configurationFile} from '../storage/run-folder.ts';
import type {Model} from '../storage/inputs.ts';
import type {Settings, Study, studyFormat} from './study.ts';

/** All that decides what a run finds: the same configuration gives the same bytes. */
export interface Configuration {
	readonly format: typeof studyFormat;
	readonly dataset: string;
	readonly passagekit: string;
	/** The version of `onnxruntime-node`; none for a library named by the user. */
	readonly onnxruntime: string | null;
	readonly seeds: {readonly graph: number};
	readonly corpus: {readonly sha256: string};
	readonly questions: Study['questions'];
	readonly models: {readonly encoder: Model; readonly questionEncoder?: Model; readonly reader: Model | null};
	readonly settings: Settings;
	readonly ks: readonly number[];
	readonly overlapKs: readonly number[];
	/** Values of α that were tried for the hybrids. */
	readonly grid: readonly number[];
	/** Values of λ that were tried, where it is tuned. */
	readonly lambdas?: readonly number[];
}

/** Where the parts of a run are, in its folder. */
export const parts = {
	configuration: configurationFile,
	collection: 'collection',
	runs: 'runs',
	readings: 'reader.readings',
	json: 'report.json',
	markdown: 'report.md',
	html: 'report.html',
} as const;
