// Makes the batches of this benchmark from the shared data set `squad-train`, and writes them to files that both systems read.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {Tokenizer} from '../../ts/encoders/tokenizer.ts';
import {type TrainingExample, mineNegatives} from '../../ts/training/index.ts';
import {Batches} from '../../ts/training/encoder/batches.ts';
import {shared} from '../qps/harness/folders.ts';
import {linesOf} from '../support/json-lines.ts';
import {type BatchFile, type DataName, commonSettings} from './definition.ts';

/** The folder with generated files. It can be deleted at any time. */
export const cache = join(packageRoot, 'benches', 'training', '.cache');
/** The model that training starts from. */
export const model = join(shared, 'models', 'minilm-base');
/** Questions with passages of about 100 words, and others with sentences of 2 to 160 words. */
export const source = join(shared, 'data', 'squad-train');

const HARD_NEGATIVES = 2;

/** Mines training examples: hard negatives are the best BM25 hits. */
export async function minedExamples(name: DataName): Promise<readonly TrainingExample[]> {
	const options = {hardNegatives: HARD_NEGATIVES};
	if (name === 'passages') {
		const questions = await linesOf<{id: string; question: string; passage: string}>(join(source, 'questions.jsonl.gz'));
		const withPositives = questions.map(({id, question, passage}) => ({id, text: question, positives: [passage]}));
		return (await mineNegatives(withPositives, join(source, 'passages.tsv.gz'), options)).examples;
	}
	const pairs = await linesOf<{id: string; question: string; sentence: string}>(join(source, 'pairs.jsonl.gz'));
	const sentences = [...new Set(pairs.map(({sentence}) => sentence))];
	const ids = new Map(sentences.map((sentence, i) => [sentence, `s${i}`]));
	const questions = pairs.map(({id, question, sentence}) => ({id, text: question, positives: [ids.get(sentence)!]}));
	const passages = sentences.map(text => ({id: ids.get(text)!, text}));
	return (await mineNegatives(questions, passages, options)).examples;
}

/** Batches in a file. */
export interface WrittenBatches {
	readonly file: string;
	readonly batches: readonly BatchFile[];
}

/** Makes batches as `trainEncoder` does in its first epoch, and writes them to a file. */
export async function writeBatches(
	file: string,
	examples: readonly TrainingExample[],
	count: number,
	options: {readonly batchSize: number; readonly hardNegatives: number},
): Promise<WrittenBatches> {
	const all = new Batches(examples, {...options, negatives: 0, inBatch: true, repeat: {}, seed: commonSettings.seed});
	if (all.batchCount < count) {
		throw new Error(`batches: expected at least ${count}, got ${all.batchCount}`);
	}
	const tokenizer = await Tokenizer.load(model);
	const inputs = modelInputs(tokenizer);
	const batches: BatchFile[] = [];
	for (let number = 0; number < count; number += 1) {
		const {questions, titles, texts, positives, excluded} = await all.batch(1, number);
		batches.push({
			questions,
			titles,
			texts,
			positives: [...positives],
			excluded: [...excluded],
			questionIds: questions.map(text => inputs('', text)),
			passageIds: texts.map((text, i) => inputs(titles[i]!, text)),
		});
	}
	mkdirSync(cache, {recursive: true});
	const path = join(cache, file);
	writeFileSync(path, JSON.stringify(batches));
	return {file: path, batches};
}

/**
Makes one batch of the questions of several batches, with each of their passages once. It is added to the file. Its positives are not candidates of
a step, but positions among all passages.
*/
export function addHeldOut({file, batches}: WrittenBatches, from: number): WrittenBatches & {readonly heldOut: BatchFile} {
	const positions = new Map<string, number>();
	const passages: Array<Pick<BatchFile, 'titles' | 'texts' | 'passageIds'>> = [];
	const places = batches.slice(from).map(({titles, texts, passageIds}) =>
		texts.map((text, i) => {
			const key = JSON.stringify([titles[i], text]);
			if (!positions.has(key)) {
				positions.set(key, positions.size);
				passages.push({titles: [titles[i]!], texts: [text], passageIds: [passageIds[i]!]});
			}
			return positions.get(key)!;
		}),
	);
	const questions = batches.slice(from).flatMap(batch => batch.questions);
	const heldOut: BatchFile = {
		questions,
		questionIds: batches.slice(from).flatMap(batch => batch.questionIds),
		positives: batches.slice(from).flatMap(({positives}, i) => positives.map(at => places[i]![at]!)),
		excluded: [],
		titles: passages.flatMap(({titles}) => titles),
		texts: passages.flatMap(({texts}) => texts),
		passageIds: passages.flatMap(({passageIds}) => passageIds),
	};
	const all = [...batches.slice(0, from), heldOut];
	writeFileSync(file, JSON.stringify(all));
	return {file, batches: all, heldOut};
}

/** Number of tokens of a batch. */
export const tokenCount = ({questionIds, passageIds}: BatchFile): number =>
	[...questionIds, ...passageIds].reduce((sum, ids) => sum + ids.length, 0);

/** Number of tokens of a batch if questions are padded to the longest question, and passages to the longest passage. */
export const paddedTokenCount = ({questionIds, passageIds}: BatchFile): number =>
	[questionIds, passageIds].reduce((sum, texts) => sum + texts.length * Math.max(...texts.map(ids => ids.length)), 0);

/** Returns a function that makes `[CLS] title text [SEP]`, truncated to the maximum number of tokens. */
function modelInputs(tokenizer: Tokenizer): (title: string, text: string) => number[] {
	const idOf = (token: string): number => {
		const id = Array.from({length: tokenizer.size}, (_, at) => at).find(at => tokenizer.token(at) === token);
		if (id === undefined) {
			throw new Error(`tokenizer: expected the token ${token}`);
		}
		return id;
	};
	const [first, last] = [idOf('[CLS]'), idOf('[SEP]')];
	return (title, text) => {
		const pieces = tokenizer.tokenize(title === '' ? text : `${title} ${text}`);
		return [first, ...pieces.subarray(0, commonSettings.maxTokens - 2), last];
	};
}
