/**
Confidence of retrieval models (Yang et al., 2023): how it is computed from scores at a temperature, its calibration errors and diagrams,
fitting temperatures, and fusion, which returns the hits of the most confident model.
*/
export {
	type BinOptions,
	brierScore,
	expectedCalibrationError,
	maximumCalibrationError,
	type Prediction,
	reliability,
	type ReliabilityBin,
	type CalibrationErrorOptions,
} from './calibration-error.ts';
export {confidence} from './confidence.ts';
export {
	type ConfidenceDecision,
	type ConfidenceModel,
	ConfidenceSearcher,
	type ConfidenceSearcherOptions,
	type WithPhrases,
} from './confidence-searcher.ts';
export {type ConfidenceFusion, type ConfidenceFusionOptions, fuseByConfidence, type FusedModel} from './fuse-by-confidence.ts';
export {
	type JudgedScores,
	judgedScores,
	type ModelRun,
	selectModels,
	type JudgedScoresOptions,
	type SelectModelsOptions,
} from './judged-scores.ts';
export {reliabilityDiagram, type ReliabilityDiagramOptions} from './reliability-diagram.ts';
export {
	fitFusionTemperature,
	fitTemperature,
	type ModelOutcomes,
	type TemperatureDescent,
	type TemperatureDescentOptions,
	type TemperatureFit,
	type TemperatureSearchOptions,
} from './temperature.ts';
