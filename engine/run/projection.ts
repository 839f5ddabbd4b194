/**
 * Keeps derived tables equal to the committed rows. A commit marks the keys it changed. This worker takes the marks of
 * the lanes that this process owns, recomputes those keys as a whole, and deletes each mark that still carries the
 * number of its run. After a crash in between the mark is still there; a mark set again, or taken by another run,
 * stays.
 */
import type { Meter } from '#engine/meter.ts'
import type { Clock, MarkRow, Reads, StateStore } from '#engine/actor/ports.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
import type { Reporter } from '#engine/reporter.ts'

type Stands = (of?: readonly MarkRow[]) => Promise<boolean>

/** `B` is the data other than facts from which keys are computed: plain data, compared as JSON. */
export interface ProjectionWork<B = unknown> {
  name: string
  /** Runs in parallel to all others, in any order: for slow work that no other projection depends on. */
  apart?: true
  /**
   * Reads that data from the state store in the same snapshot as the marks, and again after the run has started: if it
   * has changed in between, the run starts again. So a change that one commit makes is never computed partially or
   * missed.
   */
  basis?(marks: readonly MarkRow[], rows: Reads['rows']): Promise<B>
  /** Which of the marks can be computed now; the others are checked again soon. Default: all. */
  ready?(marks: readonly MarkRow[], basis: B): Promise<readonly MarkRow[]>
  /**
   * Computes the marked keys, of any organizations. `generation` is larger than that of any run started before.
   * `stands` checks whether the basis is unchanged. Call it right before publishing anything, with the marks concerned
   * if not all: until then, cached responses stay valid. Returns false if nothing was computed, and the run starts
   * again.
   */
  run(marks: readonly MarkRow[], generation: string, basis: B, stands: Stands): Promise<boolean | void>
  /**
   * Called after a run once it is counted, when responses are cached again. Not called if the process ends in between.
   */
  ended?(marks: readonly MarkRow[]): void
}

/** Marks of one projection that were read together, and the data they are computed from. */
interface MarkBatch {
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
  /** ClickHouse servers that are away: marks of their organizations wait. */
  awayShards?: () => readonly string[]
}

/**
 * One worker for those that depend on each other, and one for each that runs apart. Marks of a projection that this
 * process does not know wait for one that does.
 */
export function projectionsOf(tools: ProjectionTools, works: readonly ProjectionWork[]): Projections[] {
  const groups = [works.filter((work) => !work.apart), ...works.filter((work) => work.apart).map((work) => [work])]
  return groups.filter((group) => group.length > 0).map((group) => new Projections(tools, group))
}

/** Maximum marks taken at once. */
const marksMax = 2000
/** Minimum milliseconds between the starts of two passes: marks that arrive meanwhile are computed together. */
const debounceMs = 100
/** Minimum milliseconds of rest between two passes, for a process that has more to compute than time. */
const restMs = 20
/** How often marks are looked for without a signal, milliseconds: for marks of lanes taken from another process. */
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

  /** Signals that a commit has left marks. */
  tell(): void {
    this.told = true
    this.wake()
  }

  async run(stop: AbortSignal): Promise<void> {
    const { meter, report, clock } = this.tools
    let failures = 0
    while (!stop.aborted) {
      this.told = false
      const due = clock.sleep(debounceMs, stop)
      let more = true
      let rest = restMs
      try {
        more = await this.pass()
        failures = 0
      } catch (error) {
        meter.retries.inc({ store: 'projection' })
        report.warn({ err: error }, 'a projection pass failed; it will be retried')
        rest = pauseBefore(engineRetries.projection, ++failures + 1)!
      }
      // Rests while there is no signal; marks after a quiet time are computed immediately.
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

  /** True if there may be more. In the order of the works, because later ones may depend on earlier ones. */
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
      this.tools.awayShards?.(),
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

  /**
   * All organizations in one run, because most of the cost of a run is the same for one day and for a hundred. False:
   * run again.
   */
  private async work(taken: MarkBatch, due: readonly MarkRow[]): Promise<boolean> {
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
   * A later run may remove the rows of this one before either has published: only the run that started last removes
   * marks.
   * False if the data it is computed from changed before it started: its marks stay.
   */
  private async once({ name, marks, basis }: MarkBatch, due: readonly MarkRow[]): Promise<boolean> {
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
