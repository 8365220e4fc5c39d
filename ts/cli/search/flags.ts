/** The flags of `passagekit search`. */
import type {Retriever} from '../../collection/live/types.ts';
import type {Filter} from '../../core/filters/filter.ts';
import type {QuestionFormat} from '../../corpus/readers.ts';
import type {FusionMethod} from '../../fusion/index.ts';
import {UsageError} from '../errors.ts';
import type {RemoteFlags} from '../remote/flags.ts';

/** The parsed flags. A flag without a default is undefined if the user did not give it. */
export interface SearchFlags extends RemoteFlags {
	readonly collection: string;
	readonly queries?: string;
	readonly queryFormat?: QuestionFormat;
	readonly retriever?: Retriever;
	readonly k?: number;
	readonly filter?: Filter;
	readonly output?: string;
	readonly k1: number;
	readonly b: number;
	readonly vectorIndex?: 'flat' | 'hnsw';
	readonly fusion?: 'dprHybrid' | 'hybrid' | 'hybridNorm' | 'rrf';
	readonly alpha?: number;
	readonly lambda?: number;
	readonly depth?: number;
	readonly questionEncoder?: string;
	readonly threads?: number;
	readonly tag?: string;
	readonly json?: boolean;
}

/** The flag with the weight of each fusion method. */
const weights: Readonly<Record<NonNullable<SearchFlags['fusion']>, 'alpha' | 'lambda' | undefined>> = {
	dprHybrid: 'lambda',
	hybrid: 'alpha',
	hybridNorm: 'alpha',
	rrf: undefined,
};

/** Returns the fusion method that the flags describe; undefined if hybrid retrieval uses its default method. */
export function fusionOf({retriever, fusion, alpha, lambda}: SearchFlags): FusionMethod | undefined {
	if (fusion !== undefined && retriever !== undefined && retriever !== 'hybrid') {
		throw new UsageError(`search: --fusion needs --retriever hybrid, got --retriever ${retriever}`);
	}
	for (const [name, value] of Object.entries({alpha, lambda})) {
		if (fusion !== undefined && value !== undefined && name !== weights[fusion]) {
			throw new UsageError(`search: --fusion ${fusion} has no --${name}`);
		}
	}
	switch (fusion) {
		case undefined: {
			if (alpha !== undefined || lambda !== undefined) {
				throw new UsageError('search: --alpha and --lambda need --fusion, because they are weights of a fusion method');
			}
			return undefined;
		}
		case 'dprHybrid': {
			return {method: fusion, ...(lambda === undefined ? {} : {lambda})};
		}
		case 'rrf': {
			return {method: fusion};
		}
		default: {
			if (alpha === undefined) {
				throw new UsageError(`search: --fusion ${fusion} needs --alpha`);
			}
			return {method: fusion, alpha};
		}
	}
}
