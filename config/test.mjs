// Runs tests file by file over as many processes as the machine has cores, longest first. Each process has servers of its
// own, started when a file first asks for them, and takes the next file whenever it is free (test/harness/worker.ts).
// Runs on a bare Node 20, so only `node:` imports stand here.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Modules without which no server can be started: servers are processes of their own, or the engine within one. */
const STARTERS = ['node:child_process', 'node:cluster', 'chdb']
const SLOWEST = 10
/** How processes end that somebody has stopped: by SIGHUP, SIGINT or SIGTERM. */
const INTERRUPTED = [129, 130, 143]
const OWN = ['--quick', '--times']

/**
 * Runs every test file there is. `--quick`: those alone that need no server. `--times`: notes how long each took. All other
 * arguments are options of mocha, which hold for each file by itself.
 * @param tools `begin` starts a process of this node; `workers` is how many at once, as text, or undefined
 * @returns 0 when all have passed
 */
export async function test(root, rest, { begin, workers }) {
  const color = process.stdout.isTTY ? ['--color'] : []
  const options = [...color, ...rest.filter((one) => !OWN.includes(one))]
  const isQuick = rest.includes('--quick')
  const all = testFiles(root)
  const files = isQuick ? all.filter(serverless(root)) : all
  const table = path.join(root, 'test', 'times.json')
  const times = fs.existsSync(table) ? JSON.parse(fs.readFileSync(table, 'utf8')) : {}
  const since = performance.now()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-run-'))
  const run = await runFiles(longestFirst(files, times), {
    folder,
    begin: (out) => begin([...(isQuick ? ['--quick'] : []), ...options], out),
    workers: Number(workers) || os.availableParallelism(),
    isBailing: options.some((one) => ['-b', '--bail'].includes(one)),
    print: (text) => process.stdout.write(text),
  })
  fs.rmSync(folder, { recursive: true, force: true })
  process.stdout.write(summary(run, (performance.now() - since) / 1000))
  if (rest.includes('--times')) fs.writeFileSync(table, timesOf(run, isQuick ? times : {}))
  return run.every(({ failures }) => failures.length === 0) ? 0 : 1
}

export function testFiles(root) {
  const found = fs.readdirSync(path.join(root, 'test'), { recursive: true })
  return found.filter((file) => file.endsWith('.test.ts')).map((file) => path.posix.join('test', posix(file)))
}

const posix = (file) => file.split(path.sep).join('/')

/** A file that the table does not know counts as the mean of those it knows. */
export function longestFirst(files, times) {
  const known = Object.values(times)
  const mean = known.reduce((sum, one) => sum + one, 0) / (known.length || 1)
  const secondsOf = (file) => times[file] ?? mean
  return files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1))
}

/** Whether a file can start no server: neither it nor anything it imports, types apart, has what starts one. */
export function serverless(root) {
  const imported = new Map()
  const importsOf = (file) => {
    if (!imported.has(file)) imported.set(file, imports(root, file))
    return imported.get(file)
  }
  return (file) => {
    const reached = new Set([file])
    for (const one of reached) if (one.endsWith('.ts')) importsOf(one).forEach((to) => reached.add(to))
    return !STARTERS.some((name) => reached.has(name))
  }
}

/** What a file imports, in words or as a file below the root. */
function imports(root, file) {
  // What reads as an import may stand in a text.
  const text = fs.existsSync(path.join(root, file)) ? fs.readFileSync(path.join(root, file), 'utf8') : ''
  const found = text.matchAll(
    /(?:^import\s+(?!type\b)(?:[^'"`;]*?\sfrom\s+)?|^export\s+(?!type\b)[^'"`;]*?\sfrom\s+|\bimport\(\s*)['"]([^'"]+)['"]/gm,
  )
  return Array.from(found, ([, to]) => {
    if (to.startsWith('#')) return to.slice(1)
    return to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to
  })
}

/**
 * Runs the files, `workers` at a time, each process taking the next file when it is free. What a file prints comes in one
 * piece when it has ended. A process that dies fails the file it was in and is replaced, unless somebody has stopped it. `folder` is for files of this run's own.
 * @returns for each file that was run what came of it, in the order they ended
 */
export async function runFiles(files, { folder, begin, workers, isBailing, print }) {
  const waiting = [...files]
  let begun = 0
  const run = []
  let isInterrupted = false
  const hasFailed = () => run.some(({ failures }) => failures.length > 0)
  const isOver = () => waiting.length === 0 || isInterrupted || (isBailing && hasFailed())
  const one = async () => {
    while (!isOver()) await session()
  }
  /** The life of one process. */
  const session = async () => {
    const worker = new Worker(path.join(folder, `printed-${++begun}`), begin)
    while (!isOver() && worker.isUp) {
      const file = waiting.shift()
      const since = performance.now()
      const result = await worker.run(file)
      const seconds = (performance.now() - since) / 1000
      run.push({ file, seconds, ...result })
      if (result.tests > 0 || result.failures.length > 0) print(block(file, seconds, worker.printed()))
    }
    const end = await worker.end()
    isInterrupted ||= INTERRUPTED.includes(worker.status)
    if (end === undefined) return
    run.push({ file: 'the end of a process', seconds: 0, ...end })
    print(block('the end of a process', 0, worker.printed()))
  }
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, one))
  return run
}

const none = { tests: 0, passing: 0, pending: 0 }

/** A process that runs files. What it prints goes to a file: that has all of it, in order, whenever one looks. */
class Worker {
  isUp = true
  status
  #file
  #read = 0
  #child
  #ended
  #tell = () => {}

  constructor(file, begin) {
    this.#file = file
    const out = fs.openSync(this.#file, 'a')
    const { child, ended } = begin(out)
    fs.closeSync(out)
    this.#child = child
    child.on('message', (result) => this.#tell(result))
    this.#ended = ended.then((status) => {
      this.isUp = false
      this.status = status
      return status
    })
  }

  async run(file) {
    const told = new Promise((resolve) => (this.#tell = resolve))
    this.#child.send({ file }, () => {})
    const died = this.#ended.then((status) => dead(`the process ended with status ${status} while it ran ${file}`))
    return Promise.race([told, died])
  }

  /** Has it stop its servers. What came of that, unless it went well. */
  async end() {
    const wasUp = this.isUp
    if (wasUp) this.#child.send({ end: true }, () => {})
    const status = await this.#ended
    return wasUp && status !== 0 ? dead(`the process could not end in order: status ${status}`) : undefined
  }

  /** What it has printed since one looked last. */
  printed() {
    const text = fs.readFileSync(this.#file).subarray(this.#read)
    this.#read += text.length
    return text.toString()
  }
}

const dead = (why) => ({ ...none, failures: [`  ${why}\n`] })

const block = (file, seconds, text) => `\n${file}  ${seconds.toFixed(1)} s\n${text.replace(/^\n+/, '')}`

/** What to know at the end: how many, each failure once more, and where the time went. */
export function summary(run, seconds) {
  const sum = (name) => run.reduce((all, one) => all + one[name], 0)
  const failed = run.filter(({ failures }) => failures.length > 0)
  const failing = failed.reduce((all, { failures }) => all + failures.length, 0)
  const slowest = run.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  return [
    '',
    `${sum('passing')} passing, ${failing} failing, ${sum('pending')} pending in ${run.length} files, ${seconds.toFixed(0)} s`,
    ...failed.flatMap(({ file, failures }) => ['', file, ...failures]),
    '',
    'slowest files',
    ...slowest.map((one) => `${one.seconds.toFixed(1).padStart(7)} s  ${one.file}`),
    '',
  ].join('\n')
}

/** Whole seconds of each file, so that the table changes little; those of files that were not run stay as they are. */
function timesOf(run, before) {
  const ran = run.filter(({ file }) => file.endsWith('.ts')).map(({ file, seconds }) => [file, Math.round(seconds)])
  const entries = Object.entries({ ...before, ...Object.fromEntries(ran) })
  return `${JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))), undefined, 2)}\n`
}
