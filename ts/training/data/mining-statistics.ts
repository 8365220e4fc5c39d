/** What mining did: which questions were dropped, which candidates were rejected, and which negatives are missing. */

/** Why a question did not become a training example. */
export type DropReason =
	/** It has neither ids of positives, nor a context, nor answers, or not the one that the option `positives` asks for. */
	| 'nothingToMatch'
	/** None of the ids of its positives is in the corpus. */
	| 'unknownIds'
	/** No passage of the corpus has enough in common with its context. */
	| 'unmatchedContext'
	/** Passages have enough in common with its context, but none of them contains an answer. */
	| 'contextWithoutAnswer'
	/** None of the best passages for question and answer contains an answer (distant supervision). */
	| 'noPassageWithAnswer';

/** Why a candidate is not a negative. */
export type RejectionReason =
	/** It is a positive of the question. */
	| 'positive'
	/** Its score is outside `minScore` and `maxScore`. */
	| 'score'
	/** Its score is too close to that of the positive (`margin`, `relativeMargin`). */
	| 'margin'
	/** It contains an answer. */
	| 'answer'
	/** Its text equals or nearly equals that of a positive. */
	| 'duplicate';

/** The result of mining in numbers. */
export interface MiningStatistics {
	/** Number of questions. */
	readonly questions: number;
	/** Number of training examples: the questions that were not dropped. */
	readonly examples: number;
	/** Ids of the dropped questions, by reason. */
	readonly dropped: Readonly<Record<DropReason, readonly string[]>>;
	/** Number of examples, by how their positives were found: given ids, matched contexts, or distant supervision by answers. */
	readonly positives: {readonly ids: number; readonly contexts: number; readonly answers: number};
	/** Number of ids of positives that are not in the corpus. Their questions are dropped only if no other id is in the corpus. */
	readonly unknownIds: number;
	/** Number of negatives that were asked for but not found, because too few candidates were left. */
	readonly missing: {readonly hardNegatives: number; readonly randomNegatives: number; readonly goldNegatives: number};
	/** Number of examples with fewer negatives than asked for. */
	readonly shortExamples: number;
	/**
	Number of candidates that were rejected, by the first reason that applied. Candidates are only looked at until enough negatives are found.
	*/
	readonly rejected: Readonly<Record<RejectionReason, number>>;
	/** Number of examples without hard negatives because the searcher has no score for their positive. Only margins need this score. */
	readonly unscoredPositives: number;
}

/** The order in which the addon returns the numbers of rejected candidates. */
const rejectionReasons = ['positive', 'score', 'margin', 'answer', 'duplicate'] as const;

/** Counts while questions are mined. */
export class MiningCounts {
	questions = 0;
	examples = 0;
	unknownIds = 0;
	shortExamples = 0;
	unscoredPositives = 0;
	readonly positives = {ids: 0, contexts: 0, answers: 0};
	readonly missing = {hardNegatives: 0, randomNegatives: 0, goldNegatives: 0};
	readonly #dropped: Record<DropReason, string[]> = {
		nothingToMatch: [],
		unknownIds: [],
		unmatchedContext: [],
		contextWithoutAnswer: [],
		noPassageWithAnswer: [],
	};
	readonly #rejected: Record<RejectionReason, number> = {positive: 0, score: 0, margin: 0, answer: 0, duplicate: 0};

	drop(question: string, reason: DropReason): void {
		this.#dropped[reason].push(question);
	}

	/** Adds numbers of rejected candidates, as the addon returns them. */
	reject(counts: Uint32Array): void {
		for (const [i, reason] of rejectionReasons.entries()) {
			this.#rejected[reason] += counts[i]!;
		}
	}

	statistics(): MiningStatistics {
		const {questions, examples, unknownIds, shortExamples, unscoredPositives, positives, missing} = this;
		return {
			questions,
			examples,
			dropped: this.#dropped,
			positives,
			unknownIds,
			missing,
			shortExamples,
			rejected: this.#rejected,
			unscoredPositives,
		};
	}
}
