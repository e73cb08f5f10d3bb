// Studies beyond the paper's figures, imported by a path of their own: `import * as studies from 'lyreo/studies'`.

// The fit of the constants that the paper does not print.
export { type Constants, constantNames, pilotConstants, ranges, units } from './calibration/constants';
export { type StandIn, type TrialRun, loadReadings, simulateUnder, trialRuns } from './calibration/trial';
export {
  type Score,
  type Sensitivity,
  type Target,
  score,
  sensitive,
  sensitivity,
  targetsOf,
} from './calibration/objective';
export {
  type Candidate,
  type StoredSearch,
  bestOf,
  calibration,
  finals,
  search,
  storedFinals,
  storedSearch,
} from './calibration/search';

// The distance from the optimum: the exact optimum of small episodes, a lower bound for large ones.
export { readEpisode } from './bounds/episode';
export { aloneBound } from './bounds/alone';
export { lowerBound } from './bounds/lower-bound';
export { ServerCosts } from './bounds/server-costs';
export { type Optimum, exactOptimum } from './bounds/optimum';
export { type Move, type SmallInstance, moves, smallInstance } from './bounds/small-instance';
export { type BoundedRun, boundedRuns } from './bounds/bounded-run';

// The true effect of decisions, beside their credit.
export { counterfactualEffects } from './counterfactual';
export { correlation, rankCorrelation, withinGroups } from './correlation';

// Conclusions of the paper in conditions that it leaves out.
export { conditionClaims } from './condition-claims';
