/** Engine processes of the product, made to be ended: each is started again whenever it has gone. */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { systemClock } from '#engine/clock.ts'
import { root } from '#config/process/root.ts'
import { testFolder } from '#test/harness/stores.ts'

interface Slot {
  folder: string
  child: ChildProcess | undefined
  /** What the present process is to end itself at. */
  crashAt: string | undefined
  /** What the next one is. */
  nextCrashAt: string | undefined
  /** Whether we have told the present one to end. */
  isAsked: boolean
  /** Milliseconds until the next one starts. */
  awayMs: number
  /** One that has left for good is not started again. */
  isLeaving: boolean
}

const preload = pathToFileURL(path.join(root, 'test/harness/with-probe.ts')).href

export class Engines {
  private readonly env: NodeJS.ProcessEnv
  private readonly compiled = process.env['NODE_COMPILE_CACHE'] ?? testFolder()
  private readonly slots: Slot[] = []
  private isStopped = false
  /** Ends at crash points, by point. */
  readonly pointEnds: Record<string, number> = {}
  /** Ends of processes that were not told to and had no crash point: those of deadly messages. */
  otherEnds = 0
  /** What processes said that ended by themselves: none may, whatever is away. */
  readonly unaskedEnds: string[] = []
  /** Milliseconds that processes told to end needed for it. */
  readonly drains: number[] = []
  /** The newest lines the processes wrote to stderr. */
  tail = ''
  /** Those that had to be killed after half a minute. */
  stuckDrains = 0
  /** Names the crash point of each process that starts in the first slot; the others have none, so that lanes go on. */
  arm: (() => string | undefined) | undefined

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env
  }

  start(): Slot {
    const slot: Slot = {
      folder: testFolder(),
      child: undefined,
      crashAt: undefined,
      nextCrashAt: undefined,
      isAsked: false,
      awayMs: 0,
      isLeaving: false,
    }
    this.slots.push(slot)
    this.run(slot)
    return slot
  }

  private run(slot: Slot): void {
    slot.crashAt = slot.nextCrashAt ?? (slot === this.slots[0] ? this.arm?.() : undefined)
    slot.nextCrashAt = undefined
    slot.isAsked = false
    slot.awayMs = 0
    const crash = slot.crashAt === undefined ? {} : { TIDEMARK_TEST_HOOKS: '1', TIDEMARK_CRASH_AT: slot.crashAt }
    const main = path.join(root, 'config/main.ts')
    const args = ['--disable-warning=ExperimentalWarning', '--import', preload, main, 'start']
    const child = spawn(process.execPath, args, {
      // Compiled once: starting takes most of the time there is.
      env: { ...this.env, ...crash, TIDEMARK_DATA_DIR: slot.folder, NODE_COMPILE_CACHE: this.compiled },
      // Over the channel a process hears that we have gone, however we have.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    slot.child = child
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-4000)
      this.tail = (this.tail + text.toString()).slice(-4000)
    })
    // Behind its exit, when all it said has been read.
    child.once('close', (code, signal) => void this.gone(slot, signal, `code ${code}: ${said}`))
  }

  private async gone(slot: Slot, signal: NodeJS.Signals | null, said: string): Promise<void> {
    slot.child = undefined
    if (!slot.isAsked) this.count(slot, signal, said)
    if (slot.isLeaving) this.slots.splice(this.slots.indexOf(slot), 1)
    if (this.isStopped || slot.isLeaving) return
    await systemClock.sleep(signal === null && !slot.isAsked ? 200 : slot.awayMs)
    if (!this.isStopped) this.run(slot)
  }

  private count(slot: Slot, signal: NodeJS.Signals | null, said: string): void {
    const point = slot.crashAt?.split(':')[0]
    if (signal === null) this.unaskedEnds.push(said)
    else if (point === undefined) this.otherEnds++
    else this.pointEnds[point] = (this.pointEnds[point] ?? 0) + 1
  }

  private one(pick: number): Slot | undefined {
    const live = this.slots.filter((slot) => slot.child && !slot.isAsked)
    return live[Math.floor(pick * live.length)]
  }

  /** Kills one; the process that follows it ends itself at `crashAt`, if told. Whether there was one to kill. */
  kill(pick: number, crashAt?: string): boolean {
    const slot = this.one(pick)
    if (!slot) return false
    slot.isAsked = true
    slot.nextCrashAt = crashAt
    slot.child!.kill('SIGKILL')
    return true
  }

  /** Stops one for so long that it loses its lease, and lets it go on. */
  async pause(pick: number, ms: number): Promise<void> {
    const child = this.one(pick)?.child
    child?.kill('SIGSTOP')
    await systemClock.sleep(ms)
    child?.kill('SIGCONT')
  }

  /** Tells one to end in order; another takes its place `awayMs` later. Resolves when it has gone. */
  async drain(pick: number, awayMs: number): Promise<void> {
    const slot = this.one(pick)
    if (!slot) return
    slot.awayMs = awayMs
    await this.ended(slot)
  }

  /** One more for a while. */
  async join(ms: number): Promise<void> {
    const slot = this.start()
    await systemClock.sleep(ms)
    slot.isLeaving = true
    await this.ended(slot)
  }

  private async ended(slot: Slot): Promise<void> {
    const { child } = slot
    if (!child) return
    slot.isAsked = true
    const began = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
    const patience = setTimeout(() => {
      this.stuckDrains++
      child.kill('SIGKILL')
    }, 30_000)
    await promise
    clearTimeout(patience)
    this.drains.push(performance.now() - began)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    for (const { child } of this.slots) child?.kill('SIGCONT')
    await Promise.all(this.slots.map((slot) => this.ended(slot)))
  }
}
