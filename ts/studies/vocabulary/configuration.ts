import type {Counted, Model} from '../storage/inputs.ts';
import {configurationFile} from '../storage/run-folder.ts';
import type {Baseline, VocabularySettings} from './study.ts';

/** All that decides what a run finds: the same configuration gives the same bytes. */
export interface VocabularyConfiguration {
	readonly format: 'passagekit vocabulary study 2';
	readonly dataset: string;
	readonly passagekit: string;
	/** The version of `onnxruntime-node`; none for a library named by the user. */
	readonly onnxruntime: string | null;
	readonly corpus: {readonly sha256: string};
	readonly questions: readonly Counted[];
	readonly qrels: {readonly sha256: string} | null;
	readonly encoder: Model;
	readonly questionEncoder?: Model;
	readonly head: Model;
	readonly baseline: Baseline;
	readonly enrichment: boolean;
	readonly settings: VocabularySettings;
}

/** Where the parts of a run are, in its folder. */
export const parts = {
	configuration: configurationFile,
	/** Passages and the BM25 index. */
	collection: 'collection',
	/** The BM25 index of word pieces. */
	wordPieces: 'bm25-wordpiece',
	/** Of the corpus, by encoder. */
	vectors: 'vectors',
	runs: 'runs',
	analyses: 'analyses',
	json: 'results.json',
	markdown: 'report.md',
	html: 'report.html',
} as const;
