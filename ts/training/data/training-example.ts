/** A training example of a dense retriever, and the check of examples that come from JavaScript. */
import {checkArray, checkObject, checkString, isWellFormed, kindOf, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';

/** A passage of a training example. */
export interface TrainingPassage {
	/** Id of the passage in its corpus. */
	readonly id?: string;
	/** Title of the document that the passage was split from. */
	readonly title?: string;
	readonly text: string;
	/** Score of the searcher that found the passage. */
	readonly score?: number;
}

/** A question with passages to train a dense retriever on (Karpukhin et al., 2020, §3.2). */
export interface TrainingExample {
	readonly question: string;
	/** Accepted answers. */
	readonly answers: readonly string[];
	/** Passages that answer the question. DPR trains with the first one. */
	readonly positives: readonly TrainingPassage[];
	/** Passages that do not answer the question although a searcher ranks them high, best first. */
	readonly hardNegatives: readonly TrainingPassage[];
	/** Other passages that do not answer the question. */
	readonly negatives: readonly TrainingPassage[];
	/** Name of the data set that the question is from. */
	readonly dataset?: string;
}

/** Accepts a training example from JavaScript. Strings must be well-formed Unicode, because a file could not store others. */
export function checkExample(what: string, example: unknown): asserts example is TrainingExample {
	checkObject(what, example, '{question, answers, positives, hardNegatives, negatives}');
	checkText(`${what}: question`, example['question']);
	checkArray(`${what}: answers`, example['answers'], 'strings');
	for (const [i, answer] of example['answers'].entries()) {
		checkText(`${what}: answers[${i}]`, answer);
	}
	for (const list of ['positives', 'hardNegatives', 'negatives'] as const) {
		const passages = example[list];
		checkArray(`${what}: ${list}`, passages, '{text}');
		for (const [i, passage] of passages.entries()) {
			checkTrainingPassage(`${what}: ${list}[${i}]`, passage);
		}
	}
	checkOptionalText(`${what}: dataset`, example['dataset']);
}

function checkTrainingPassage(what: string, passage: unknown): void {
	checkObject(what, passage, '{text: string, title?: string, id?: string, score?: number}');
	checkText(`${what}: text`, passage['text']);
	checkOptionalText(`${what}: title`, passage['title']);
	checkOptionalText(`${what}: id`, passage['id']);
	const {score} = passage;
	if (score !== undefined && (typeof score !== 'number' || !Number.isFinite(score))) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: score: expected a finite number, got ${shown(score)}`);
	}
}

function checkOptionalText(what: string, value: unknown): void {
	if (value !== undefined) {
		checkText(what, value);
	}
}

function checkText(what: string, value: unknown): void {
	checkString(what, value);
	if (!isWellFormed(value)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected well-formed Unicode, got a ${kindOf(value)} with a lone surrogate`);
	}
}
