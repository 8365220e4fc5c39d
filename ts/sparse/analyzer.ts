/**
The stemmers of Snowball, by its names. English has four (`english`, `porter`, `lovins`, `earlymodernenglish`), Dutch two (`dutch`,
`dutch_porter`), every other language one.
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

export type SnowballLanguage = (typeof snowballLanguages)[number];

interface StopWordOptions {
	/**
	Stop words that replace those of the analyzer; with `[]`, every word is a term. Words are compared with them before stemming, in lower
	case except in `whitespace` and `wordpiece`. Entries that are not a single word for the analyzer never match.
	*/
	readonly stopWords?: readonly string[] | undefined;
}

/** Lucene's EnglishAnalyzer: words of UAX #29, without possessives, in lower case, without 33 stop words, stemmed with Porter's algorithm. */
export interface EnglishAnalyzer extends StopWordOptions {
	readonly type: 'english';
}

/** Sequences of letters, in lower case. By default without stop words. */
export interface SimpleAnalyzer extends StopWordOptions {
	readonly type: 'simple';
}

/** The text between white space, unchanged. By default without stop words. */
export interface WhitespaceAnalyzer extends StopWordOptions {
	readonly type: 'whitespace';
}

/**
Words of UAX #29, in lower case, with `'` for all apostrophes, without Snowball's stop words, stemmed with Snowball's algorithm. Danish,
Dutch, English, Finnish, French, German, Hungarian, Italian, Norwegian, Portuguese, Russian, Spanish and Swedish have stop words. It
differs from Lucene's analyzers of these languages, which also remove elisions and normalize variants of letters.
*/
export interface SnowballAnalyzer extends StopWordOptions {
	readonly type: 'snowball';
	readonly language: SnowballLanguage;
}

/**
Word pieces of a model, as written in its vocabulary (`##ing`), without special tokens and without truncation. The index stores a copy
of the tokenizer. It is a baseline in Ram et al. (2023, "What are you token about?", appendix A).
*/
export interface WordPieceAnalyzer extends StopWordOptions {
	readonly type: 'wordpiece';
	/** Path of the `tokenizer.json` of a WordPiece model, or of its folder. */
	readonly tokenizer: string;
}

export type AnalyzerOptions = EnglishAnalyzer | SimpleAnalyzer | WhitespaceAnalyzer | SnowballAnalyzer | WordPieceAnalyzer;

/** An analyzer without options. */
export type AnalyzerName = 'english' | 'simple' | 'whitespace' | `snowball:${SnowballLanguage}`;

/** How texts are turned into terms: a name, or an object with options. */
export type Analyzer = AnalyzerName | AnalyzerOptions;

/** The analyzer of an index. It can be passed to another index. */
export type AnalyzerDescription = AnalyzerOptions & {
	/** Incremented whenever a token of the analyzer changes; indexes of other versions are rejected. */
	readonly version: number;
};
