import type {Finding as StudyFinding} from '../../statistics/finding.ts';

export type FindingName =
	| 'dense or sparse'
	| 'hybrids'
	| 'hybrids alike'
	| 'overlap'
	| 'hybrid read'
	| 'repl* over repl'
	| 'GAR over repl'
	| 'GAR* over GAR'
	| 'GAR* over repl'
	| 'best over best'
	| 'passages read';

export type Finding = StudyFinding<FindingName>;
