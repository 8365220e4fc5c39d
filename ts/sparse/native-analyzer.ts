import {checkOneOf, checkString, checkStrings} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import type {Binding} from '../native.ts';
import {type Analyzer, type AnalyzerDescription, type AnalyzerOptions, type SnowballLanguage, snowballLanguages} from './analyzer.ts';

const types = ['english', 'simple', 'whitespace', 'snowball', 'wordpiece'] as const;
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
	if (typeof analyzer !== 'object' || analyzer === null) {
		const got = analyzer === null ? 'null' : typeof analyzer;
		throw new RetrievalError('ERR_ARGUMENT', `analyzer: expected a name or {type: …}, got ${got}`);
	}
	checkOneOf('analyzer: type', analyzer.type, types);
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
