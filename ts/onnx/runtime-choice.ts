/**
How the runtime of a model is chosen.

- `passagekit`: passagekit itself, for models with the architecture of BERT, such as RoBERTa, DistilBERT, MPNet and MiniLM.
- `onnxruntime`: ONNX Runtime, for any model. The package `onnxruntime-node` must be installed.
- `auto`: passagekit if it can run the model, and otherwise ONNX Runtime.
*/
export type RuntimeChoice = 'auto' | 'passagekit' | 'onnxruntime';

/** @internal */
export const runtimeChoices: readonly RuntimeChoice[] = ['auto', 'passagekit', 'onnxruntime'];
