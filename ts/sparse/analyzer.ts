// The analyzers of BM25 indexes, which turn texts into terms.

/**
The names of Snowball's stemmers. English has four (`english`, `porter`, `lovins`, `earlymodernenglish`), Dutch has two (`dutch`,
`dutch_porter`), and every other language has one.
*/
export const snowballLanguages = [
	'arabic',
	'armenian',
	'basque',
	'catalan',
	'czech',
	'danish',
	'dutch',
	'dutch_porter',
	'earlymodernenglish',
	'english',
	'esperanto',
	'estonian',
	'finnish',
	'french',
	'german',
	'greek',
	'hindi',
	'hungarian',
	'indonesian',
	'irish',
	'italian',
	'lithuanian',
	'lovins',
	'nepali',
	'norwegian',
	'persian',
	'polish',
	'porter',
	'portuguese',
	'romanian',
	'russian',
	'serbian',
	'sesotho',
	'spanish',
	'swedish',
	'tamil',
	'turkish',
	'yiddish',
] as const;

/** The name of one of Snowball's stemmers. */
export type SnowballLanguage = (typeof snowballLanguages)[number];

interface StopWordOptions {
	/**
	Stop words that replace those of the analyzer; with `[]`, every word becomes a term. Words are compared with this list before stemming,
	and in lower case except by `whitespace` and `wordpiece`. Entries that the analyzer does not consider a single word never match.
	@default the stop words of the analyzer, if it has any
	*/
	readonly stopWords?: readonly string[] | undefined;
}

/**
Lucene's EnglishAnalyzer: splits text into words as the Unicode standard defines them (UAX #29), removes the possessive `'s`, converts to
lower case, removes 33 stop words, and stems with Porter's algorithm.
*/
export interface EnglishAnalyzer extends StopWordOptions {
	readonly type: 'english';
}

/** Splits text into sequences of letters and converts them to lower case. It has no stop words by default. */
export interface SimpleAnalyzer extends StopWordOptions {
	readonly type: 'simple';
}

/** Splits text at white space and changes nothing else. It has no stop words by default. */
export interface WhitespaceAnalyzer extends StopWordOptions {
	readonly type: 'whitespace';
}

/**
Splits text into words as the Unicode standard defines them (UAX #29), converts to lower case, replaces all kinds of apostrophes with `'`,
removes stop words, and stems with Snowball's algorithm. The stop words are Lucene's 33 for `english`, `porter` and `lovins`, and Snowball's
for Danish, Dutch, Finnish, French, German, Hungarian, Italian, Norwegian, Portuguese, Russian, Spanish and Swedish. The other languages
have none. Lucene's analyzers for these languages differ: they also remove elisions and normalize variants of letters.
*/
export interface SnowballAnalyzer extends StopWordOptions {
	readonly type: 'snowball';
	readonly language: SnowballLanguage;
}

/**
Splits text into the word pieces of a model, as they are written in its vocabulary (`##ing`), without special tokens and without
truncation. The index stores a copy of the tokenizer. Ram et al. (2023, "What are you token about?", appendix A) use this analyzer as a
baseline.
*/
export interface WordPieceAnalyzer extends StopWordOptions {
	readonly type: 'wordpiece';
	/** Path of the `tokenizer.json` of a WordPiece model, or of its folder. */
	readonly tokenizer: string;
}

/** An analyzer as an object, with its options. */
export type AnalyzerOptions = EnglishAnalyzer | SimpleAnalyzer | WhitespaceAnalyzer | SnowballAnalyzer | WordPieceAnalyzer;

/** The name of an analyzer that needs no options. */
export type AnalyzerName = 'english' | 'simple' | 'whitespace' | `snowball:${SnowballLanguage}`;

/** How texts are turned into terms: a name, or an object with options. */
export type Analyzer = AnalyzerName | AnalyzerOptions;

/** The analyzer of an index. It can be passed to another index. */
export type AnalyzerDescription = AnalyzerOptions & {
	/** Incremented whenever the terms of the analyzer change. Opening an index with a different version fails with `ERR_INDEX_VERSION`. */
	readonly version: number;
};
