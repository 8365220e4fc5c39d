/** The passages that the questions of a batch are compared with. */
import type {Retrieved} from './retrieval.ts';

/** Passages, and which of them are positive for each question. */
export interface Candidates {
	readonly ids: readonly string[];
	/** The end of each question's positives in `positives`. */
	readonly positiveEnds: Uint32Array;
	/** Positions in `ids`. */
	readonly positives: Uint32Array;
}

/**
Collects the passages that were retrieved for any question of a batch, each once, and the known positive of each question. All of them are
compared with all questions, as in appendix D of Karpukhin et al. (2020): a passage is negative for a question for which it was not retrieved.
*/
export function candidatesOf(knownPositives: readonly string[], retrieved: readonly Retrieved[]): Candidates {
	const positions = new Map<string, number>();
	const position = (id: string): number => {
		const known = positions.get(id) ?? positions.size;
		positions.set(id, known);
		return known;
	};
	const positives: number[] = [];
	const ends = retrieved.map(({ids, isPositive}, question) => {
		const own = new Set([position(knownPositives[question]!)]);
		for (const [i, id] of ids.entries()) {
			const at = position(id);
			if (isPositive[i]) {
				own.add(at);
			}
		}
		positives.push(...own);
		return positives.length;
	});
	return {ids: [...positions.keys()], positiveEnds: Uint32Array.from(ends), positives: Uint32Array.from(positives)};
}
