/** Which findings of Ma et al. (2021) hold on a data set. */
import {type Study, checkStudy} from '../study.ts';
import type {Finding} from './finding-names.ts';
import {readingFindings} from './reading-findings.ts';
import {retrievalFindings} from './retrieval-findings.ts';

/**
Judges the paper's findings, in its order, by a study. Findings for which the study has no numbers are left out, such as those about
reading in a study without a reader. Fails with `ERR_FORMAT` if `study` is not a study.

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
