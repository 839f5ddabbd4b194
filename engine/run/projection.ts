/**
 * Keeps read shapes equal to the committed rows. A commit marks what it changed; the worker takes the marks of the lanes
 * this process owns, works those keys out anew, whole, and forgets each mark that still bears the number of its run. A crash in between
 * finds the mark still there; a mark renewed or taken up by another run meanwhile stays.
 */
import type { Meter } from '#engine/meter.ts'
import type { Clock, MarkRow, Reads, StateStore } from '#engine/actor/ports.ts'
import type { Reporter } from '#engine/reporter.ts'

export type Stands = (of?: readonly MarkRow[]) => Promise<boolean>

/** `B` is what marked keys are worked out from beside the facts: plain data, compared as JSON. */
export interface ProjectionWork<B = unknown> {
  name: string
  /** Runs beside all others, in whatever order: for what takes long, and what nothing rests on. */
  apart?: true
  /**
   * Reads that from the state store, in the moment the marks are read, and once more behind the begin of a run: where it has
   * changed in between, the run begins anew. So what a commit turns over is never worked out by halves, nor left as it was.
   */
  basis?(marks: readonly MarkRow[], rows: Reads['rows']): Promise<B>
  /** Those of the marks that may be worked out now; the others are asked about again soon. Left out: all. */
  ready?(marks: readonly MarkRow[], basis: B): Promise<readonly MarkRow[]>
  /**
   * Works out the marked keys, of whatever organizations. `generation` is larger than that of any run that began before.
   * `stands` says whether the basis still does, and is to be asked right before anything is published, of which marks where it is not
   * of all: until it is, what was answered before is given on. False when nothing was worked out: the run begins anew.
   */
  run(marks: readonly MarkRow[], generation: string, basis: B, stands: Stands): Promise<boolean | void>
  /** Told behind a run, once it is counted: answers are kept again. A process that ends in between tells nobody. */
  ended?(marks: readonly MarkRow[]): void
}

/** Marks of one projection that were read together, and what they are worked out from. */
interface Taken {
  name: string
  marks: readonly MarkRow[]
  basis: unknown
}

export interface ProjectionTools {
  store: StateStore
  clock: Clock
  meter: Meter
  report: Reporter
  /** The lanes this process owns now. */
  lanes: () => readonly number[]
}

/** Those that follow one another, and each that runs apart. What no process's work is called waits for one that knows it. */
export function projectionsOf(tools: ProjectionTools, works: readonly ProjectionWork[]): Projections[] {
  const groups = [works.filter((work) => !work.apart), ...works.filter((work) => work.apart).map((work) => [work])]
  return groups.filter((group) => group.length > 0).map((group) => new Projections(tools, group))
}

/** Marks taken at once. */
const marksMax = 2000
/** The least time between the begins of two passes: what comes meanwhile is worked out together. */
const debounceMs = 100
/** The least rest between two passes, of a process with more to work out than there is time for. */
const restMs = 20
/** How often marks are looked for when nobody told of any: those of lanes that came over from another process. */
const idleMs = 1000

export class Projections {
  private readonly tools: ProjectionTools
  private readonly works: ReadonlyMap<string, ProjectionWork>
  private wake = () => {}
  private told = false

  constructor(tools: ProjectionTools, works: readonly ProjectionWork[]) {
    this.tools = tools
    this.works = new Map(works.map((work) => [work.name, work]))
  }

  /** Says that a commit has left marks. */
  tell(): void {
    this.told = true
    this.wake()
  }

  async run(stop: AbortSignal): Promise<void> {
    const { meter, report, clock } = this.tools
    let backoff = debounceMs
    while (!stop.aborted) {
      this.told = false
      const due = clock.sleep(debounceMs, stop)
      let more = true
      let rest = restMs
      try {
        more = await this.pass()
        backoff = debounceMs
      } catch (error) {
        meter.retries.inc({ store: 'projection' })
        report.warn({ err: error }, 'a projection pass failed; it will be retried')
        rest = backoff = Math.min(backoff * 2, 5000)
      }
      // Runs on while nothing is told: what comes after a quiet time is worked out at once.
      const rested = Promise.all([due, clock.sleep(rest, stop)])
      if (!more) await this.idle(stop)
      await rested
    }
  }

  private async idle(stop: AbortSignal): Promise<void> {
    if (this.told) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.wake = resolve
    const awake = new AbortController()
    await Promise.race([promise, this.tools.clock.sleep(idleMs, AbortSignal.any([stop, awake.signal]))])
    awake.abort()
  }

  /** True when there may be more. In the order of the works: what comes later may rest on what came before. */
  private async pass(): Promise<boolean> {
    const lanes = this.tools.lanes()
    if (lanes.length === 0) return false
    const bases = new Map<string, unknown>()
    const found = await this.tools.store.marks(
      lanes,
      marksMax,
      async (marks, rows) => {
        for (const [name, own] of Map.groupBy(marks, (mark) => mark.projection))
          bases.set(name, await this.works.get(name)?.basis?.(own, rows))
      },
      [...this.works.keys()],
    )
    const groups = Map.groupBy(found, (mark) => mark.projection)
    const names = [...this.works.keys()].filter((name) => groups.has(name))
    let isMore = found.length > marksMax / 2
    for (const name of names) {
      const marks = groups.get(name)!
      const taken = { name, marks, basis: bases.get(name) }
      const due = (await this.works.get(name)?.ready?.(marks, taken.basis)) ?? marks
      isMore ||= due.length < marks.length
      if (due.length > 0) isMore = !(await this.work(taken, due)) || isMore
    }
    return isMore
  }

  /** All organizations in one run: most of what a run costs is the same for one day as for a hundred. False: once more. */
  private async work(taken: Taken, due: readonly MarkRow[]): Promise<boolean> {
    const organizations = [...Map.groupBy(due, (mark) => mark.orgId).values()]
    try {
      return await this.once(taken, due)
    } catch (error) {
      if (organizations.length === 1) throw error
      this.tools.report.warn({ err: error }, 'a projection run failed; running its organizations one at a time')
      const ends = []
      for (const own of organizations) ends.push(...(await Promise.allSettled([this.once(taken, own)])))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed) throw failed.reason
      return ends.every((end) => end.status === 'fulfilled' && end.value)
    }
  }

  /**
   * A later run may take the rows of this one away before either has published: only the last to begin takes marks off.
   * False when what it is worked out from changed before it began: its marks stay.
   */
  private async once({ name, marks, basis }: Taken, due: readonly MarkRow[]): Promise<boolean> {
    const work = this.works.get(name)
    if (!work) throw new Error(`no such projection: ${name}`)
    const { store } = this.tools
    const generation = await store.begin(due)
    const stands = async () => {
      const now = await work.basis?.(marks, (sql, params) => store.rows(sql, params))
      return JSON.stringify(now) === JSON.stringify(basis)
    }
    if (!(await stands())) return false
    const standsStill = async (of = due) => {
      if (!(await stands())) return false
      await store.turnOver(of, generation)
      return true
    }
    if ((await work.run(due, generation, basis, standsStill)) === false) return false
    await store.unmark(due, generation)
    work.ended?.(due)
    this.tools.meter.projected.inc({ projection: name }, due.length)
    return true
  }
}
