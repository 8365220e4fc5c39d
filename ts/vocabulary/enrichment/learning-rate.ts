/** The default learning rate for Adam, from Ram et al. (2023, §6.2): 0.001 for S-MPNet, else 0.01. `modelType` is the head's `model_type`. */
export const paperLearningRate = (modelType: string | undefined): number => (modelType === 'mpnet' ? 0.001 : 0.01);
