/**
 * Runs a server as a child process. The server ends when this process ends, however that happens, and is restarted on
 * the same port and folder when it ends by itself.
 */
import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseBefore } from '#engine/actor/retry.ts'
import { retries } from '#streams/retry.ts'

/** One line for the operator's log. */
export type Log = (message: string) => void

/** What to run, and how to recognize that it is ready. */
export interface Program {
  readonly name: string
  readonly command: readonly string[]
  readonly cwd: string
  /** Matched against what the server prints; the first group becomes `line`. */
  readonly ready: RegExp
  /** File with the server's pid and start time, so that a later start can wait for a server that is still stopping. */
  readonly pidFile: string
  /** Signal for an orderly stop. A server that still runs `STOP_MS` later is killed. */
  readonly stopSignal?: 'INT' | 'TERM'
  /** Milliseconds that one start may take; 60,000 by default. */
  readonly readyMs?: number
  /** Runs before every start and restart. */
  readonly prepare?: () => void | Promise<void>
  /** Called with each line that the server writes to stderr. */
  readonly told?: (line: string) => void
  readonly log: Log
}

/** A running server. `exited` settles when it has ended for good, after `stop()`. */
export interface SupervisedServer {
  readonly line: string
  /** The server's own pid (not that of the shell around it); undefined while it is down. */
  pid(): number | undefined
  /** `listener` is called at every unexpected end, before the restart. */
  onExit(listener: (reason: string) => void): void
  readonly exited: Promise<void>
  /**
   * Sends a signal and resolves with the server's next output that matches `answer`.
   * @throws Error if the server is down or does not answer within `limitMs`
   */
  told(signal: NodeJS.Signals, answer: RegExp, limitMs: number): Promise<string>
  stop(): Promise<void>
}

const STOP_MS = 10_000
const TAIL_CHARS = 8_000
/** Milliseconds after which a start counts as successful. */
const STEADY_MS = 3_000

/**
 * The shell around every server. Its file descriptor 3 is a socket to this process. The shell writes the server's pid
 * there. When our end closes (exit, crash, kill -9), the shell signals the server to stop and kills it 10 s later. If
 * our end is already closed when the pid is written, the shell must survive that (`trap '' PIPE`), or nobody would stop
 * the server.
 */
const LIFELINE = `sig=$1; shift
"$@" 3<&- & p=$!
trap '' PIPE
echo "$p" >&3 2>/dev/null
end() { kill -$sig $p; i=0; while [ $i -lt 100 ] && kill -0 $p; do sleep 0.1; i=$((i+1)); done; kill -9 $p; }
trap 'kill -$sig $p' INT TERM
( read -r _ <&3; end ) 2>/dev/null & w=$!
while :; do wait $p; s=$?; kill -0 $p 2>/dev/null || break; done
kill $w 2>/dev/null; exit $s`

/**
 * Starts a server and keeps it running until `stop()`. Aborting `over` stops it too, also during the start.
 * @throws Error with the end of its output if the first start fails
 */
export async function supervise(program: Program, over?: AbortSignal): Promise<SupervisedServer> {
  const server = new Server(program)
  over?.addEventListener('abort', () => void server.stop(), { once: true })
  await server.launch()
  return server
}

/**
 * The start time of a process, as opaque text; undefined if it has ended (a zombie has). Distinguishes a process from a
 * later one with the same pid.
 */
export function processBirth(pid: number): string | undefined {
  if (process.platform !== 'linux') return ask(['ps', '-o', 'lstart=', '-p', String(pid)])
  try {
    // The command name is in parentheses and may contain anything; after it, the state is the first field and the start
    // time the 20th.
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function ask([file, ...args]: [string, ...string[]]): string | undefined {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined
  } catch {
    return undefined
  }
}

class Server implements SupervisedServer {
  line = ''
  readonly exited: Promise<void>
  readonly #program: Program
  readonly #listeners: ((reason: string) => void)[] = []
  readonly #halt = new AbortController()
  #settle: () => void = () => {}
  #shell: ChildProcess | undefined
  #pid: number | undefined
  #tail = ''
  #failures = 0

  constructor(program: Program) {
    this.#program = program
    this.exited = new Promise((settle) => (this.#settle = settle))
  }

  pid(): number | undefined {
    return this.#pid
  }

  onExit(listener: (reason: string) => void): void {
    this.#listeners.push(listener)
  }

  async told(signal: NodeJS.Signals, answer: RegExp, limitMs: number): Promise<string> {
    const shell = this.#shell
    if (this.#pid === undefined || !shell) throw new Error(`${this.#program.name} is down`)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const limit = setTimeout(() => reject(new Error(`${this.#program.name} did not react to ${signal}`)), limitMs)
    let printed = ''
    const listen = (data: Buffer): void => {
      printed += data.toString()
      const [match] = answer.exec(printed) ?? []
      if (match !== undefined) resolve(match)
    }
    for (const output of [shell.stdout, shell.stderr]) output?.on('data', listen)
    try {
      process.kill(this.#pid, signal)
      return await promise
    } finally {
      clearTimeout(limit)
      for (const output of [shell.stdout, shell.stderr]) output?.off('data', listen)
    }
  }

  async stop(): Promise<void> {
    this.#halt.abort()
    if (this.#shell) this.#shell.stdio[3]?.destroy()
    else this.#settle()
    await this.exited
  }

  /** One start: resolves when the server is ready. If the server ends after that, it is restarted. */
  async launch(): Promise<void> {
    const { name, command, cwd, stopSignal, pidFile, prepare, told } = this.#program
    await serverGone(pidFile)
    await prepare?.()
    this.#halt.signal.throwIfAborted()
    this.#tail = ''
    // A separate process group, so that Ctrl-C in the terminal reaches only this process, which stops the server in
    // order.
    const shell = spawn('/bin/sh', ['-c', LIFELINE, name, stopSignal ?? 'TERM', ...command], {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#shell = shell
    if (told && shell.stderr) createInterface({ input: shell.stderr }).on('line', told)
    const since = performance.now()
    const ended = new Promise<string>((end) => {
      shell.once('error', (error) => end(error.message))
      shell.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `status ${code}`))
    }).then((reason) => this.#down(shell, reason))
    const pid = this.#readPid(shell)
    try {
      await this.#ready(shell, ended)
      this.#pid = await pid
    } catch (error) {
      shell.stdio[3]?.destroy()
      await ended
      throw error
    }
    void ended.then((reason) => this.#revive(reason, performance.now() - since))
  }

  /** The server's own pid, which the shell reports; also written to the pid file for a later start. */
  #readPid(shell: ChildProcess): Promise<number> {
    const lifeline = shell.stdio[3] as Readable
    lifeline.on('error', () => {})
    return new Promise((resolve) => {
      lifeline.once('data', (data: Buffer) => {
        const pid = Number(data.toString())
        fs.writeFileSync(this.#program.pidFile, `${pid} ${processBirth(pid) ?? ''}`)
        resolve(pid)
      })
    })
  }

  #down(shell: ChildProcess, reason: string): string {
    shell.stdio[3]?.destroy()
    this.#shell = undefined
    this.#pid = undefined
    if (this.#halt.signal.aborted) this.#settle()
    return reason
  }

  async #ready(shell: ChildProcess, ended: Promise<string>): Promise<void> {
    const { name, ready, readyMs = 60_000 } = this.#program
    const found = new Promise<void>((resolve) => {
      const feed = (data: Buffer): void => {
        this.#tail = (this.#tail + data.toString()).slice(-TAIL_CHARS)
        const match = ready.exec(this.#tail)
        if (match) this.line = match[1] ?? match[0]
        if (match) resolve()
      }
      shell.stdout?.on('data', feed)
      shell.stderr?.on('data', feed)
    })
    const over = new AbortController()
    const late = sleep(readyMs, `is not ready after ${readyMs / 1000} s`, { signal: over.signal, ref: false })
    late.catch(() => {})
    const why = await Promise.race([found, ended.then((reason) => `ended with ${reason}`), late])
    over.abort()
    if (why) throw new Error(`${name} ${why}: ${this.#tail.trim() || 'no output'}`)
  }

  /** Restarts the server with increasing pauses until it stays up or `stop()` is called. */
  async #revive(reason: string, upMs: number): Promise<void> {
    const { name, log } = this.#program
    const { signal } = this.#halt
    if (signal.aborted) return
    for (const listener of this.#listeners) listener(reason)
    if (upMs > STEADY_MS) this.#failures = 0
    log(`${name} ended with ${reason}; starting it again: ${this.#tail.trim().split('\n').at(-1) ?? ''}`)
    while (!signal.aborted) {
      this.#failures++
      await sleep(pauseBefore(retries.embeddedServer, this.#failures + 1)!, undefined, { signal }).catch(() => {})
      if (signal.aborted) break
      try {
        await this.launch()
        log(`${name} is back`)
        return
      } catch (error) {
        if (!signal.aborted) log(String(error))
      }
    }
    this.#settle()
  }
}

/**
 * Waits for the server of a pid file: after its parent died, its shell may still be stopping it. Kills it if that takes
 * too long.
 */
export async function serverGone(pidFile: string): Promise<void> {
  const [pid = '', born = ''] = fs.existsSync(pidFile) ? fs.readFileSync(pidFile, 'utf8').split(/ (.*)/s) : []
  const alive = (): boolean => born !== '' && processBirth(Number(pid)) === born
  for (let waited = 0; alive(); waited += 50) {
    if (waited > STOP_MS + 2_000) process.kill(Number(pid), 'SIGKILL')
    await sleep(50)
  }
}
