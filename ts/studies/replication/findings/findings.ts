/** Which findings of Ma et al. (2021) hold on a data set. */
import type {Finding as StudyFinding} from '../../statistics/finding.ts';
import {readingFindings} from './reading-findings.ts';
import {retrievalFindings} from './retrieval-findings.ts';
import {type Study, checkStudy} from '../study.ts';

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

/**
The paper's findings in its order, each with what a study says of it. One that the study has no numbers for is left out:
all of reading, where nothing was read.

@example
```
findings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['dense or sparse: holds', 'hybrids: holds in part', 'hybrids alike: undecided', 'overlap: holds']
```
*/
export function findings(study: Study): readonly Finding[] {
	checkStudy(study);
	return [...retrievalFindings(study), ...(study.reading ? readingFindings(study.reading, study.dataset) : [])];
}
