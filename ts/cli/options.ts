/** Parsers for option values that several commands share. */
import {InvalidArgumentError} from 'commander';
import {RetrievalError} from '../core/errors.ts';
import type {Filter} from '../core/filters/filter.ts';
import type {Analyzer} from '../sparse/analyzer.ts';
import {nativeAnalyzer} from '../sparse/native-analyzer.ts';

/** Returns a parser of whole numbers that are at least `min`. */
export function count(min: number): (text: string) => number {
	return text => {
		const value = Number(text);
		if (!/^\d+$/u.test(text) || value < min) {
			throw new InvalidArgumentError(`expected a whole number of at least ${min}, got "${text}"`);
		}
		return value;
	};
}

/** Parses a finite number. */
export function number(text: string): number {
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value)) {
		throw new InvalidArgumentError(`expected a number, got "${text}"`);
	}
	return value;
}

/** Parses a list of whole numbers that are at least 1, such as `20,100`. */
export function counts(text: string): number[] {
	return text.split(',').map(part => count(1)(part.trim()));
}

/** Parses a list of names or paths, such as `nDCG@10,R@100`. */
export function names(text: string): string[] {
	return text
		.split(',')
		.map(part => part.trim())
		.filter(part => part !== '');
}

/** Returns a parser of lists of names for an option that may be repeated. The first list replaces the default. */
export function collectedNames(byDefault: readonly string[]): (text: string, previous: readonly string[]) => string[] {
	return (text, previous) => [...(previous === byDefault ? [] : previous), ...names(text)];
}

/** Parses whole numbers by names, such as `nq=1,trivia=4`. */
export function numbersByName(text: string): Record<string, number> {
	const parts = names(text).map(part => /^(.+)=(\d+)$/su.exec(part));
	if (parts.length === 0 || parts.includes(null)) {
		throw new InvalidArgumentError(`expected names with whole numbers, such as nq=1,trivia=4, got "${text}"`);
	}
	return Object.fromEntries(parts.map(part => [part![1]!, Number(part![2])]));
}

/** Parses the name of an analyzer, or `wordpiece:` followed by the path of a tokenizer. */
export function analyzer(text: string): Analyzer {
	const [, tokenizer] = /^wordpiece:(.+)$/su.exec(text) ?? [];
	const parsed = tokenizer === undefined ? (text as Analyzer) : ({type: 'wordpiece', tokenizer} as const);
	try {
		nativeAnalyzer(parsed);
	} catch (error) {
		throw error instanceof RetrievalError ? new InvalidArgumentError(error.message) : error;
	}
	return parsed;
}

/** Parses a filter in JSON, such as `{"price":{"lt":50}}`. The search checks the parts of the filter. */
export function filter(text: string): Filter {
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		// Reported below.
	}
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
		throw new InvalidArgumentError(`expected a JSON object such as {"price":{"lt":50}}, got ${text.slice(0, 200)}`);
	}
	return parsed;
}

/** A number of threads that stands for one per core. */
export const ALL_CORES = 0;

/** The folder of the collection, if the user does not name one. */
export const defaultIndex = 'passagekit-index';
