/** Adam's learning rate in Ram et al. (2023, §6.2): 0.01, and 0.001 for S-MPNet. `modelType` is the head's `model_type`. */
export const paperLearningRate = (modelType: string | undefined): number => (modelType === 'mpnet' ? 0.001 : 0.01);
