/**
 * The one set-up behind `npm start` and `npm test`. Every step looks whether its result is there and
 * whole, and only then counts as done; so it may be interrupted anywhere and run again.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError, cache, collect, inRoot, main, npm, root, run, venvPython } from './common.mjs';

const TENSORFLOW = '2.21.0';
const TFJS_NODE = inRoot('node_modules', '@tensorflow', 'tfjs-node');
const ADDON = join(TFJS_NODE, 'lib', 'napi-v8', 'tfjs_binding.node');
const inVenv = (...parts) => inRoot('.venv', 'share', 'jupyter', ...parts);

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

/** The message that names a missing program and the way to get it. */
export function missing(names) {
  const lines = names.flatMap((name) => {
    const [what, debian, fedora, mac] = INSTALL[name];
    const ways = [`  Debian/Ubuntu  ${debian}`, `  Fedora         ${fedora}`, `  macOS          ${mac}`];
    return [`Missing: ${what}. Install it with`, ...ways];
  });
  return lines.join('\n');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`This is Node ${process.versions.node}.\n${missing(['node'])}`);
}

function checkPrerequisites() {
  const names = [...(findPython() ? [] : ['python']), ...(findCompiler() ? [] : ['compiler'])];
  if (names.length > 0) throw new SetupError(missing(names));
}

const PYTHON_CHECK = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.executable)';

function findPython() {
  const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
  const found = [process.env.PYTHON, ...names].filter(Boolean).map((name) => collect(name, ['-c', PYTHON_CHECK]));
  return found.find(({ code }) => code === 0)?.output.trim();
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
    if (!fs.existsSync(inRoot('node_modules', '.package-lock.json'))) return false;
    const lockFile = JSON.parse(fs.readFileSync(inRoot('package-lock.json'), 'utf8'));
    return Object.entries(lockFile.packages).every(([path, { version, optional, link }]) => {
      if (path === '' || link) return true;
      const manifest = inRoot(path, 'package.json');
      if (!fs.existsSync(manifest)) return optional === true;
      return JSON.parse(fs.readFileSync(manifest, 'utf8')).version === version;
    });
  },
  run: () => must(npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund']), 'npm ci failed'),
};

// --- Python ------------------------------------------------------------------------------------

const PIP = ['-m', 'pip', '--disable-pip-version-check', 'install'];
const requirements = inRoot('scripts', 'requirements.txt');
const pythonStamp = inRoot('.venv', '.lyreo-stamp');
/** A virtual environment holds absolute paths: a moved project needs a new one. */
const pythonState = () => `${root}\n${sha(fs.readFileSync(requirements))}\n`;

const python = {
  title: 'JupyterLab in .venv',
  done: () => readIfThere(pythonStamp) === pythonState() && fs.existsSync(venvPython),
  async run() {
    fs.rmSync(inRoot('.venv'), { recursive: true, force: true });
    await must(run(findPython(), ['-m', 'venv', inRoot('.venv')]), 'The virtual environment failed');
    await must(run(venvPython, [...PIP, '-qq', '-r', requirements]), 'Installing JupyterLab failed');
    fs.writeFileSync(pythonStamp, pythonState());
  },
};

function writeJupyterSettings() {
  const tslab = [inRoot('node_modules', 'tslab', 'bin', 'tslab'), 'kernel', '--config-path', '{connection_file}'];
  const preload = ['-r', inRoot('scripts', 'kernel-preload.cjs')];
  const kernel = {
    argv: [process.execPath, inRoot('scripts', 'kernel.cjs'), ...preload, ...tslab],
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
  writeIfChanged(inVenv('kernels', 'tslab', 'kernel.json'), JSON.stringify(kernel, null, 2));
  const overrides = {
    '@jupyterlab/apputils-extension:notification': { fetchNews: 'false', checkForUpdates: false },
    '@jupyterlab/docmanager-extension:plugin': { defaultViewers: { markdown: 'Markdown Preview' } },
    // All cells stay in the page: figures are not drawn anew while scrolling, and printing is whole.
    '@jupyterlab/notebook-extension:tracker': { windowingMode: 'none' },
  };
  writeIfChanged(inVenv('lab', 'settings', 'overrides.json'), JSON.stringify(overrides, null, 2));
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
  const folder = inVenv('labextensions', 'jupyterlab-plotly', 'static');
  for (const name of fs.readdirSync(folder).filter((file) => /^\d+\..*\.js$/.test(file))) {
    const text = fs.readFileSync(join(folder, name), 'utf8');
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
    fs.existsSync(cache('tensorflow-unavailable')) ||
    (fs.existsSync(ADDON) &&
      isLink(join(TFJS_NODE, 'deps', 'lib'), unpacked('lib')) &&
      fs.existsSync(unpacked('lib', sharedLibrary('cc')))),
  run: () =>
    fetchTensorflow()
      .then(buildAddon)
      .catch((error) => {
        if (!(error instanceof SetupError)) throw error;
        writeIfChanged(cache('tensorflow-unavailable'), `${error.message}\n`);
        console.error(withoutNative(error.message));
      }),
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
  if (fs.existsSync(unpacked())) return;
  const system = `${process.platform}-${process.arch}`;
  if (!(system in WHEELS)) throw new SetupError(`There is no TensorFlow wheel for ${system}.`);
  const { name, platforms } = WHEELS[system];
  const [whole, half, temporary] = ['whole', 'part', 'tmp'].map((ending) => `${unpacked()}.${ending}`);
  const clear = (...folders) => folders.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true }));
  clear(whole, half, temporary);
  for (const folder of [temporary, cache('wheels')]) fs.mkdirSync(folder, { recursive: true });
  const only = ['--no-deps', '--only-binary=:all:', '--python-version', '3.11'];
  const tags = platforms.flatMap((platform) => ['--platform', platform]);
  const from = ['--find-links', cache('wheels'), '--no-cache-dir', '--no-compile', '--target', whole];
  // pip unpacks in the temporary folder first, which may be small.
  const options = { env: { ...process.env, TMPDIR: temporary } };
  const pip = [...PIP, '-q', ...only, ...tags, ...from, `${name}==${TENSORFLOW}`];
  await must(run(venvPython, pip, options), `pip could not install ${name} ${TENSORFLOW}`);
  const libraries = ['cc', 'framework'].map((part) => [sharedLibrary(part), join('lib', sharedLibrary(part))]);
  const headers = ['tensorflow/c', 'tensorflow/core/platform', 'tsl', 'xla/tsl'].map((path) => join('include', path));
  for (const [from, to] of [...libraries, ...headers.map((folder) => [folder, folder])]) {
    fs.mkdirSync(dirname(join(half, to)), { recursive: true });
    fs.renameSync(join(whole, 'tensorflow', from), join(half, to));
  }
  clear(whole, temporary);
  fs.renameSync(half, unpacked()); // the name without .part exists only for a complete folder
}

function buildAddon() {
  const deps = join(TFJS_NODE, 'deps');
  fs.rmSync(deps, { recursive: true, force: true });
  link(join(deps, 'lib'), unpacked('lib'));
  link(join(deps, 'include'), unpacked('include'));
  const half = `${ADDON}.part`;
  fs.mkdirSync(dirname(ADDON), { recursive: true });
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
  fs.renameSync(half, ADDON);
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
    fs.rmSync(fresh, { recursive: true, force: true });
    const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc');
    const args = [tsc, '-p', inRoot('tsconfig.build.json'), '--outDir', fresh];
    await must(run(process.execPath, args), 'The library does not compile');
    fs.writeFileSync(join(fresh, '.lyreo-stamp'), state);
    fs.rmSync(inRoot('dist'), { recursive: true, force: true });
    fs.renameSync(fresh, inRoot('dist'));
  },
};

/** Name, size and time of every source: one changed, added or removed file changes it. */
function sourceState() {
  const files = fs
    .readdirSync(inRoot('src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const configs = ['tsconfig.json', 'tsconfig.build.json'].map((name) => inRoot(name));
  const states = [...files, ...configs]
    .sort()
    .map((file) => [relative(root, file), fs.statSync(file).size, fs.statSync(file).mtimeMs]);
  return `${sha(states.join('\n'))}\n`;
}

// --- One set-up at a time ----------------------------------------------------------------------

/** The file is made or is already there, in one step. It holds the process id of its owner. */
async function lock() {
  const file = cache('setup.pid');
  fs.mkdirSync(cache(), { recursive: true });
  for (let waited = 0; ; waited++) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
      const unlock = () => readIfThere(file) === String(process.pid) && fs.rmSync(file);
      process.once('exit', unlock);
      return unlock;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    // A lock without a process id is being written, or was left by a crash in that very moment.
    const pid = Number(readIfThere(file) ?? 0);
    if (pid > 0 ? !isAlive(pid) : waited > 10) fs.rmSync(file, { force: true });
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

const readIfThere = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);

function writeIfChanged(file, text) {
  if (readIfThere(file) === text) return;
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.part`, text);
  fs.renameSync(`${file}.part`, file);
}

/** A relative symbolic link: it survives moving the project. */
function link(path, target) {
  if (isLink(path, target)) return;
  fs.rmSync(path, { recursive: true, force: true });
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.symlinkSync(relative(dirname(path), target), path, 'dir');
}

function isLink(path, target) {
  const there = fs.lstatSync(path, { throwIfNoEntry: false });
  return there?.isSymbolicLink() && fs.readlinkSync(path) === relative(dirname(path), target);
}

async function must(running, complaint) {
  const code = await running;
  if (code !== 0) throw new SetupError(`${complaint} (exit code ${code}), see above.`);
}

// `npm run setup`, `npm run build`
if (process.argv[1] === inRoot('scripts', 'setup.mjs')) main(setup);
