import {checkObject, checkString} from '../core/checks.ts';
import {type Binding, callSync, native} from '../core/native/native.ts';

/**
Identifies an index of this process for another thread. It is plain data: `index.share()` creates it, `postMessage` sends it, and
`attach` of the same class accepts it. A handle does not keep the index open: it is valid while any thread has the index open. So
close an index only after the other threads have attached to it.
*/
export interface IndexHandle<Kind extends string = 'FlatIndex' | 'HnswIndex'> {
	readonly kind: Kind;
	readonly token: string;
}

/** @internal The index that a handle identifies. */
export function attached(kind: 'FlatIndex' | 'HnswIndex', handle: IndexHandle): Binding.NativeVectorIndex {
	checkObject('attach', handle, 'a handle {kind, token}');
	checkString('attach: token', handle.token);
	return callSync(() => native.attachIndex(kind, handle.token));
}
