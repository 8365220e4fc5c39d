/** What Snowball has stemmers for, by its names. `lovins`, `porter`, `dutch_porter`, `earlymodernenglish`: further ones of English and Dutch. */
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
	In the place of the analyzer's own; with `[]` every word is a term. Words are compared with them before they are
	stemmed, in lower case but for `whitespace` and `wordpiece`. What is no single word of the analyzer's is never met.
	*/
	readonly stopWords?: readonly string[] | undefined;
}

/** Lucene's EnglishAnalyzer: words of UAX #29, possessives off, lower case, 33 stop words off, Porter's stems. */
export interface EnglishAnalyzer extends StopWordOptions {
	readonly type: 'english';
}

/** Runs of letters, lower case. No stop words of its own. */
export interface SimpleAnalyzer extends StopWordOptions {
	readonly type: 'simple';
}

/** What stands between white space, as it is. No stop words of its own. */
export interface WhitespaceAnalyzer extends StopWordOptions {
	readonly type: 'whitespace';
}

/**
Words of UAX #29, lower case, `'` for other apostrophes, Snowball's stop words off, Snowball's stems. Danish, Dutch,
English, Finnish, French, German, Hungarian, Italian, Norwegian, Portuguese, Russian, Spanish and Swedish have stop
words. It is not Lucene's analyzer of the language: elisions and forms of a letter are left to the stemmer.
*/
export interface SnowballAnalyzer extends StopWordOptions {
	readonly type: 'snowball';
	readonly language: SnowballLanguage;
}

/**
Word pieces of a model, as its vocabulary writes them (`##ing`), without special tokens; nothing is cut off. The index
keeps a copy of the tokenizer. Ram et al. (2023, "What are you token about?", appendix A) have it as a baseline.
*/
export interface WordPieceAnalyzer extends StopWordOptions {
	readonly type: 'wordpiece';
	/** A `tokenizer.json` of a WordPiece model, or the folder where it is. */
	readonly tokenizer: string;
}

export type AnalyzerOptions = EnglishAnalyzer | SimpleAnalyzer | WhitespaceAnalyzer | SnowballAnalyzer | WordPieceAnalyzer;

/** An analyzer without options. */
export type AnalyzerName = 'english' | 'simple' | 'whitespace' | `snowball:${SnowballLanguage}`;

/** How texts become terms: a name, or an object with options. */
export type Analyzer = AnalyzerName | AnalyzerOptions;

/** The analyzer of an index, as it may be given to make or open another. */
export type AnalyzerDescription = AnalyzerOptions & {
	/** Raised when any token of the analyzer changes; indexes of other versions are refused. */
	readonly version: number;
};
