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

const types = ['english', 'simple', 'whitespace', 'snowball', 'wordpiece'] as const;
/** Also accepts `version`, so that the description of an index's analyzer can be used to create another. */
const common = {type: true, stopWords: true, version: true} as const;
const analyzerOptions: Readonly<Record<AnalyzerOptions['type'], OptionNames>> = {
	english: new Set(Object.keys(common)),
	simple: new Set(Object.keys(common)),
	whitespace: new Set(Object.keys(common)),
	snowball: optionNames<SnowballAnalyzer & Version>({...common, language: true}),
	wordpiece: optionNames<WordPieceAnalyzer & Version>({...common, tokenizer: true}),
};

interface Version {
	readonly version?: number;
}

const plainNames: ReadonlySet<string> = new Set(['english', 'simple', 'whitespace']);

/** What the addon takes for an analyzer. */
export function nativeAnalyzer(analyzer: Analyzer): Binding.NativeAnalyzer {
	if (typeof analyzer === 'string') {
		const [, language] = /^snowball:(.*)$/su.exec(analyzer) ?? [];
		if (language === undefined && !plainNames.has(analyzer)) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`analyzer: expected english, simple, whitespace, snowball:<language> or {type: …}, got "${analyzer}"`,
			);
		}
		if (language !== undefined) {
			checkOneOf('analyzer: language', language, snowballLanguages);
		}
		return {name: analyzer};
	}
	checkObject('analyzer', analyzer, 'a name or {type: …}');
	checkOneOf('analyzer: type', analyzer.type, types);
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

/** The analyzer that the addon says an index has. */
export function describedAnalyzer({name, tokenizer, stopWords, version = 0}: Binding.NativeAnalyzer): AnalyzerDescription {
	const options = {version, ...(stopWords && {stopWords})};
	const [type, language] = name.split(':') as [AnalyzerOptions['type'], SnowballLanguage];
	if (type === 'snowball') {
		return {type, language, ...options};
	}
	return type === 'wordpiece' ? {type, tokenizer: tokenizer!, ...options} : {type, ...options};
}
