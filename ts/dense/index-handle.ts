import {checkObject, checkString} from '../core/checks.ts';
import {type Binding, callSync, native} from '../core/native/native.ts';

/**
Names an index of this process for another thread: plain data, made by `index.share()`, sent by `postMessage`, and taken by
the `attach` of the same class. It keeps nothing open: it holds as long as some object of the index is, in any thread. So
close an index after the others have attached to it.
*/
export interface IndexHandle<Kind extends string = 'FlatIndex' | 'HnswIndex'> {
	readonly kind: Kind;
	readonly token: string;
}

/** @internal The index that a handle names. */
export function attached(kind: 'FlatIndex' | 'HnswIndex', handle: IndexHandle): Binding.NativeVectorIndex {
	checkObject('attach', handle, 'a handle {kind, token}');
	checkString('attach: token', handle.token);
	return callSync(() => native.attachIndex(kind, handle.token));
}
