/**
 * Keeps read shapes equal to the committed rows. A commit marks what it changed; the worker takes the marks of the lanes
 * this process owns, works those keys out anew, whole, and forgets each mark that still bears the number of its run. A crash in between
 * finds the mark still there; a mark renewed or taken up by another run meanwhile stays.
 */
import type { Meter } from '#engine/meter.ts'
import type { Clock, MarkRow, StateStore } from '#engine/ports.ts'
import type { Reporter } from '#engine/reporter.ts'

export interface ProjectionWork {
  name: string
  /** Those of the marks that may be worked out now; the others are asked about again soon. Left out: all. */
  ready?(marks: readonly MarkRow[]): Promise<readonly MarkRow[]>
  /** Works out the marked keys, of whatever organizations. `generation` is larger than that of any run that began before. */
  run(marks: readonly MarkRow[], generation: string): Promise<void>
}

export interface ProjectionTools {
  store: StateStore
  clock: Clock
  meter: Meter
  report: Reporter
  /** The lanes this process owns now. */
  lanes: () => readonly number[]
}

/** Marks taken at once. */
const marksMax = 2000
/** The least time between two passes: what comes meanwhile is worked out together. */
const debounceMs = 100
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
    let pause = debounceMs
    while (!stop.aborted) {
      this.told = false
      let more = true
      try {
        more = await this.pass()
        pause = debounceMs
      } catch (error) {
        meter.retries.inc({ store: 'projection' })
        report.warn({ err: error }, 'a projection pass failed; its marks stay')
        pause = Math.min(pause * 2, 5000)
      }
      // Runs on while nothing is told: what comes after a quiet time is worked out at once.
      const rested = clock.sleep(pause, stop)
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

  /** True when there may be more. */
  private async pass(): Promise<boolean> {
    const lanes = this.tools.lanes()
    if (lanes.length === 0) return false
    const marks = await this.tools.store.marks(lanes, marksMax)
    let failure: unknown
    let isWaiting = false
    for (const [name, group] of Map.groupBy(marks, (mark) => mark.projection)) {
      const due = (await this.works.get(name)?.ready?.(group)) ?? group
      isWaiting ||= due.length < group.length
      if (due.length > 0) await this.work(name, due).catch((error: unknown) => (failure ??= error))
    }
    if (failure !== undefined) throw failure
    return isWaiting || marks.length === marksMax
  }

  /** All organizations in one run: most of what a run costs is the same for one day as for a hundred. */
  private async work(name: string, marks: readonly MarkRow[]): Promise<void> {
    const organizations = [...Map.groupBy(marks, (mark) => mark.orgId).values()]
    try {
      await this.once(name, marks)
    } catch (error) {
      if (organizations.length === 1) throw error
      this.tools.report.warn({ err: error }, 'a projection run failed; its organizations are worked out one by one')
      const ends = []
      for (const own of organizations) ends.push(...(await Promise.allSettled([this.once(name, own)])))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed) throw failed.reason
    }
  }

  /** A later run may take the rows of this one away before either has published: only the last to begin takes marks off. */
  private async once(name: string, marks: readonly MarkRow[]): Promise<void> {
    const work = this.works.get(name)
    if (!work) throw new Error(`no such projection: ${name}`)
    const generation = await this.tools.store.begin(marks)
    await work.run(marks, generation)
    await this.tools.store.unmark(marks, generation)
    this.tools.meter.projected.inc({ projection: name }, marks.length)
  }
}
