/** Converts analyzers between the public API and the addon. */
import {checkObject, checkOneOf, checkString, checkStrings} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../core/options.ts';
import {
	type Analyzer,
	type AnalyzerDescription,
	type AnalyzerOptions,
	type SnowballAnalyzer,
	type SnowballLanguage,
	type WordPieceAnalyzer,
	snowballLanguages,
} from './analyzer.ts';

const analyzerTypes = ['english', 'simple', 'whitespace', 'snowball', 'wordpiece'] as const;
/** The options that all analyzers have. `version` is accepted so that `Bm25Index.analyzer` can be passed to another index. */
const commonNames = {type: true, stopWords: true, version: true} as const;
const analyzerOptions: Readonly<Record<AnalyzerOptions['type'], OptionNames>> = {
	english: new Set(Object.keys(commonNames)),
	simple: new Set(Object.keys(commonNames)),
	whitespace: new Set(Object.keys(commonNames)),
	snowball: optionNames<SnowballAnalyzer & Version>({...commonNames, language: true}),
	wordpiece: optionNames<WordPieceAnalyzer & Version>({...commonNames, tokenizer: true}),
};

/** The version of an `AnalyzerDescription`. */
interface Version {
	readonly version?: number;
}

const namesWithoutOptions: ReadonlySet<string> = new Set(['english', 'simple', 'whitespace']);

/** Checks an analyzer and converts it for the addon. Fails with `ERR_ARGUMENT` for unknown names and options. */
export function nativeAnalyzer(analyzer: Analyzer): Binding.NativeAnalyzer {
	if (typeof analyzer === 'string') {
		const [, language] = /^snowball:(.*)$/su.exec(analyzer) ?? [];
		if (language === undefined && !namesWithoutOptions.has(analyzer)) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`analyzer: expected english, simple, whitespace, snowball:<language> or {type: …}, such as {type: 'wordpiece', tokenizer: …}, got "${analyzer}"`,
			);
		}
		if (language !== undefined) {
			checkOneOf('analyzer: language', language, snowballLanguages);
		}
		return {name: analyzer};
	}
	checkObject('analyzer', analyzer, 'a name or {type: …}');
	checkOneOf('analyzer: type', analyzer.type, analyzerTypes);
	checkRequiredOptions('analyzer', analyzer, analyzerOptions[analyzer.type]);
	const {stopWords} = analyzer;
	if (stopWords !== undefined) {
		checkStrings('analyzer: stopWords', stopWords);
	}
	const native: Binding.NativeAnalyzer = {name: analyzer.type, ...(stopWords && {stopWords: [...stopWords]})};
	if (analyzer.type === 'snowball') {
		checkOneOf('analyzer: language', analyzer.language, snowballLanguages);
		return {...native, name: `snowball:${analyzer.language}`};
	}
	if (analyzer.type === 'wordpiece') {
		checkString('analyzer: tokenizer', analyzer.tokenizer);
		return {...native, tokenizer: analyzer.tokenizer};
	}
	return native;
}

/** Converts an analyzer that the addon returned. */
export function describedAnalyzer({name, tokenizer, stopWords, version = 0}: Binding.NativeAnalyzer): AnalyzerDescription {
	const options = {version, ...(stopWords && {stopWords})};
	const [type, language] = name.split(':') as [AnalyzerOptions['type'], SnowballLanguage];
	if (type === 'snowball') {
		return {type, language, ...options};
	}
	return type === 'wordpiece' ? {type, tokenizer: tokenizer!, ...options} : {type, ...options};
}
