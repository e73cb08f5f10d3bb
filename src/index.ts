// The public names, one explicit line each, in the order a request travels.
export { createRng, type Rng } from './core/rng';
export { UserError } from './core/errors';
export { Quantiles } from './core/quantiles';

// Section III: the system model.
export { type SystemConfig, type Mix, type Preset, type LengthModel, type PredictionError } from './system/config';
export { systemConfig, tableOne } from './system/presets';
export { readConfig } from './system/read-config';
export { decodeCurve, gpuPresets, mixGpus, serverSpecs } from './system/gpus';
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
export { EdgeServer, kvTokenIterations, tokensThatFit, type ServingConstants } from './system/server';
export { Serving } from './system/serving';
export { type IterationRecorder } from './system/trajectory';

// Sections IV-A and IV-B1: virtual queues, the environment and its reward.
export { balanceDeviation, updateVirtualQueue, lyapunov, driftBound } from './env/virtual-queue';
export { type SlotOutcome, type Completions } from './env/outcome';
export { SlotView } from './env/slot-view';
export {
  type RewardFunction,
  type RewardWeights,
  completedLatency,
  weightedDeviation,
  driftPlusPenaltyReward,
  fixedPenaltyReward,
} from './env/reward';
export { type Scheduler, type SchedulerFactory } from './env/scheduler';
export { EdgeEnv, type EdgeEnvOptions, type TimeStep, type StepType } from './env/edge-env';

// Section V-B: schedulers that need no learning.
export { schedulers, type SchedulerName } from './schedulers/index';
export { Forecast } from './schedulers/forecast';

// Section V: experiments.
export { Metrics, type RunMetrics, type LatencyParts, type Stability } from './experiments/metrics';
export { simulate, type SimulateOptions } from './experiments/simulate';
export {
  type Inspection,
  type InspectedRequest,
  type InspectedBatch,
  type InspectedIteration,
  type InspectedSlot,
  type RequestIteration,
  type KvByRequest,
  inspect,
  repeatAssignments,
  toScenario,
  latencyParts,
  requestIterations,
  companions,
  kvByRequest,
} from './experiments/inspect';

// Figures: data in, plotly figure out.
export { systemModelFigure } from './figures/system-model';
export { tableOneRows, type TableOneRow } from './figures/table-one';
export { decodeProfileFigure } from './figures/gpu-profiles';
export { lengthHistograms, type LengthSample } from './figures/workload';
export { serviceAreaFigure, type Positions } from './figures/service-area';
export { requestLifeFigure, latencyPartsFigure, companionsFigure, type LatencyRow } from './figures/request-life';
export { kvExplorerFigure, kvCompareFigure, kvByRequestFigure, occupationHeatMaps } from './figures/kv-trajectory';
export {
  groupedBars,
  lines,
  batchSizesFigure,
  type Series,
  type SeriesLabels,
  type Reference,
} from './figures/comparison';

// Display helpers for notebooks.
export { type Figure } from './notebook/figure';
export { inKernel, isStatic, html, markdown, breathe } from './notebook/kernel';
export { plot, livePlot, type PlotOptions, type LivePlot } from './notebook/plot';
export { progress, interruptSignal, type ProgressTick } from './notebook/progress';
export { renderFigure, closeRenderer, findChromium, type RenderOptions } from './notebook/render';
export { table, type TableOptions, type DataFrameLike } from './notebook/table';
export { OKABE_ITO, figureTemplate } from './notebook/theme';
