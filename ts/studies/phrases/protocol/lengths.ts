/** Computes mean lengths of questions and passages in word pieces. */
import type {PassageStore} from '../../../corpus/index.ts';
import type {Tokenizer} from '../../../encoders/index.ts';

/** Number of passages that one call tokenizes. */
const PASSAGES_PER_CALL = 1024;

/** Returns the mean number of word pieces per text, without special tokens; 0 if there are no texts. */
export async function meanTokens(tokenizer: Tokenizer, texts: readonly string[], signal: AbortSignal | undefined): Promise<number> {
	return texts.length === 0 ? 0 : (await tokenizer.tokenizeMany(texts, {signal})).ids.length / texts.length;
}

/** Returns the mean number of word pieces per passage. Titles do not count. */
export async function meanPassageTokens(tokenizer: Tokenizer, passages: PassageStore, signal: AbortSignal | undefined): Promise<number> {
	let tokens = 0;
	for (let start = 0; start < passages.size; start += PASSAGES_PER_CALL) {
		const texts = (await passages.slice(start, PASSAGES_PER_CALL)).map(({text}) => text);
		tokens += (await tokenizer.tokenizeMany(texts, {signal})).ids.length;
	}
	return passages.size === 0 ? 0 : tokens / passages.size;
}
