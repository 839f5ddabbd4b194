/**
 * Cuts the power under each store while it acknowledges writes of the product: its folder is on a separate disk, which
 * is copied at a random moment, without anything that was never synced. The copy is mounted and the store opened on it
 * as the product does, without manual steps; everything acknowledged must be there. Then the copy is written to, until
 * it is cut itself.
 * Usage: npm run -s bench -- power-cut [--cuts 20] [--store all|postgres|nats|clickhouse] [--seed S]
 * Needs Linux, root and loop devices; prints SKIPPED without them. Exits 1 if anything was lost.
 * It cannot show a disk that claims to have synced and has not.
 */
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '#test/harness/load.ts'
import { family, LoopDisk, unable } from './harness/disk.ts'
import { quantile, say } from './harness/stage.ts'
import { openStore, storeNames, type Opened, type StoreName } from './harness/written.ts'

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '20' },
    store: { type: 'string', default: 'all' },
    seed: { type: 'string' },
  },
})

async function all(): Promise<boolean> {
  const names = storeNames.filter((name) => values.store === 'all' || values.store === name)
  if (names.length === 0) throw new Error(`--store is one of: all, ${storeNames.join(', ')}`)
  say('store        cuts  acknowledged   lost  opened by itself   opening (p50, max)')
  let isRight = true
  for (const name of names) {
    const trial = new Trial(name)
    try {
      await trial.run(Number(values.cuts))
    } finally {
      await trial.end()
    }
    say(trial.row())
    for (const problem of trial.problems) say(`  ${problem}`)
    isRight &&= trial.isRight
  }
  say(isRight ? 'PASS' : 'FAIL')
  return isRight
}

/** One store and its disk. */
class Trial {
  readonly problems: string[] = []
  private readonly name: StoreName
  private readonly disk = new LoopDisk()
  private readonly next = random(Number(values.seed ?? Date.now()))
  private readonly acknowledged = new Set<string>()
  private readonly lost = new Set<string>()
  private readonly openingMs: number[] = []
  private open: Opened | undefined
  private cuts = 0

  constructor(name: StoreName) {
    this.name = name
  }

  get isRight(): boolean {
    return this.lost.size === 0 && this.problems.length === 0
  }

  row(): string {
    const { name, cuts, acknowledged, lost, openingMs } = this
    const opening = [0.5, 1].map((share) => `${Math.round(quantile(openingMs, share))} ms`).join(', ')
    const numbers = [String(cuts).padStart(4), String(acknowledged.size).padStart(13), String(lost.size).padStart(6)]
    return `${name.padEnd(12)} ${numbers.join(' ')} ${`${openingMs.length} of ${cuts}`.padStart(17)}   ${opening}`
  }

  /** The first cut falls on a store that has just been made: what it keeps of its own making must be there too. */
  async run(cuts: number): Promise<void> {
    this.open = await openStore[this.name](this.disk.folder)
    while (this.cuts < cuts) {
      await this.cut()
      const began = performance.now()
      try {
        this.open = await openStore[this.name](this.disk.folder)
        this.openingMs.push(performance.now() - began)
        await this.check(this.open)
      } catch (error) {
        this.problems.push(`cut ${this.cuts}: ${String(error).slice(0, 2000)}`)
        return
      }
    }
  }

  private async cut(): Promise<void> {
    const { open, disk } = this
    const over = new AbortController()
    const writing = open!.writers.map((write) => this.write(write, over.signal))
    await sleep(300 + this.next() * 2200)
    const pid = open!.pid()
    if (pid === undefined) throw new Error(`${this.name} is down`)
    disk.cut(family(pid))
    over.abort()
    this.cuts++
    await Promise.all(writing)
    await open!.close()
    this.open = undefined
    await disk.replace()
  }

  /** What is acknowledged after the cut does not count: it is on the other disk. */
  private async write(write: Opened['writers'][number], over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const name = await write()
      if (!over.aborted && name !== '') this.acknowledged.add(name)
    }
  }

  private async check(open: Opened): Promise<void> {
    const found = await open.found()
    const gone = [...this.acknowledged].filter((name) => !found.has(name) && !this.lost.has(name))
    for (const name of gone) this.lost.add(name)
    if (gone.length > 0) this.problems.push(`cut ${this.cuts}: lost ${gone.length}, the first ${gone[0]}`)
  }

  async end(): Promise<void> {
    await this.open?.close()
    await this.disk.remove()
  }
}

const why = await unable()
if (why === undefined) process.exit((await all()) ? 0 : 1)
say(`SKIPPED: ${why}`)
