/** Parsers for option values that several commands share. */
import {InvalidArgumentError} from 'commander';
import {RetrievalError} from '../core/errors.ts';
import type {Analyzer} from '../sparse/analyzer.ts';
import {nativeAnalyzer} from '../sparse/native-analyzer.ts';

/** Parses a whole number of at least `min`. */
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

/** Parses `20,100` as numbers. */
export function counts(text: string): number[] {
	return text.split(',').map(part => count(1)(part.trim()));
}

/** Parses `nDCG@10,R@100` as names. */
export function names(text: string): string[] {
	return text
		.split(',')
		.map(part => part.trim())
		.filter(part => part !== '');
}

/** Parses the name of an analyzer, or `wordpiece:` with a file. */
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

/** The default folder of collections, for all commands. */
export const defaultIndex = 'passagekit-index';
