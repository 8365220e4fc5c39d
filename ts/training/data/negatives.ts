/** Selects the negatives of questions, and makes their training examples. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {isFilterable} from '../../core/filterable.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {hitsFor, nativeRun} from '../../core/native/runs.ts';
import type {Passage, Run, Searcher} from '../../core/types.ts';
import type {MiningCorpus} from './mining-corpus.ts';
import type {CheckedMiningOptions} from './mining-options.ts';
import type {MiningCounts} from './mining-statistics.ts';
import type {QuestionWithPositives} from './positives.ts';
import type {TrainingExample, TrainingPassage} from './training-example.ts';

/** A selected passage. */
interface Negative {
	readonly id: string;
	readonly score?: number;
}

/** The three kinds of negatives of one question. */
interface Negatives {
	readonly hardNegatives: readonly Negative[];
	readonly randomNegatives: readonly Negative[];
	readonly goldNegatives: readonly Negative[];
}

type NegativeKind = keyof Negatives;

/** Makes training examples of questions and their positives. */
export class ExampleMaker {
	readonly #corpus: MiningCorpus;
	readonly #options: CheckedMiningOptions;
	readonly #counts: MiningCounts;
	/** The positives of all questions, from which gold negatives are drawn. */
	readonly #gold: Binding.PassageIds | undefined;

	constructor(corpus: MiningCorpus, options: CheckedMiningOptions, counts: MiningCounts, gold: Binding.PassageIds | undefined) {
		this.#corpus = corpus;
		this.#options = options;
		this.#counts = counts;
		this.#gold = gold;
	}

	/** Returns the examples of a batch of questions. */
	async examples(questions: readonly QuestionWithPositives[]): Promise<TrainingExample[]> {
		const hard = await this.#hardNegatives(questions);
		const random = await this.#drawn(questions, 'randomNegatives', [hard], undefined);
		const gold = await this.#drawn(questions, 'goldNegatives', [hard, random], this.#gold);
		const negatives = questions.map((_, i) => ({
			hardNegatives: hard[i]!,
			randomNegatives: random[i]!,
			goldNegatives: gold[i]!,
		}));
		negatives.forEach(each => this.#countMissing(each));
		const passages = await this.#corpus.passages(
			questions.flatMap(({positives}, i) => [...positives, ...Object.values(negatives[i]!).flatMap(list => list.map(({id}) => id))]),
		);
		this.#counts.examples += questions.length;
		const examples: TrainingExample[] = [];
		for (const [i, question] of questions.entries()) {
			await yieldIfOverBudget();
			examples.push(exampleOf(question, negatives[i]!, passages, this.#options.dataset));
		}
		return examples;
	}

	async #hardNegatives(questions: readonly QuestionWithPositives[]): Promise<Negative[][]> {
		const {hardNegatives: count, maxRank, margin, relativeMargin, signal} = this.#options;
		if (count === 0) {
			return questions.map(() => []);
		}
		const searcher = this.#options.searcher ?? (await this.#corpus.bm25());
		const run = await searcher.searchMany(
			questions.map(({question: {id, text}}) => ({id, text})),
			{k: maxRank, signal},
		);
		const handle = await nativeRun(run);
		const scores = margin === undefined && relativeMargin === undefined ? [] : await this.#positiveScores(questions, searcher, run);
		const miner = await this.#miner(questions, [], scores);
		return this.#select(count, async (selection, control) => miner.selectHits(handle, selection, control));
	}

	/** Draws negatives at random from `passages`, or from all passages of the corpus. `others` are the negatives that were selected before. */
	async #drawn(
		questions: readonly QuestionWithPositives[],
		kind: 'randomNegatives' | 'goldNegatives',
		others: ReadonlyArray<readonly Negative[][]>,
		passages: Binding.PassageIds | undefined,
	): Promise<Negative[][]> {
		const count = this.#options[kind];
		if (count === 0) {
			return questions.map(() => []);
		}
		const miner = await this.#miner(questions, others, []);
		return this.#select(count, async (selection, control) => miner.draw(passages, selection, control));
	}

	async #miner(
		questions: readonly QuestionWithPositives[],
		others: ReadonlyArray<readonly Negative[][]>,
		scores: ReadonlyArray<number | undefined>,
	): Promise<Binding.NegativeMiner> {
		const miner = new native.NegativeMiner(this.#corpus.texts, this.#options.answerKind === 'pattern');
		for (const [i, {question, answers, positives}] of questions.entries()) {
			await yieldIfOverBudget();
			// Passages that are labeled as positive are no negatives, also if the positives of the examples were found in another way.
			const excluded = [...(question.positives ?? []), ...others.flatMap(lists => lists[i]!.map(({id}) => id))];
			miner.add(question.id, [...answers], [...positives], excluded, scores[i]);
		}
		return miner;
	}

	/** Runs a selection of the addon, counts what it rejected, and returns the negatives of each question. */
	async #select(
		count: number,
		run: (selection: Binding.NativeNegativeSelection, control: Binding.Control) => Promise<Binding.SelectedNegatives>,
	): Promise<Negative[][]> {
		const {minRank, maxRank, minScore, maxScore, margin, relativeMargin, sampling, maxOverlap, seed, signal} = this.#options;
		const limits = Object.fromEntries(
			Object.entries({minScore, maxScore, margin, relativeMargin}).filter(([, limit]) => limit !== undefined),
		);
		const selection = {count, minRank, maxRank, ...limits, isRandom: sampling === 'random', maxOverlap, seed};
		const {ids, scores, counts, rejections} = await callNative({signal}, async control => run(selection, control));
		this.#counts.reject(rejections);
		let next = 0;
		return [...counts].map(length =>
			Array.from({length}, () => {
				const at = next++;
				return Number.isNaN(scores[at]!) ? {id: ids[at]!} : {id: ids[at]!, score: scores[at]!};
			}),
		);
	}

	/** Returns the score of each question's first positive: that of its hit or, if it is not among the hits, that of a filtered search. */
	async #positiveScores(questions: readonly QuestionWithPositives[], searcher: Searcher, run: Run): Promise<Array<number | undefined>> {
		const scores: Array<number | undefined> = [];
		const {signal} = this.#options;
		for (const {question, positives} of questions) {
			await yieldIfOverBudget();
			const [positive] = positives;
			let hit = hitsFor(run, question.id).find(({id}) => id === positive);
			if (hit === undefined && isFilterable(searcher)) {
				const filter = {ids: [positive!]};
				[hit] = await searcher.search(question.text, {k: 1, filter, signal});
			}
			this.#counts.unscoredPositives += hit === undefined ? 1 : 0;
			scores.push(hit?.score);
		}
		return scores;
	}

	#countMissing(negatives: Negatives): void {
		let isShort = false;
		for (const kind of ['hardNegatives', 'randomNegatives', 'goldNegatives'] satisfies NegativeKind[]) {
			const missing = this.#options[kind] - negatives[kind].length;
			this.#counts.missing[kind] += missing;
			isShort ||= missing > 0;
		}
		this.#counts.shortExamples += isShort ? 1 : 0;
	}
}

function exampleOf(
	{question, answers, positives}: QuestionWithPositives,
	{hardNegatives, randomNegatives, goldNegatives}: Negatives,
	passages: ReadonlyMap<string, Passage>,
	dataset: string | undefined,
): TrainingExample {
	const passageOf = ({id, score}: Negative): TrainingPassage => {
		const {title, text} = passages.get(id)!;
		return {id, ...(title === undefined ? {} : {title}), text, ...(score === undefined ? {} : {score})};
	};
	return {
		question: question.text,
		answers: [...answers],
		positives: positives.map(id => passageOf({id})),
		hardNegatives: hardNegatives.map(passageOf),
		negatives: [...randomNegatives, ...goldNegatives].map(passageOf),
		...(dataset === undefined ? {} : {dataset}),
	};
}
