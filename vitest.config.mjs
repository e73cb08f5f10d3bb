import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,tests}/**/*.test.ts'],
    // TensorFlow's threads do not survive vitest's worker threads being ended.
    pool: 'forks',
    testTimeout: 60_000,
    env: {
      TF_CPP_MIN_LOG_LEVEL: '2',
      TF_ENABLE_ONEDNN_OPTS: '0',
      TF_NUM_INTRAOP_THREADS: '1',
      TF_NUM_INTEROP_THREADS: '1',
    },
  },
});
