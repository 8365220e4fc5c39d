// The result of one entry of a definition, as records store it. An entry is a system and the way in which it is called.
import type {Figure} from '../../statistics/statistics.ts';
import type {Built} from '../indexes.ts';
import type {Agreement} from './agreement.ts';
import type {Speed} from './speed.ts';

export interface Result {
	readonly name: string;
	/** Why the entry was not measured. */
	readonly failed?: string;
	readonly built?: Built;
	/** Build time over all rounds, if building is measured. */
	readonly seconds?: Figure;
	/** The reference's build time divided by this entry's build time in the same round. */
	readonly secondsRatio?: Figure;
	/** The peak memory of the process that searched. */
	readonly peakBytes?: number | undefined;
	/** The number of queries per round. */
	readonly queries?: number;
	/**
	The number of threads that searched, if the definition asks for more than one: 1 if the system cannot use several threads for such
	queries.
	*/
	readonly threads?: number;
	/** For each k, the speed, and the agreement with the hits of the reference. */
	readonly speed?: Readonly<Record<number, Speed & {readonly agreement?: Agreement}>>;
}
