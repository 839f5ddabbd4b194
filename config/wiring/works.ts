/** The engine's effects, with the tools of this process. */
import { capabilities } from '#actors/index.ts'
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { worksOf } from '#actors/works.ts'
import type { Tools } from '#actors/tools.ts'
import { run } from '#analytics/store/query.ts'
import { savedColumnOf } from '#analytics/store/slice.ts'
import { forecastsForJob } from '#http/budget/forecast.ts'
import { focusParts } from '#http/export/focus-parts.ts'
import { madeReport } from '#http/saved-view/report.ts'
import type { EffectWork } from '#engine/run/effect.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import { tellWork } from '#engine/run/tell.ts'
import { subjects } from '#streams/index.ts'
import type { Connections } from '#config/state/connect.ts'
import { LineStore } from '#actors/billing/line-store.ts'
import { linePorts } from './line-ports.ts'
import { orgIn } from './services.ts'
import { tokens, type Product } from './tokens.ts'

/** Limits of queries that no client waits for: two minutes, 4 GiB. */
const bounds = { max_execution_time: 120, max_memory_usage: '4294967296' } as const

const createQueryRunner =
  (shards: Connections['shards']): QueryRunner =>
  async (q, params) =>
    run(await shards.of(orgIn(params)), q, params, bounds)

const toolsOf = ({ settings, clock, orm, store, shards, report }: Connections, get: Product['get']): Tools => ({
  reads: get(tokens.reads),
  publisher: get(tokens.publisher),
  lineStore: (bill) =>
    new LineStore(
      linePorts({ shards, store }, bill.orgId, async (event) => void (await get(tokens.publisher).publish(event))),
      { ...bill, hiddenUntilEnd: false },
    ),
  live: get(tokens.teller),
  clock,
  now: () => new Date(clock.now()),
  em: () => orm.em.fork(),
  ask: async (q, params) =>
    run(
      await shards.of(orgIn(params)),
      q,
      await withRules({ reads: get(tokens.reads), ask: createQueryRunner(shards) }, q, params),
      bounds,
    ),
  shards,
  cost: `${settings.reportCost}_cost`,
  saved: savedColumnOf(settings.reportSavings),
  cloudOf: get(tokens.clouds).of,
  channels: get(tokens.channels),
  ...get(tokens.notices),
  ...get(tokens.seal),
  source: get(tokens.source),
  savedReport: (asked) => madeReport(asked, (orgId) => get(tokens.services)({ orgId })),
  focusParts: (asked) => focusParts(asked, get(tokens.services)({ orgId: asked.orgId })),
  exported: get(tokens.exported),
  budgetForecasts: (orgId, budgets) => forecastsForJob(orgId, budgets, get(tokens.services)({ orgId })),
  exportsFolder: get(tokens.exports).folder,
  allowPrivate: settings.allowPrivateAddresses,
  executor: settings.executor,
  notifyTerminal: settings.notifyTerminal,
  notifyProvisioning: settings.notifyProvisioning,
  pace: { perSecond: settings.channelPace, orgPerSecond: settings.notificationPace },
  tried: get(tokens.tried),
  track: () => store.track,
  report,
})

export function works(c: Connections, get: Product['get']): { effects: EffectWork[]; projections: ProjectionWork[] } {
  const tools = toolsOf(c, get)
  const { effects, projections } = worksOf(capabilities, tools)
  return { effects: [...effects, tellWork(subjects, tools.publisher)], projections }
}
