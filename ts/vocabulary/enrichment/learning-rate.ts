/**
Returns the default learning rate of Adam, which finds the token vectors of lexical enrichment. Defaults are those of Ram et al. (2023,
§6.2): 0.001 for their encoder S-MPNet, and 0.01 for all other encoders. S-MPNet is recognized by the `model_type` "mpnet" in the
`config.json` of its masked-language-model head.
*/
export const paperLearningRate = (modelType: string | undefined): number => (modelType === 'mpnet' ? 0.001 : 0.01);
