import type {Finding} from '../../statistics/finding.ts';

export type VocabularyFindingName =
	| 'shared tokens'
	| 'first token'
	| 'query prediction'
	| 'query expansion'
	| 'token amnesia'
	| 'amnesia of questions'
	| 'enrichment'
	| 'enrichment remembers'
	| 'word pieces'
	| 'ablations';

export type VocabularyFinding = Finding<VocabularyFindingName>;
