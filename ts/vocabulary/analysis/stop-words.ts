/** English stop words, and the function that tells whether a word piece is a content token. */

/** Articles, determiners, quantities. */
const determiners = `a an the this that these those all any both each every few many more most much
	no none other others another same several some such own either neither`;
const pronouns = `i me my mine myself we us our ours ourselves you your yours yourself yourselves
	he him his himself she her hers herself it its itself
	they them their theirs themselves one ones`;
const questionWords = `who whom whose what which when where why how`;
const auxiliaries = `am is are was were be been being have has had having do does did doing done
	can cannot could may might must shall should will would`;
const prepositions = `about above across after against along among around as at before behind below between
	by down during for from in into of off on onto out over per since through to
	toward towards under until up upon via with within without`;
/** Conjunctions and function adverbs. */
const conjunctions = `and but or nor if than then because while though although so whether not only too
	very also just again further here there once now ever never yet still however`;
/** Pieces into which tokenizers split contractions such as "it's", "don't", "we'll" and "isn't". */
const contractions = `s t d ll m o re ve don isn aren wasn weren hasn haven hadn doesn didn
	won wouldn couldn shouldn`;

/**
English function words in lower case: articles, pronouns, prepositions, conjunctions, auxiliaries, question words, and the pieces of
contractions. They say nothing about the topic of a text.
*/
export const englishStopWords: readonly string[] = [
	determiners,
	pronouns,
	questionWords,
	auxiliaries,
	prepositions,
	conjunctions,
	contractions,
].flatMap(words => words.split(/\s+/u));

/**
Whether a word piece is content, that is, neither a stop word nor punctuation. The marker at the start of a piece (BERT's `##`,
RoBERTa's `Ġ`, SentencePiece's `▁`) does not count as a part of the word. A piece with `##` continues a word, so it is never a stop
word: `##s` is content, `s` is not.
*/
export function isContent(token: string, stopWords: ReadonlySet<string>): boolean {
	const isInsideWord = token.startsWith('##');
	const word = (isInsideWord ? token.slice(2) : token.replace(/^[Ġ▁]/u, '')).toLowerCase();
	return /[\p{L}\p{N}]/u.test(word) && (isInsideWord || !stopWords.has(word));
}
