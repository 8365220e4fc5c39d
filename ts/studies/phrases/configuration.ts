import type {Counted, Model} from '../storage/inputs.ts';
import {configurationFile} from '../storage/run-folder.ts';
import type {PhraseModel} from './protocol/models.ts';
import type {PhraseSettings} from './study.ts';

/** All that decides what a run finds: the same configuration gives the same bytes. */
export interface PhraseConfiguration {
	readonly format: 'passagekit phrase study 2';
	readonly dataset: string;
	readonly passagekit: string;
	/** The version of `onnxruntime-node`; none for a library named by the user. */
	readonly onnxruntime: string | null;
	readonly corpus: {readonly sha256: string};
	readonly questions: readonly Counted[];
	readonly qrels: {readonly sha256: string} | null;
	readonly encoder: Model;
	readonly questionEncoder?: Model;
	readonly models: readonly PhraseModel[];
	readonly settings: PhraseSettings;
}

/** Where the parts of a run are, in its folder. */
export const parts = {
	configuration: configurationFile,
	/** Passages and the BM25 index. */
	collection: 'collection',
	/** Indexes of phrases. */
	models: 'models',
	/** What was found among all passages, and among candidates. */
	runs: 'runs',
	candidateRuns: 'candidates',
	json: 'results.json',
	markdown: 'report.md',
	html: 'report.html',
} as const;
