// Studies beyond the paper's figures, imported by a path of their own: `import * as studies from 'lyreo/studies'`.
export { type Episode, readEpisode } from './bounds/episode';
export { aloneBound, aloneSeconds } from './bounds/alone';
export { type LowerBound, lowerBound } from './bounds/lower-bound';
export { type ServerCost, ServerCosts } from './bounds/server-costs';
export { type Optimum, exactOptimum } from './bounds/optimum';
export { type CounterfactualOptions, type CounterfactualEffects, counterfactualEffects } from './counterfactual';
export { type UnitTraining, bestUnit, deviationError, unitTrainings } from './balance-unit';
export {
  type Candidate,
  type ConstantName,
  type Constants,
  type Score,
  type Sensitivity,
  type Target,
  bestOf,
  constantNames,
  fittedByDefault,
  gpusUnder,
  meanError,
  pilotConstants,
  presentConstants,
  ranges,
  score,
  search,
  sensitive,
  sensitivities,
  sensitivity,
  simulateUnder,
  targetsOf,
} from './calibrate';
export {
  type Agreement,
  type StoredSearch,
  type StoredUnits,
  agreement,
  bestSoFar,
  storedSearch,
  storedUnits,
} from './calibration-log';
export {
  type SmallInstance,
  type SmallResult,
  type GapRow,
  type Move,
  type BoundedRun,
  smallInstance,
  gapRows,
  moves,
  EpisodeBounds,
} from './optimality-gap';
export { CreditObserver } from './credit-observer';
export { type CreditAndTruth, besideTruth, besideTruthInSlot, correlation, rankCorrelation } from './credit-truth';
export { type CreditMove, creditMoves, slotCredit } from './credit-moves';
