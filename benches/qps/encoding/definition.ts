// The definition of one encoding benchmark (definitions/<name>.json): which model and texts are measured, and which
// systems are compared.
import type {Texts} from './data.ts';
import type {Entry, Task} from './system.ts';

/** The names of tasks in the report and in records. Existing records have these names, so their spelling must not change. */
export const taskNames: Readonly<Record<Task, string>> = {
	tokenise: 'tokenising passages',
	one: 'encoding questions one at a time',
	batch: 'encoding passages together',
};

/** The content of definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** The level of instruction sets that systems are held to (`harness/level.ts`); by default, each system chooses its own. */
	readonly level?: string;
	/** The name of a folder in `models/`. */
	readonly model: string;
	/** The maximum number of tokens per text, including special tokens. Longer texts are truncated. */
	readonly maxTokens: number;
	/** For each task, the texts that it uses and their number. */
	readonly tasks: Readonly<Record<Task, {readonly texts: Texts; readonly sample: number}>>;
	/** The number of timed rounds, after an untimed one. In each round, every entry does every task once. */
	readonly rounds: number;
	/** The name of the entry that all others are compared with. */
	readonly reference: string;
	/** The entries: systems, each with a name. */
	readonly systems: readonly Entry[];
}
