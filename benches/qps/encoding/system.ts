// A system that tokenizes and encodes texts, and the requests that it answers. README.md describes the protocol.
import {join} from 'node:path';
import {qpsFolder} from '../harness/folders.ts';
import {System} from '../harness/system.ts';

/**
A task: `tokenise` returns the token ids of all texts; `one` encodes one text per call; `batch` encodes all texts in one
call. Definitions and existing records have these names, so their spelling must not change.
*/
export type Task = 'tokenise' | 'one' | 'batch';

/** An entry of a definition: a system under a name. */
export interface Entry {
	readonly name: string;
	/** The name of a folder in systems/. */
	readonly system: string;
}

/** The times of doing a task once for all texts. */
export interface Round {
	readonly wallNanos: number;
	/** The CPU time of the process. */
	readonly cpuNanos: number;
	/** The wall time of each text for `one`; otherwise empty. */
	readonly queryNanos: readonly number[];
}

/** A request to do a task once for all texts of a file. */
export interface WorkRequest {
	/** A folder with the model in all layouts that systems expect. */
	readonly model: string;
	/** The maximum number of tokens per text, including special tokens. Longer texts are truncated. */
	readonly maxTokens: number;
	readonly task: Task;
	/** A file with one text per line. */
	readonly texts: string;
	/**
	A file to write the results to: vectors as f32 `[texts, dim]`, or, for each text, the number of token ids and the ids
	as u32.
	*/
	readonly output?: string;
}

/** Returns the folder of an entry's system, relative to benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => join('encoding', 'systems', system);

/** A running encoding system. */
export class EncodingSystem extends System {
	constructor(entry: Entry) {
		super(join(qpsFolder, folderOf(entry)));
	}

	/** Does a task once for all texts. */
	async work(request: WorkRequest): Promise<Round> {
		return this.ask<Round>({verb: 'work', ...request});
	}
}
