/**
 * The one set-up behind `npm start` and `npm test`. Every step looks whether its result is there and
 * whole, and only then counts as done; so it may be interrupted anywhere and run again.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError, cache, collect, inRoot, main, npm, root, run, venvPython } from './common.mjs';

const TENSORFLOW = '2.21.0';
const TFJS_NODE = inRoot('node_modules', '@tensorflow', 'tfjs-node');
const ADDON = join(TFJS_NODE, 'lib', 'napi-v8', 'tfjs_binding.node');
const KERNELS = inRoot('.venv', 'share', 'jupyter', 'kernels');

export async function setup() {
  checkNode();
  const unlock = await lock();
  try {
    // One by one, for npm ci takes the addon of the third step away with the old packages.
    let checked = false;
    for (const step of [packages, python, tensorflow, library]) {
      if (step.done()) continue;
      if (!checked) checkPrerequisites();
      checked = true;
      console.log(`lyreo set-up: ${step.title} …`);
      await step.run();
    }
    link(inRoot('node_modules', 'lyreo'), root);
    writeJupyterSettings();
  } finally {
    unlock();
  }
}

// --- Prerequisites -----------------------------------------------------------------------------

const INSTALL = {
  node: [
    'Node.js 20.19 or newer',
    'curl -fsSL https://deb.nodesource.com/setup_22.x | sudo -E bash - && sudo apt-get install -y nodejs',
    'sudo dnf install -y nodejs22',
    'brew install node@22',
  ],
  python: [
    'Python 3.10 or newer with venv and pip',
    'sudo apt-get install -y python3 python3-venv',
    'sudo dnf install -y python3',
    'brew install python@3.12',
  ],
  compiler: [
    'a C++ compiler (c++, g++ or clang++)',
    'sudo apt-get install -y build-essential',
    'sudo dnf install -y gcc-c++ make',
    'xcode-select --install',
  ],
  chromium: [
    'Chromium (for pictures of figures and the browser test; CHROMIUM_PATH may name it)',
    'sudo apt-get install -y chromium   (Ubuntu: sudo snap install chromium)',
    'sudo dnf install -y chromium',
    'brew install --cask chromium',
  ],
};

/** The message that names what is missing and how to get it. */
export function missing(names) {
  return names
    .map((name) => {
      const [what, debian, fedora, mac] = INSTALL[name];
      return [
        `Missing: ${what}. Install it with`,
        `  Debian/Ubuntu  ${debian}`,
        `  Fedora         ${fedora}`,
        `  macOS          ${mac}`,
      ].join('\n');
    })
    .join('\n');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`This is Node ${process.versions.node}.\n${missing(['node'])}`);
}

function checkPrerequisites() {
  const names = [];
  if (!findPython()) names.push('python');
  if (!findCompiler()) names.push('compiler');
  if (names.length > 0) throw new SetupError(missing(names));
}

const PYTHON_CHECK = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.executable)';

function findPython() {
  const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
  for (const name of [process.env.PYTHON, ...names].filter(Boolean)) {
    const { code, output } = collect(name, ['-c', PYTHON_CHECK]);
    if (code === 0) return output.trim();
  }
  return undefined;
}

function findCompiler() {
  const names = [process.env.CXX, 'c++', 'g++', 'clang++'].filter(Boolean);
  return names.find((name) => collect(name, ['--version']).code === 0);
}

// --- node_modules ------------------------------------------------------------------------------

const packages = {
  title: 'npm packages',
  /** Each package of the lock file is there in the locked version, and npm finished its work. */
  done() {
    if (!existsSync(inRoot('node_modules', '.package-lock.json'))) return false;
    const lockFile = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
    return Object.entries(lockFile.packages).every(([path, { version, optional, link }]) => {
      if (path === '' || link) return true;
      const manifest = inRoot(path, 'package.json');
      if (!existsSync(manifest)) return optional === true;
      return JSON.parse(readFileSync(manifest, 'utf8')).version === version;
    });
  },
  async run() {
    const code = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (code !== 0) throw new SetupError(`npm ci failed (exit code ${code}), see above.`);
  },
};

// --- Python ------------------------------------------------------------------------------------

const PIP = ['-m', 'pip', '--disable-pip-version-check', 'install'];
const pythonStamp = inRoot('.venv', '.lyreo-stamp');
/** A virtual environment holds absolute paths: a moved project needs a new one. */
const pythonState = () => `${root}\n${sha(readFileSync(inRoot('scripts', 'requirements.txt')))}\n`;

const python = {
  title: 'JupyterLab in .venv',
  done: () => readIfThere(pythonStamp) === pythonState() && existsSync(venvPython),
  async run() {
    rmSync(inRoot('.venv'), { recursive: true, force: true });
    await must(findPython(), ['-m', 'venv', inRoot('.venv')], 'The virtual environment failed');
    const list = inRoot('scripts', 'requirements.txt');
    await must(venvPython, [...PIP, '-qq', '-r', list], 'Installing JupyterLab failed');
    writeFileSync(pythonStamp, pythonState());
  },
};

function writeJupyterSettings() {
  const kernel = {
    argv: [
      process.execPath,
      inRoot('scripts', 'kernel.cjs'),
      '-r',
      inRoot('scripts', 'kernel-preload.cjs'),
      inRoot('node_modules', 'tslab', 'bin', 'tslab'),
      'kernel',
      '--config-path',
      '{connection_file}',
    ],
    display_name: 'TypeScript',
    language: 'typescript',
    interrupt_mode: 'signal',
    // One thread and no oneDNN: the same numbers on every machine, and faster for small networks.
    env: {
      TF_CPP_MIN_LOG_LEVEL: '2',
      TF_ENABLE_ONEDNN_OPTS: '0',
      TF_NUM_INTRAOP_THREADS: '1',
      TF_NUM_INTEROP_THREADS: '1',
    },
  };
  writeIfChanged(join(KERNELS, 'tslab', 'kernel.json'), `${JSON.stringify(kernel, null, 2)}\n`);
  const overrides = {
    '@jupyterlab/apputils-extension:notification': { fetchNews: 'false', checkForUpdates: false },
    '@jupyterlab/docmanager-extension:plugin': { defaultViewers: { markdown: 'Markdown Preview' } },
    // All cells stay in the page: figures are not drawn anew while scrolling, and printing is whole.
    '@jupyterlab/notebook-extension:tracker': { windowingMode: 'none' },
  };
  writeIfChanged(
    inRoot('.venv', 'share', 'jupyter', 'lab', 'settings', 'overrides.json'),
    `${JSON.stringify(overrides, null, 2)}\n`,
  );
  // A stored figure's picture shrinks to a narrow window; drawn by Plotly, on mouse-over, it has its own size.
  const css = '.jp-RenderedPlotly .plot-img {\n  max-width: 100%;\n  height: auto;\n}\n';
  writeIfChanged(inRoot('.jupyter', 'config', 'custom', 'custom.css'), css);
  keepStoredPictures();
}

/**
 * Plotly's extension of JupyterLab puts its own picture of a figure into the notebook when the mouse is over it, and
 * JupyterLab then asks to save what nobody changed. Here it does so only where no picture is stored.
 */
function keepStoredPictures() {
  const folder = inRoot('.venv', 'share', 'jupyter', 'labextensions', 'jupyterlab-plotly', 'static');
  for (const name of readdirSync(folder).filter((file) => /^\d+\..*\.js$/.test(file))) {
    const text = readFileSync(join(folder, name), 'utf8');
    const changed = text.replace(/(\w+)\.data\["image\/png"\]!==\w+&&\1\.setData/, '$1.data["image/png"]||$1.setData');
    writeIfChanged(join(folder, name), changed);
  }
}

// --- Native TensorFlow -------------------------------------------------------------------------

/**
 * tfjs-node's own download no longer answers (tensorflow/tfjs#8742). The wheel of the Python
 * package holds the same C library; the addon is compiled against it. The addon uses nothing but
 * Node-API, so one compiler call with the headers of the npm package node-api-headers will do, for
 * every Node version and in folders whose names hold spaces.
 */
const tensorflow = {
  title: 'native TensorFlow (the first time a download of 274 MB)',
  done: () =>
    process.env.LYREO_NO_NATIVE === '1' ||
    existsSync(cache('tensorflow-unavailable')) ||
    (existsSync(ADDON) &&
      isLink(join(TFJS_NODE, 'deps', 'lib'), unpacked('lib')) &&
      existsSync(unpacked('lib', sharedLibrary('cc')))),
  async run() {
    try {
      await fetchTensorflow();
      buildAddon();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      writeIfChanged(cache('tensorflow-unavailable'), `${error.message}\n`);
      console.error(withoutNative(error.message));
    }
  },
};

const withoutNative = (reason) => `
${'!'.repeat(98)}
  ${reason}
  Without it no policy can be trained or evaluated; the simulator, all other schedulers and the stored
  runs do not need it.
  To try again: delete .cache/tensorflow-unavailable and start anew. Without a network: put the
  wheel of tensorflow-cpu ${TENSORFLOW} (cp311) into .cache/wheels/ first.
${'!'.repeat(98)}
`;

const isMac = process.platform === 'darwin';
const sharedLibrary = (part) => (isMac ? `libtensorflow_${part}.2.dylib` : `libtensorflow_${part}.so.2`);
const unpacked = (...parts) => cache(`tensorflow-${TENSORFLOW}`, ...parts);

const manylinux = (arch) => ['17', '27', '28'].map((glibc) => `manylinux_2_${glibc}_${arch}`);
const WHEELS = {
  'linux-x64': { name: 'tensorflow-cpu', platforms: manylinux('x86_64') },
  'linux-arm64': { name: 'tensorflow', platforms: manylinux('aarch64') },
  'darwin-arm64': { name: 'tensorflow', platforms: ['macosx_12_0_arm64'] },
};

/** pip compares the wheel with the index's hash and unpacks it; the C library and the headers are kept. */
async function fetchTensorflow() {
  if (existsSync(unpacked())) return;
  const system = `${process.platform}-${process.arch}`;
  if (!(system in WHEELS)) throw new SetupError(`There is no TensorFlow wheel for ${system}.`);
  const { name, platforms } = WHEELS[system];
  const [whole, half, temporary] = ['whole', 'part', 'tmp'].map((ending) => `${unpacked()}.${ending}`);
  const clear = (...folders) => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  clear(whole, half, temporary);
  mkdirSync(temporary, { recursive: true });
  mkdirSync(cache('wheels'), { recursive: true });
  const only = ['--no-deps', '--only-binary=:all:', '--python-version', '3.11'];
  const tags = platforms.flatMap((platform) => ['--platform', platform]);
  const from = ['--find-links', cache('wheels'), '--no-cache-dir', '--no-compile', '--target', whole];
  const what = [...only, ...tags, ...from, `${name}==${TENSORFLOW}`];
  // pip unpacks in the temporary folder first, which may be small.
  const options = { env: { ...process.env, TMPDIR: temporary } };
  const code = await run(venvPython, [...PIP, '-q', ...what], options);
  if (code !== 0) throw new SetupError(`pip could not install ${name} ${TENSORFLOW}.`);
  const libraries = ['cc', 'framework'].map((part) => [sharedLibrary(part), join('lib', sharedLibrary(part))]);
  const headers = ['tensorflow/c', 'tensorflow/core/platform', 'tsl', 'xla/tsl'].map((folder) =>
    join('include', folder),
  );
  for (const [from, to] of [...libraries, ...headers.map((folder) => [folder, folder])]) {
    mkdirSync(dirname(join(half, to)), { recursive: true });
    renameSync(join(whole, 'tensorflow', from), join(half, to));
  }
  clear(whole, temporary);
  renameSync(half, unpacked()); // the name without .part exists only for a complete folder
}

function buildAddon() {
  const deps = join(TFJS_NODE, 'deps');
  rmSync(deps, { recursive: true, force: true });
  link(join(deps, 'lib'), unpacked('lib'));
  link(join(deps, 'include'), unpacked('include'));
  const half = `${ADDON}.part`;
  mkdirSync(dirname(ADDON), { recursive: true });
  const flags = isMac
    ? ['-bundle', '-undefined', 'dynamic_lookup', '-Wl,-rpath,@loader_path/../../deps/lib']
    : ['-shared', '-fPIC', '-Wl,-rpath,$ORIGIN/../../deps/lib'];
  const includes = [inRoot('node_modules', 'node-api-headers', 'include'), unpacked('include')];
  const sources = ['tfjs_backend.cc', 'tfjs_binding.cc'];
  const { code, output } = collect(findCompiler(), [
    ...['-O2', '-std=c++17', '-w', '-DNAPI_VERSION=8', ...flags],
    ...includes.flatMap((folder) => ['-I', folder]),
    ...sources.map((file) => join(TFJS_NODE, 'binding', file)),
    ...['cc', 'framework'].map((part) => unpacked('lib', sharedLibrary(part))),
    ...['-o', half],
  ]);
  if (code !== 0) throw new SetupError(`The addon of tfjs-node does not compile:\n${output}`);
  renameSync(half, ADDON);
}

// --- dist/ -------------------------------------------------------------------------------------

const libraryStamp = inRoot('dist', '.lyreo-stamp');

const library = {
  title: 'the library (dist/)',
  done: () => readIfThere(libraryStamp) === sourceState(),
  /** Built beside dist/ and swapped in: no half-written file, none of a deleted source. */
  async run() {
    const state = sourceState();
    const fresh = inRoot('dist.part');
    rmSync(fresh, { recursive: true, force: true });
    const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc');
    const args = [tsc, '-p', inRoot('tsconfig.build.json'), '--outDir', fresh];
    await must(process.execPath, args, 'The library does not compile');
    writeFileSync(join(fresh, '.lyreo-stamp'), state);
    rmSync(inRoot('dist'), { recursive: true, force: true });
    renameSync(fresh, inRoot('dist'));
  },
};

/** Name, size and time of every source: one changed, added or removed file changes it. */
function sourceState() {
  const files = readdirSync(inRoot('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const configs = ['tsconfig.json', 'tsconfig.build.json'].map((name) => inRoot(name));
  const lines = [...files, ...configs].sort().map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${relative(root, file)} ${size} ${mtimeMs}`;
  });
  return `${sha(lines.join('\n'))}\n`;
}

// --- One set-up at a time ----------------------------------------------------------------------

/** A folder is created or is already there, in one step. It holds the process id of its owner. */
async function lock() {
  const folder = cache('setup.lock');
  const owner = join(folder, 'pid');
  mkdirSync(cache(), { recursive: true });
  for (let waited = 0; ; waited++) {
    try {
      mkdirSync(folder);
      writeFileSync(owner, String(process.pid));
      const unlock = () => rmSync(folder, { recursive: true, force: true });
      process.once('exit', unlock);
      return unlock;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    // A lock without a process id is being written, or was left by a crash in that very moment.
    const pid = Number(readIfThere(owner) ?? 0);
    if (pid > 0 ? !isAlive(pid) : waited > 10) rmSync(folder, { recursive: true, force: true });
    else if (waited === 0) console.log('lyreo set-up: waiting for another one to finish …');
    await sleep(200);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// --- Small helpers -----------------------------------------------------------------------------

const sha = (text) => createHash('sha256').update(text).digest('hex');

const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

function writeIfChanged(file, text) {
  if (readIfThere(file) === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** A relative symbolic link: it survives moving the project. */
function link(path, target) {
  if (isLink(path, target)) return;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(relative(dirname(path), target), path, 'dir');
}

function isLink(path, target) {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there?.isSymbolicLink() && readlinkSync(path) === relative(dirname(path), target);
}

async function must(command, args, what) {
  const code = await run(command, args);
  if (code !== 0) throw new SetupError(`${what} (exit code ${code}), see above.`);
}

// `npm run setup`, `npm run build`
if (process.argv[1] === inRoot('scripts', 'setup.mjs')) main(setup);
