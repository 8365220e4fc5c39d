/**
The conditions of a training study: the ways to train an encoder that Karpukhin et al. (2020) compare. A condition has a
name, which is also the name of its files.
*/

/**
Which training examples a condition uses.

- `all`: all examples, or the first ones in an order that the seed determines;
- `gold`, `distant`: the examples of the questions that have a gold positive and for which distant supervision also finds a
  positive, with the gold positives (`gold`) or those that distant supervision finds.
*/
export type ExampleSet = 'all' | 'gold' | 'distant';

/** Where the negatives of a question come from, in addition to those of its batch. */
export type NegativeSource = 'random' | 'bm25' | 'gold';

export interface TrainingCondition {
	readonly name: string;
	/** Number of questions per step. */
	readonly batchSize: number;
	/** Whether the passages of all questions in the batch are negatives for each other. */
	readonly inBatch: boolean;
	/** The other negatives: their number per question, and where they come from. `null` if there are none. */
	readonly negatives: {readonly from: NegativeSource; readonly count: number} | null;
	readonly similarity: 'dot' | 'l2' | 'cosine';
	readonly loss: 'nll' | 'triplet';
	readonly exampleSet: ExampleSet;
	/** Number of training examples. */
	readonly examples: number;
}

/** Names of the conditions without training: BM25, and the model before training. */
export const bm25Name = 'bm25';
export const untrainedName = 'untrained';

/** Names of the conditions of other data sets: see `protocol/other-datasets.ts`. */
export const transferNames = {main: 'main', own: 'own', multi: 'multi'} as const;

/** Number of negatives per question in the schemes without in-batch negatives (Karpukhin et al., 2020, Table 3). */
export const NEGATIVES_PER_QUESTION = 7;

/** The name of a training scheme of Table 3. */
export const schemeName = ({batchSize, inBatch, negatives}: Pick<TrainingCondition, 'batchSize' | 'inBatch' | 'negatives'>): string =>
	[...(inBatch ? [`in-batch-${batchSize}`] : []), ...(negatives ? [`${negatives.from}-${negatives.count}`] : [])].join('-');

/** The part of a condition that Table 3 compares. */
type Scheme = Pick<TrainingCondition, 'batchSize' | 'inBatch' | 'negatives'>;

const ownNegatives = (from: NegativeSource): Scheme => ({
	batchSize: NEGATIVES_PER_QUESTION + 1,
	inBatch: false,
	negatives: {from, count: NEGATIVES_PER_QUESTION},
});
const inBatch = (batchSize: number, bm25: number): Scheme => ({
	batchSize,
	inBatch: true,
	negatives: bm25 === 0 ? null : {from: 'bm25', count: bm25},
});

/**
The training schemes of Table 3, in three blocks. Schemes without in-batch negatives have batches of 8 questions, so that
`gold-7` and `in-batch-8` differ only in where the seven gold negatives of a question come from.
*/
export const schemeBlocks: ReadonlyArray<readonly Scheme[]> = [
	[ownNegatives('random'), ownNegatives('bm25'), ownNegatives('gold')],
	[inBatch(8, 0), inBatch(32, 0), inBatch(128, 0)],
	[inBatch(32, 1), inBatch(32, 2), inBatch(128, 1)],
];

/** The scheme of the reference condition, which all other tables and figures have: in-batch negatives and one BM25 negative per question. */
export const referenceScheme = (batchSize: number): Scheme => inBatch(batchSize, 1);
export const referenceName = (batchSize: number): string => schemeName(referenceScheme(batchSize));

/** The name of the condition of Figure 1 with fewer than all training examples. */
export const curveName = (examples: number): string => `examples-${examples}`;

/** Names of the conditions of Table 5, unless the first one is the reference condition. */
export const supervisionNames = {gold: 'gold-positives', distant: 'distant-positives'} as const;

/** Names of the conditions of appendix D: a reader trained after the encoder, and one trained together with the question encoder. */
export const jointNames = {separate: 'reader-separate', joint: 'reader-joint'} as const;

/** The conditions of Table 6 that are not the reference condition, which has the similarity `dot` and the loss `nll`. */
export const similarityConditions = [
	{name: 'dot-triplet', similarity: 'dot', loss: 'triplet'},
	{name: 'l2-nll', similarity: 'l2', loss: 'nll'},
	{name: 'l2-triplet', similarity: 'l2', loss: 'triplet'},
	{name: 'cosine-nll', similarity: 'cosine', loss: 'nll'},
] as const satisfies ReadonlyArray<Pick<TrainingCondition, 'name' | 'similarity' | 'loss'>>;
