/** What the report calls things: conditions, scorings, measures, numbers. */
import type {RetrievalCondition, Retrieved, Scoring} from './study.ts';

/** A name that may end in a subscript, as the paper's hybrids do. */
export interface Label {
	readonly text: string;
	readonly sub?: string;
}

export const retrieverNames: Readonly<Record<Retrieved, string>> = {dense: 'Dense', bm25: 'BM25', hybrid: 'Hybrid'};

/** The paper's names; its DPR is `Dense` here, since other encoders can take its place. */
export const conditionLabels: Readonly<Record<RetrievalCondition, Label>> = {
	dense: {text: 'Dense'},
	bm25: {text: 'BM25'},
	dprHybrid: {text: 'Hybrid', sub: 'orig'},
	hybridNorm: {text: 'Hybrid', sub: 'norm'},
	hybrid: {text: 'Hybrid'},
};

/** Which weight a hybrid has: λ is on the dense scores, α on those of BM25. */
export const weightSymbol = (condition: RetrievalCondition): string => (condition === 'dprHybrid' ? 'λ' : 'α');

export const plain = ({text, sub}: Label): string => (sub === undefined ? text : `${text}-${sub}`);

/** Of a comparison: accuracy at `k` passages. */
export const topK = (k: number): string => `top-${k}`;
/** Of a comparison of readings. */
export const exactMatchMeasure = 'exact match';
/** A condition of a comparison of readings, such as `bm25 GAR*`. */
export const readingCondition = (retriever: Retrieved, scoring: Scoring): string => `${retriever} ${scoring}`;

/** What a comparison's condition is called in tables: `hybridNorm` is Hybrid-norm, `bm25 GAR*` is BM25-GAR*. */
export function conditionName(condition: string): string {
	if (Object.hasOwn(conditionLabels, condition)) {
		return plain(conditionLabels[condition as RetrievalCondition]);
	}
	const [retriever = '', ...scoring] = condition.split(' ');
	const name = Object.hasOwn(retrieverNames, retriever) ? retrieverNames[retriever as Retrieved] : retriever;
	return [name, ...scoring].join('-');
}

/** A share, 0 to 1, in per cent with a decimal. */
export const percent = (share: number): string => (100 * share).toFixed(1);

/** A difference of shares in points, with its sign. */
export function points(difference: number): string {
	const size = Math.abs(100 * difference).toFixed(1);
	return size === '0.0' ? size : `${difference > 0 ? '+' : '−'}${size}`;
}

/** Without a sign. */
export const size = (difference: number): string => Math.abs(100 * difference).toFixed(1);

/** Two significant digits, or that it is less than a thousandth. */
export function pValue(p: number): string {
	if (p < 0.001) {
		return '< 0.001';
	}
	// As many decimals as two digits need: 0.0012, 0.012, 0.12; more than 0.995 is 1.
	const digits = 1 - Math.floor(Math.log10(p));
	const rounded = p.toFixed(digits);
	return Number(rounded) >= 1 ? '1.0' : rounded;
}

/** "p < 0.001", "p = 0.012". */
export const equalsP = (p: number): string => (p < 0.001 ? `p ${pValue(p)}` : `p = ${pValue(p)}`);

/** Thousands apart: 7,324. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** "1 passage", "2 passages". */
export const many = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
	return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
