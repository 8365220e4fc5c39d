// A definition of BM25 (definitions/<name>.json), and what is kept of each of its entries.
import type {Figure} from '../statistics.ts';
import type {Agreement} from './agreement.ts';
import type {Built} from './indexes.ts';
import type {Speed} from './speed.ts';
import type {Analysis, Entry} from './system.ts';

/** definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** Of data.json. */
	readonly corpus: string;
	/** Of data.json. Without queries, building indexes is what is measured. */
	readonly queries?: string;
	readonly analysis: Analysis;
	readonly k?: readonly number[];
	/** In each, every entry has its turn. */
	readonly rounds: number;
	/** What each entry does before, for each k or for building: so many rounds, and so many seconds of queries. */
	readonly warmUp?: {readonly rounds: number; readonly seconds: number};
	/** That search, each on a core of its own; indexes are built by one, since passages keep their order. 1 where there is none. */
	readonly threads?: number;
	/** The entry that others are compared with. */
	readonly reference: string;
	readonly systems: readonly Entry[];
}

/** What came of one entry. */
export interface Result {
	readonly name: string;
	/** Why there is nothing else. */
	readonly failed?: string;
	readonly built?: Built;
	/** Of building, round by round. */
	readonly seconds?: Figure;
	readonly secondsRatio?: Figure;
	/** The most memory of the process that searched. */
	readonly peakBytes?: number | undefined;
	/** Asked in each round. */
	readonly queries?: number;
	/** That searched, where the definition has several: one where the system has no more for such queries. */
	readonly threads?: number;
	readonly speed?: Readonly<Record<number, Speed & {readonly agreement?: Agreement}>>;
}
