// The public names, one explicit line each, in the order a request travels.
export { createRng, type Rng } from './core/rng';
export { UserError } from './core/errors';
export { Quantiles } from './core/quantiles';

// Section III: the system model.
export { type SystemConfig, type Mix, type Preset, type LengthModel, type PredictionError } from './system/config';
export { systemConfig, tableOne } from './system/presets';
export { readConfig } from './system/read-config';
export { decodeCurve, gpuPresets, mixGpus, serverSpecs } from './system/gpus';
export { type Calibrated, calibrated } from './system/calibrated';
export { type GpuProfile, readGpuProfiles } from './system/gpu-profiles';
export {
  type Scenario,
  type ScenarioRequest,
  type ServerSpec,
  type DecodePoint,
  type Batching,
  parseScenario,
  parseScenarioText,
} from './system/scenario';
export {
  type ReplayResult,
  type ReplayedRequest,
  type RejectedRequest,
  type ReplayedServer,
  type ReplayedSlot,
  type ReplayedIteration,
  replay,
} from './system/replay';
export {
  pathGain,
  rayleighGain,
  uplinkRate,
  transmissionSeconds,
  createChannel,
  serverGrid,
  type Channel,
} from './system/channel';
export { Mobility, reflect } from './system/mobility';
export {
  type Workload,
  type SlotRequests,
  slotRequests,
  syntheticWorkload,
  withPredictionError,
} from './system/workload';
export { type Trace, parseTrace, readTrace } from './system/trace';
export { type TraceLoad, type TraceOptions, traceWorkload, traceSlots, traceLoad } from './system/trace-workload';
export { prefillSeconds } from './system/prefill';
export { decodeProfile, iterationSeconds, type DecodeProfile } from './system/decode-profile';
export { EdgeServer } from './system/server';
export { type ServingConstants } from './system/serving-constants';
export { kvTokenIterations, tokensThatFit } from './system/token-counts';
export { Serving } from './system/serving';
export { type IterationRecorder } from './system/trajectory';

// Sections IV-A and IV-B1: virtual queues, the environment and its reward.
export { balanceDeviation, updateVirtualQueue, lyapunov, driftBound } from './env/virtual-queue';
export { type Completions } from './env/completions';
export { type SlotOutcome } from './env/outcome';
export { SlotView } from './env/slot-view';
export {
  type Reward,
  type RewardFunction,
  type RewardTerms,
  type RewardWeights,
  completedLatency,
  weightedDeviation,
  driftPlusPenalty,
  fixedPenalty,
  latencyOnly,
  rewardWeights,
  slotReward,
} from './env/reward';
export { type Scheduler, type SchedulerFactory } from './env/scheduler';
export { EdgeEnv, type EdgeEnvOptions, type TimeStep, type StepType } from './env/edge-env';

// Section V-B: schedulers that need no learning.
export { schedulers, type SchedulerName } from './schedulers/index';
export { Forecast } from './schedulers/forecast';
export { independentDraws } from './schedulers/independent-draws';

// Sections IV-B and IV-C: learning.
export { type Policy, type PolicyKind, type SlotRecord, atServers, createPolicy, slotRecord } from './lyreo/policy';
export { type BalanceMeasure } from './env/count-balance';
export { type Rollout, playEpisode } from './lyreo/rollout';
export {
  type BoundTerms,
  returnsToGo,
  truncatedReturn,
  generalisedAdvantage,
  lambdaTargets,
  truncationError,
  performanceBound,
} from './lyreo/returns';
export { type TruncationCheck, truncationChecks } from './lyreo/truncation';
export { redistributeReturn, redistributeToGo, predictionQuality } from './lyreo/redistribution';
export { type PredictorConfig, type Sequences, type Lesson, ReturnPredictor } from './lyreo/return-predictor';
export { type LearningMethod, type MethodIds, trainingDefaults } from './lyreo/method';
export { type TrainingConfig } from './lyreo/training-config';
export { type Credit, type CreditFactory, type CreditRule, type CreditSetup, creditRule } from './lyreo/credit/credit';
export { type RewardStreams, rewardStreams } from './lyreo/credit/streams';
export { delayed } from './lyreo/credit/delayed';
export { assigned } from './lyreo/credit/assigned';
export { littlesLaw } from './lyreo/credit/littles-law';
export { printed } from './lyreo/credit/printed';
export { slot } from './lyreo/credit/slot';
export { own } from './lyreo/credit/own';
export { request } from './lyreo/credit/request';
export { type Critic, type PpoConfig, type PpoLog, Ppo, createCritic, stateValues, standardised } from './lyreo/ppo';
export { clippedObjective } from './lyreo/clipped-objective';
export { type ClipTerms, clipTerms, decisionRatios } from './lyreo/decisions';
export { type UpdateLog, type UpdateDetail, Learner, DivergenceError } from './lyreo/lyreo';
export {
  type Checkpoint,
  type SavedPolicy,
  type TrainingRun,
  saveCheckpoint,
  loadCheckpoint,
  resumeLearner,
  savePolicy,
  loadPolicy,
} from './lyreo/checkpoint';
export { type PolicySchedulerOptions, policyScheduler } from './lyreo/policy-scheduler';

// Section V: experiments.
export { Metrics, type RunMetrics, type LatencyParts } from './env/metrics';
export type { Stability, StabilityVerdict } from './env/stability';
export { simulate, type SimulateOptions } from './env/simulate';
export {
  type Artefact,
  type Cell,
  type Point,
  type Profile,
  type ProfileName,
  artefacts,
  matrix,
  profiles,
} from './paper/matrix';
export { type Evaluation, type EpisodeMetrics, measure, quantileLevels } from './paper/measure';
export { type StoredRun, type LogColumns, type Machine, RunStore, runsFolder } from './paper/run-store';
export { executeCell, heldOutSeeds } from './paper/run';
export { type MakeRunsOptions, makeRuns } from './paper/make-runs';
export {
  type Curve,
  type FigureRuns,
  type FigureSeries,
  type PointLike,
  type RunMetric,
  Results,
  afterConvergence,
  curveOf,
  figureRuns,
  learningCurve,
  storedProfile,
} from './paper/results';
export { type Interval, meanInterval } from './paper/statistics';
export { type Published, publishedFacts } from './paper/published';
export { type Judgement, type Verdict } from './paper/judgement';
export { type Claim, claims } from './paper/claims';
export { type Reading, readings, readingRows } from './paper/readings';
export { type Scoreboard, type ScoreboardRow, scoreboard } from './paper/scoreboard';
export { type Goal, goals, goalPoint, goodFrom, goodLatency } from './paper/goals';
export { type Condition, type ConditionName, type Learning, conditionOf, conditions } from './paper/conditions';
export { type Conclusion, type ConditionClaim, conclusions, conditionClaims } from './paper/condition-claims';
export {
  type Inspection,
  type InspectedRequest,
  type InspectedBatch,
  type InspectedIteration,
  type InspectedSlot,
  inspect,
} from './env/inspect';
export {
  type RequestIteration,
  type KvByRequest,
  latencyParts,
  requestIterations,
  companions,
  kvByRequest,
} from './env/inspect-request';
export { repeatAssignments, toScenario } from './env/repeat';

export { type Method, type MethodName, methods, methodOf } from './paper/methods';
export { learningMethods, learningOf, type NamedTrainOptions, train } from './paper/train';
export { type TrainOptions, type TrainResult, type TrainingFiles, logLine, trainingFiles } from './lyreo/train';
export { type LearnedPolicy, type EvaluateOptions, evaluate, evaluationColumns } from './paper/evaluate';

// Figures: panels made of rows, put together into a Plotly figure.
export { type Panel, type PanelOptions, type FigureOptions, figure } from './plots/panel';
export { type LineColumns, band, sweep } from './plots/lines';
export { type BarColumns, type BoxColumns, bars, box, histogram } from './plots/bars';
export { heatMap } from './plots/heat-map';
export { type TimelineColumns, timeline } from './plots/timeline';
export { points, layers } from './plots/points';
export { type Stated, stated, limit, says } from './plots/stated';
export { type Rows, type DataFrameLike } from './plots/rows';
export {
  type RunRow,
  type QuantileRow,
  type LearningRow,
  type RunPlace,
  type LearningColumn,
  runRows,
  quantileRows,
  learningRows,
} from './paper/run-rows';
export { systemModelFigure } from './plots/system-model';
export { tableOneRows, type TableOneRow } from './plots/table-one';
export { kvExplorerFigure } from './plots/kv-explorer';
export {
  runsNote,
  seedsText,
  valueText,
  intervalOf,
  verdictText,
  claimRows,
  answerText,
  answerRows,
  scoreboardTable,
  type ClaimRow,
} from './plots/result-words';

// Display helpers for notebooks.
export { type Figure } from './plots/figure';
export { inKernel, isStatic, html, markdown, breathe } from './notebook/kernel';
export { plot, livePlot, type PlotOptions, type LivePlot } from './notebook/plot';
export { progress, interruptSignal, type ProgressTick } from './notebook/progress';
export { renderFigure, closeRenderer, findChromium, type RenderOptions } from './notebook/render';
export { table, type TableOptions } from './notebook/table';
export {
  type Statistic,
  toDataFrame,
  aggregate,
  records,
  complete,
  concatFrames,
  describeFrame,
  csvOf,
} from './notebook/data-frame';
export { type RemadeRow, makeMissing, remake } from './notebook/stored-runs';
export { OKABE_ITO, figureTemplate } from './plots/theme';
