// The public names, one explicit line each, in the order a request travels.
export { createRng, type Rng } from './core/rng';
export { UserError } from './core/errors';

// Section III: the system model.
export { type SystemConfig, type Mix, type Preset, type LengthModel } from './system/config';
export { systemConfig, tableOne } from './system/presets';
export { readConfig } from './system/read-config';
export { gpuPresets, serverSpecs } from './system/gpus';
export { calibrated } from './system/calibrated';
export { type GpuProfile, readGpuProfiles } from './system/gpu-profiles';
export { type Scenario, type ServerSpec, parseScenario } from './system/scenario';
export { replay } from './system/replay';
export { pathGain, uplinkRate, transmissionSeconds, createChannel } from './system/channel';
export { Mobility } from './system/mobility';
export {
  type Workload,
  type SlotRequests,
  slotRequests,
  syntheticWorkload,
  withPredictionError,
} from './system/workload';
export { type Trace, parseTrace, readTrace } from './system/trace';
export { type TraceLoad, traceWorkload, traceSlots, traceLoad } from './system/trace-workload';
export { prefillSeconds } from './system/prefill';
export { decodeProfile, iterationSeconds } from './system/decode-profile';
export { kvTokenIterations, tokensThatFit } from './system/token-counts';
export { type IterationRecorder } from './system/trajectory';

// Sections IV-A and IV-B1: virtual queues, the environment and its reward.
export { balanceDeviation, updateVirtualQueue, lyapunov, driftBound } from './env/virtual-queue';
export { type Completions } from './env/completions';
export { type SlotOutcome } from './env/outcome';
export { SlotView } from './env/slot-view';
export {
  type Reward,
  type RewardFunction,
  completedLatency,
  weightedDeviation,
  driftPlusPenalty,
  fixedPenalty,
  rewardWeights,
  slotReward,
} from './env/reward';
export { type Scheduler, type SchedulerFactory } from './env/scheduler';
export { EdgeEnv, type EdgeEnvOptions, type TimeStep } from './env/edge-env';

// Section V-B: schedulers that need no learning.
export { schedulers, type SchedulerName } from './schedulers/index';
export { independentDraws } from './schedulers/independent-draws';

// Sections IV-B and IV-C: learning.
export { type Policy, createPolicy, slotRecord } from './lyreo/policy';
export { type BalanceMeasure } from './env/count-balance';
export { type Rollout, playEpisode } from './lyreo/rollout';
export { truncatedReturn, generalisedAdvantage, performanceBound } from './lyreo/returns';
export { truncationChecks } from './lyreo/truncation';
export { redistributeReturn } from './lyreo/redistribution';
export { type PredictorBatch, ReturnPredictor } from './lyreo/return-predictor';
export { type LearningMethod, trainingDefaults } from './lyreo/method';
export { type TrainingConfig } from './lyreo/training-config';
export {
  type Credit,
  type CreditFactory,
  type CreditFunction,
  type CreditRule,
  type CreditSetup,
  creditRule,
} from './lyreo/credit/credit';
export { rewardStreams } from './lyreo/credit/streams';
export { delayed } from './lyreo/credit/delayed';
export { assigned } from './lyreo/credit/assigned';
export { printed } from './lyreo/credit/printed';
export { slot } from './lyreo/credit/slot';
export { own } from './lyreo/credit/own';
export { request } from './lyreo/credit/request';
export { stateValues, standardised } from './lyreo/ppo';
export { clippedObjective } from './lyreo/clipped-objective';
export { clipTerms, decisionRatios } from './lyreo/decisions';
export { type UpdateLog, type UpdateDetail, Learner, DivergenceError } from './lyreo/lyreo';
export { savePolicy, loadPolicy } from './lyreo/checkpoint';
export { policyScheduler } from './lyreo/policy-scheduler';

// Section V: experiments.
export { Metrics, type RunMetrics, type LatencyParts } from './env/metrics';
export type { Stability } from './env/stability';
export { simulate, type SimulateOptions } from './env/simulate';
export { matrix } from './paper/matrix';
export { type ProfileName, profiles } from './paper/profiles';
export { figureIds } from './paper/sweeps';
export { measure } from './paper/measure';
export { type StoredRun, RunStore } from './paper/run-store';
export { makeRuns } from './paper/make-runs';
export {
  type Curve,
  type FigureRuns,
  type RunMetric,
  Results,
  afterConvergence,
  figureRuns,
  storedProfile,
} from './paper/results';
export { type Interval, meanInterval } from './paper/statistics';
export { publishedFacts } from './paper/published';
export { type Verdict } from './paper/judgement';
export { claims } from './paper/claims';
export { readings, readingRows } from './paper/readings';
export { type Scoreboard, type ScoreboardRow, scoreboard } from './paper/scoreboard';
export { goals, goalPoint, goodFrom, goodLatency } from './paper/goals';
export { type ConditionName, type Learning, conditionOf, conditions } from './paper/conditions';
export { conclusions, conditionClaims } from './paper/condition-claims';
export { type Inspection, inspect } from './env/inspect';
export { latencyParts, requestIterations, companions, kvByRequest } from './env/inspect-request';
export { repeatAssignments, toScenario } from './env/repeat';

export { type MethodName, methods, methodOf } from './paper/methods';
export { learningOf, train } from './paper/train';
export { type TrainOptions, type TrainResult, logLine, trainingFiles } from './lyreo/train';
export { evaluate } from './paper/evaluate';

// Figures: panels made of rows, put together into a Plotly figure.
export { type Panel, type PanelOptions, type FigureOptions, figure } from './plots/panel';
export { type LineColumns, band, sweep } from './plots/lines';
export { type BarColumns, type BoxColumns, bars, box, histogram } from './plots/bars';
export { heatMap } from './plots/heat-map';
export { type TimelineColumns, timeline } from './plots/timeline';
export { points, layers } from './plots/points';
export { stated, limit, says } from './plots/stated';
export { type Rows, type DataFrameLike } from './plots/rows';
export { type RunRow, runRows, quantileRows, learningRows } from './paper/run-rows';
export { systemModelFigure } from './plots/system-model';
export { tableOneRows } from './plots/table-one';
export { kvExplorerFigure } from './plots/kv-explorer';
export {
  runsNote,
  valueText,
  intervalOf,
  verdictText,
  claimRows,
  answerText,
  answerRows,
  scoreboardTable,
} from './plots/result-words';

// Display helpers for notebooks.
export { type Figure } from './plots/figure';
export { inKernel, html, markdown, breathe } from './notebook/kernel';
export { plot, livePlot, type PlotOptions } from './notebook/plot';
export { progress, interruptSignal } from './notebook/progress';
export { findChromium } from './notebook/render';
export { table, type TableOptions } from './notebook/table';
export {
  type Statistic,
  toDataFrame,
  aggregate,
  records,
  complete,
  concatFrames,
  csvOf,
  describeFrame,
} from './notebook/data-frame';
export { makeMissing, remake } from './notebook/stored-runs';
export { OKABE_ITO } from './plots/theme';
