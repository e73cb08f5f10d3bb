import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,tests}/**/*.test.ts'],
    // TensorFlow's threads do not survive vitest's worker threads being ended.
    pool: 'forks',
    // One generous limit for all, so that no test depends on the machine's speed.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    env: {
      TF_CPP_MIN_LOG_LEVEL: '2',
      TF_ENABLE_ONEDNN_OPTS: '0',
      TF_NUM_INTRAOP_THREADS: '1',
      TF_NUM_INTEROP_THREADS: '1',
    },
  },
});
