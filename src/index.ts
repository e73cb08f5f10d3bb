// The public names, one explicit line each, in the order a request travels.
export { createRng } from './core/rng';

// Section III: the system model.
export { type SystemConfig, type Preset } from './system/config';
export { systemConfig } from './system/presets';
export { gpuPresets, serverSpecs } from './system/gpus';
export { type ServerSpec, parseScenario } from './system/scenario';
export { replay } from './system/replay';
export { pathGain, uplinkRate, transmissionSeconds, createChannel } from './system/channel';
export { Mobility } from './system/mobility';
export { slotRequests, syntheticWorkload } from './system/workload';
export { parseTrace, readTrace } from './system/trace';
export { type TraceLoad, traceWorkload, traceSlots, traceLoad } from './system/trace-workload';
export { prefillSeconds } from './system/waiting-queue';
export { decodeProfile, iterationSeconds } from './system/decode-profile';
export { kvTokenIterations, tokensThatFit } from './system/token-counts';

// Sections IV-A and IV-B1: virtual queues, the environment and its reward.
export { balanceDeviation, updateVirtualQueue, lyapunov, driftBound } from './env/virtual-queue';
export { type SlotOutcome } from './env/outcome';
export { SlotView } from './env/slot-view';
export {
  type Reward,
  type RewardFunction,
  completedLatency,
  weightedDeviation,
  driftPlusPenalty,
  rewardWeights,
  slotReward,
} from './env/reward';
export { type SchedulerFactory } from './env/scheduler';
export { EdgeEnv } from './env/edge-env';

// Section V-B: schedulers that need no learning.
export { schedulers, type SchedulerName } from './schedulers/index';

// Sections IV-B and IV-C: learning.
export { type Policy, policyScheduler, slotRecord } from './lyreo/policy';
export { type Rollout, playEpisode } from './lyreo/rollout';
export { truncatedReturn } from './lyreo/returns';
export { performanceBound, truncationChecks } from './lyreo/truncation';
export { redistributeReturn } from './lyreo/redistribution';
export { type PredictorBatch, ReturnPredictor } from './lyreo/return-predictor';
export { type LearningMethod, trainingDefaults } from './lyreo/method';
export { type TrainingConfig } from './lyreo/training-config';
export { type Credit, creditRule } from './lyreo/credit/credit';
export { rewardStreams } from './lyreo/credit/streams';
export { own } from './lyreo/credit/own';
export { standardised } from './lyreo/ppo';
export { clippedObjective, decisionRatios } from './lyreo/clip-loss';
export { type UpdateLog, type UpdateDetail, Learner } from './lyreo/lyreo';
export { loadPolicy } from './lyreo/checkpoint';

// Section V: experiments.
export { type RunMetrics } from './env/metrics';
export { simulate } from './env/simulate';
export { type ProfileName, profiles } from './paper/profiles';
export { figureIds } from './paper/sweeps';
export { type FigureRuns, type RunMetric, Results, figureRuns, storedProfile } from './paper/results';
export { afterConvergence } from './paper/quantities';
export { type Interval, meanInterval } from './core/statistics';
export { publishedFacts } from './paper/published';
export { readings, readingRows } from './paper/readings';
export { type ScoreboardRow, scoreboard } from './paper/scoreboard';
export { type ConditionName, conditions } from './paper/conditions';
export { verdictSentences } from './paper/verdict';
export { type Inspection, inspect } from './env/inspect';
export { latencyParts, requestIterations, companions, kvByRequest } from './env/inspect-request';
export { repeatAssignments, toScenario } from './env/repeat';

export { type MethodName, methods } from './paper/methods';
export { learningOf, train } from './paper/train';
export { type TrainResult, logLine, trainingFiles } from './lyreo/train';
export { evaluate } from './paper/evaluate';

// Figures: panels made of rows, put together into a Plotly figure.
export { figure } from './plots/panel';
export { band, sweep } from './plots/lines';
export { bars, box, histogram } from './plots/bars';
export { heatMap } from './plots/heat-map';
export { timeline } from './plots/timeline';
export { points, layers } from './plots/points';
export { stated, limit, says } from './plots/stated';
export { type Rows } from './plots/rows';
export { type RunRow, runRows, quantileRows, learningRows } from './paper/results';
export { systemModelFigure } from './plots/system-model';
export { methodFigure } from './plots/method-figure';
export { tableOneRows } from './plots/table-one';
export { kvExplorerFigure } from './plots/kv-explorer';
export {
  runsNote,
  intervalOf,
  verdictText,
  claimRows,
  answerText,
  answerRows,
  scoreboardTable,
} from './plots/result-words';

// Display helpers for notebooks.
export { markdown, breathe } from './notebook/kernel';
export { plot, livePlot } from './notebook/plot';
export { progress, interruptSignal } from './notebook/progress';
export { table } from './notebook/table';
export { download } from './notebook/download';
export { type Statistic, toDataFrame, aggregate, records } from './notebook/data-frame';
export { makeMissing, remake } from './notebook/stored-runs';
export { OKABE_ITO } from './plots/theme';
