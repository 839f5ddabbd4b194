/** Every metric that a process exports, without a store behind it: nothing here collects. */
import { answersOf } from '#config/wiring/questions.ts'
import { measureQuestions } from '#config/analyst/measure.ts'
import { measureDeadLetters } from '#config/upkeep/dead-letter.ts'
import { measureRetention } from '#config/upkeep/retention/sweep.ts'
import { measureMonths } from '#config/upkeep/merge-months.ts'
import {
  measureBills,
  measureDeliveries,
  measureExports,
  measureScheduledExports,
  measureLaneProcesses,
  measureProvisioning,
  measureReports,
  measureRules,
  measureTries,
  measureUploads,
  measureWorkflows,
} from '#config/wiring/metrics.ts'
import { measureDisks } from '#config/state/disk.ts'
import { measureOverlaps } from '#config/wiring/overlap-metric.ts'
import { measureQueues, measureStores } from '#config/state/store-metric.ts'
import { measuredTurns } from '#config/wiring/turns.ts'
import { Meter } from '#engine/meter.ts'
import { measureRequests } from '#http/edge/limit/measure.ts'
import { measureLive } from '#http/live/measure.ts'

const { registry } = new Meter()
measureBills(registry, undefined as never)
measureOverlaps(registry, undefined as never, () => 0)
measureLaneProcesses(registry, { count: () => 0 })
measureUploads(registry, undefined as never, () => new Date())
measureDeliveries(registry, undefined as never)
measureExports(registry, undefined as never, () => new Date())
measureScheduledExports(registry)
measureReports(registry, undefined as never, () => new Date())
measureWorkflows(registry, undefined as never)
measureProvisioning(registry, undefined as never)
measureTries(registry)
measureRules(registry)
measureRequests(registry)
measureLive(registry)
measureQuestions(registry)
measureDeadLetters(registry, undefined as never)
measureMonths(registry)
measureRetention(registry)
measureDisks(registry, { known: [] })
measureQueues(registry, {} as never)
measureStores(registry, {} as never)
answersOf(1, registry)
measuredTurns(2, registry)

/** Labels by the name of the metric. */
export const exported: ReadonlyMap<string, readonly string[]> = new Map(
  registry.getMetricsAsArray().map((metric) => {
    const { labelNames = [] } = metric as unknown as { labelNames?: readonly string[] }
    return [metric.name, labelNames]
  }),
)
