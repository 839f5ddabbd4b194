// Processes that run test files, one file at a time. Each has its own servers, started when a file first needs them
// (test/harness/worker.ts). Runs on a plain Node 20, so it imports only `node:` modules.
import fs from 'node:fs'
import path from 'node:path'

/** Exit statuses of processes that were stopped by SIGHUP, SIGINT or SIGTERM. */
const INTERRUPTED = [129, 130, 143]
/**
 * Milliseconds after which a file counts as hung. Tests have their own limits, but a blocked process cannot enforce
 * them.
 */
const FILE_MAX_MS = 30 * 60_000

/**
 * Runs the files, `workers` at a time; each process takes the next file when it is free. A file's output is printed as
 * a whole when the file has ended. If a process dies, its file fails and the process is replaced, unless a signal
 * stopped it.
 * @param options `folder` is for this run's files; `begin(out)` starts a process; `secondsOf` estimates a file
 * @returns one result for each file that was run, in the order they ended
 */
export async function runFiles(files, options) {
  const { folder, begin, workers, isBailing, print, secondsOf = () => 1, fileMaxMs = FILE_MAX_MS } = options
  const waiting = [...files]
  const progress = new Progress(files, Math.min(workers, files.length), secondsOf)
  let started = 0
  const run = []
  let isInterrupted = false
  const hasFailed = () => run.some(({ failures }) => failures.length > 0)
  const isOver = () => waiting.length === 0 || isInterrupted || (isBailing && hasFailed())
  const one = async () => {
    while (!isOver()) await session()
  }
  /** Runs files in one process until there are none left or it dies. */
  const session = async () => {
    const worker = new Worker(path.join(folder, `printed-${++started}`), begin)
    while (!isOver() && worker.isUp) {
      const file = waiting.shift()
      const since = performance.now()
      const result = await worker.run(file, fileMaxMs)
      const seconds = (performance.now() - since) / 1000
      run.push({ file, seconds, ...result })
      const left = progress.done(file, seconds)
      if (result.tests > 0 || result.failures.length > 0) print(block(file, seconds, worker.printed(), left))
    }
    const end = await worker.end()
    isInterrupted ||= INTERRUPTED.includes(worker.status)
    if (end === undefined) return
    run.push({ file: 'the end of a process', seconds: 0, ...end })
    print(block('the end of a process', 0, worker.printed(), ''))
  }
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, one))
  return run
}

/** Progress of a run: files done, and seconds left according to the table, scaled by this machine's speed so far. */
class Progress {
  #files
  #workers
  #secondsOf
  #done = 0
  #expected = 0
  #taken = 0
  #left

  constructor(files, workers, secondsOf) {
    this.#files = files.length
    this.#workers = workers
    this.#secondsOf = secondsOf
    this.#left = files.reduce((sum, file) => sum + secondsOf(file), 0)
  }

  /** The progress text after a file has ended. */
  done(file, seconds) {
    const expected = this.#secondsOf(file)
    this.#done++
    this.#left -= expected
    this.#expected += expected
    this.#taken += seconds
    const pace = this.#expected > 0 ? this.#taken / this.#expected : 1
    const left = Math.max(0, Math.round((this.#left * pace) / this.#workers))
    return `${this.#done} of ${this.#files} files, about ${left} s left`
  }
}

const none = { tests: 0, passing: 0, pending: 0 }

/** A process that runs files. Its output goes to a file, so that all of it is available in order at any time. */
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

  async run(file, maxMs) {
    const told = new Promise((resolve) => (this.#tell = resolve))
    this.#child.send({ file }, () => {})
    let isLate = false
    const late = setTimeout(() => (isLate = this.#child.kill('SIGKILL')), maxMs)
    const died = this.#ended.then((status) =>
      dead(
        isLate
          ? `${file} did not end within ${maxMs / 1000} s: its process was killed`
          : `the process ended with status ${status} while it ran ${file}`,
      ),
    )
    return Promise.race([told, died]).finally(() => clearTimeout(late))
  }

  /** Makes the process stop its servers. @returns a failure, if there was one */
  async end() {
    const wasUp = this.isUp
    if (wasUp) this.#child.send({ end: true }, () => {})
    const status = await this.#ended
    return wasUp && status !== 0 ? dead(`the process could not end in order: status ${status}`) : undefined
  }

  /** Output since the last call. */
  printed() {
    const text = fs.readFileSync(this.#file).subarray(this.#read)
    this.#read += text.length
    return text.toString()
  }
}

const dead = (why) => ({ ...none, failures: [`  ${why}\n`] })

const block = (file, seconds, text, left) =>
  `\n${file}  ${seconds.toFixed(1)} s${left && `  (${left})`}\n${text.replace(/^\n+/, '')}`
