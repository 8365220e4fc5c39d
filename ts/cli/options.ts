import {InvalidArgumentError} from 'commander';
import {RetrievalError} from '../core/errors.ts';
import type {Analyzer} from '../sparse/analyzer.ts';
import {nativeAnalyzer} from '../sparse/native-analyzer.ts';

/** A whole number of at least `least`, from the command line. */
export function count(least: number): (text: string) => number {
	return text => {
		const value = Number(text);
		if (!/^\d+$/u.test(text) || value < least) {
			throw new InvalidArgumentError(`expected a whole number of at least ${least}, got "${text}"`);
		}
		return value;
	};
}

export function number(text: string): number {
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value)) {
		throw new InvalidArgumentError(`expected a number, got "${text}"`);
	}
	return value;
}

/** `20,100` as numbers. */
export function counts(text: string): number[] {
	return text.split(',').map(part => count(1)(part.trim()));
}

/** `nDCG@10,R@100` as names. */
export function names(text: string): string[] {
	return text
		.split(',')
		.map(part => part.trim())
		.filter(part => part !== '');
}

/** An analyzer's name, or `wordpiece:` with a file. */
export function analyzer(text: string): Analyzer {
	const [, tokenizer] = /^wordpiece:(.+)$/su.exec(text) ?? [];
	const asked = tokenizer === undefined ? (text as Analyzer) : ({type: 'wordpiece', tokenizer} as const);
	try {
		nativeAnalyzer(asked);
	} catch (error) {
		throw error instanceof RetrievalError ? new InvalidArgumentError(error.message) : error;
	}
	return asked;
}

/** Where `index` writes and the other commands read when nothing is said. */
export const defaultIndex = 'passagekit-index';
