/** The passages of several examples, each passage once. */
import type {TrainingPassage} from '../data/index.ts';

/** Identifies a passage: passages with the same title and text are the same input. */
export function passageKey({title = '', text}: TrainingPassage): string {
	return `${title}\u0000${text}`;
}

/** Numbers passages in the order in which they are added. A passage that is added again keeps its number. */
export class PassageList {
	readonly #numbers = new Map<string, number>();
	#titles: string[] = [];
	#texts: string[] = [];

	/** Adds a passage unless it is in the list, and returns its number. */
	readonly add = (passage: TrainingPassage): number => {
		const key = passageKey(passage);
		const known = this.#numbers.get(key);
		if (known !== undefined) {
			return known;
		}
		const number = this.#numbers.size;
		this.#numbers.set(key, number);
		this.#titles.push(passage.title ?? '');
		this.#texts.push(passage.text);
		return number;
	};

	/** Number of passages. */
	get size(): number {
		return this.#numbers.size;
	}

	/** Returns the titles (empty if there is none) and texts of the passages that were added since the last call. */
	takeNew(): {titles: string[]; texts: string[]} {
		const taken = {titles: this.#titles, texts: this.#texts};
		[this.#titles, this.#texts] = [[], []];
		return taken;
	}
}
