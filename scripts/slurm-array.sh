#!/bin/bash
# The whole matrix as a Slurm array, one shard per task:
#   sbatch --array=1-16 scripts/slurm-array.sh [figures...] [--profile paper]
# Tasks may share the folder data/runs/ (a run is made once), or have copies of the repository: merge by copying
# data/runs/*/*.json together. A task that is stopped goes on when it is submitted again.
#SBATCH --job-name=lyreo
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=04:00:00
#SBATCH --output=lyreo-%A_%a.log
set -euo pipefail
# Slurm runs a copy of this file from its own folder: the repository is where sbatch was called.
cd "${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}"
shard="${SLURM_ARRAY_TASK_ID:?submit with sbatch --array=1-N}/${SLURM_ARRAY_TASK_COUNT:?submit with sbatch --array=1-N}"
# "$@" after the default, so that a --profile given there counts.
exec node dist/cli.js experiments --profile paper --shard "$shard" --jobs "${SLURM_CPUS_PER_TASK:-1}" --progress "$@"
