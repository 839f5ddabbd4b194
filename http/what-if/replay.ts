/**
 * Judges past days again with changed rules: their fact sheets go to threads, and the findings of both sides are
 * compared.
 */
import { pathsOfSheets } from '#actors/recommendation/replay/replay.ts'
import { rulesAsked, type ReplayAsked, type SheetBatch, type SideAsked } from '#actors/recommendation/replay/request.ts'
import {
  listMax,
  toComparison,
  type ReplayComparison,
  type Group,
  type ComparisonPart,
} from '#actors/recommendation/replay/compare.ts'
import { appliesTo } from '#actors/recommendation/rule/compile.ts'
import { governanceOf } from '#actors/recommendation/policy/governance.ts'
import { governanceDomain, recommendationDomain } from '#actors/recommendation/policy/policy.ts'
import type { OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import { valuesSql } from '#actors/recommendation/reference/book/reference-cache.ts'
import { enabledPolicies } from '#actors/policy/queries.ts'
import { factSheetCounts, factSheets } from '#analytics/recommendation/questions.ts'
import { days, daysBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { onThread } from '#engine/run/worker.ts'
import type { Services } from '#http/edge/services.ts'
import { narrowingOf } from '#http/report/filter/filter.ts'
import { asService } from '#http/store/tenant.ts'
import type { WhatIfRequest, Days } from '#http/what-if/kind.ts'

const Counts = t.Object({
  findings: t.Integer({ description: 'resources and rules open on any of the days; for a day: on that day' }),
  openDays: t.Integer({ description: 'number of days they were open, added up' }),
  savingsUsd: t.Number({ description: 'savings over these days: a thirtieth of savingsUsd for each' }),
})

const Finding = t.Object({
  cloudAccountId: t.String(),
  resourceUid: t.String(),
  resourceName: t.String(),
  resourceType: t.String(),
  ruleId: t.String(),
  days: t.Integer(),
  firstDay: t.String(),
  lastDay: t.String(),
  savingsUsd: t.Number(),
})

const sides = { before: Counts, after: Counts }

/** Response of kinds that judge days again, besides their `kind`. */
export const replayReply = {
  from: t.String(),
  to: t.String(),
  resources: t.Integer({ description: 'number evaluated' }),
  resourceDays: t.Integer({ description: 'number of re-evaluated sheets, one per resource and day' }),
  before: t.Object(Counts.properties, { description: 'with the current settings' }),
  after: t.Object(Counts.properties, { description: 'and with the other settings' }),
  othersUsd: t.Number({
    description: 'change in the savings of other findings for the same resources over these days',
  }),
  addedCount: t.Integer(),
  removedCount: t.Integer(),
  added: t.Array(Finding, {
    description: `findings that would be added, on any day: at most ${listMax}, largest savings first`,
  }),
  removed: t.Array(Finding, { description: 'findings that would be removed on all days, likewise' }),
  byDay: t.Array(t.Object({ date: t.String(), ...sides })),
  byAccount: t.Array(t.Object({ cloudAccountId: t.String(), ...sides })),
  byResourceType: t.Array(t.Object({ resourceType: t.String(), ...sides })),
  approximate: t.Boolean({
    description: 'whether the figures are approximate; see reasons',
  }),
  reasons: t.Array(t.String()),
}

/** Maximum fact sheets (resources times days) of one question. */
const sheetsMax = 5_000_000

type Sides = Pick<ReplayAsked, 'before' | 'after'>

/** The rules as they are now. */
export async function presentSide({
  caller: { orgId },
  services: { em },
}: WhatIfRequest<never>): Promise<Omit<SideAsked, 'ruleIds'>> {
  const [governance, policies] = await Promise.all([
    enabledPolicies(em, orgId, governanceDomain.name),
    enabledPolicies(em, orgId, recommendationDomain.name),
  ])
  return { governance: governanceOf(governance), policies }
}

const ownValues = ({ services: { em } }: WhatIfRequest<never>): Promise<OwnValue[]> =>
  asService(async () => em.fork().execute<OwnValue[]>(valuesSql))

/** @throws Fault `refused` `too_large` */
export async function replayDays(asked: WhatIfRequest<never>, { before, after }: Sides, more: readonly string[] = []) {
  return judgedAnew(asked, { before, after, own: await ownValues(asked) }, more)
}

/** What a thread needs in order to read sheets. */
type Reading = Days &
  Pick<WhatIfRequest<never>, 'caller' | 'goOn' | 'signal'> & { services: Pick<Services, 'analytics' | 'texts'> }

/** Threads of one question; each takes the next batch when it is free. */
const threads = 2

const module = new URL('../../actors/recommendation/replay/thread.ts', import.meta.url)

/** @throws Fault `refused` `too_large` */
export async function judgedAnew(asked: Reading, input: ReplayAsked, more: readonly string[] = []) {
  const { from, to } = asked
  const kept = await keptOf(asked, input)
  const all = batches(asked, kept)
  const parts = await Promise.all(
    Array.from({ length: threads }, () =>
      onThread<ReplayAsked, SheetBatch, ComparisonPart>(module, input, all, asked.signal),
    ),
  )
  const found = toComparison(parts)
  const faults = found.faulty.map((ruleId) => `${ruleId} failed for some of the resources, which count as not known.`)
  const reasons = [...reasonsOf(asked, kept), ...faults, ...more]
  return { from, to, ...toReply(found, asked), approximate: reasons.length > 0, reasons }
}

interface TypeSheets {
  type: string
  paths: string[]
  /** Layouts of its sheets. */
  layouts: string[]
  sheets: number
  recalled: number
  firstDay: string
}

/** The types that any of the rules applies to and that have sheets. */
async function keptOf({ from, to, services }: Reading, { before, after }: Sides): Promise<TypeSheets[]> {
  const rows = await services.analytics(factSheetCounts, { from, to })
  const rules = [...rulesAsked(before), ...rulesAsked(after)]
  const kept = [...Map.groupBy(rows, (row) => row.resource_type)].map(([type, own]) => ({
    type,
    paths: pathsOfSheets(type, rules),
    isAsked: rules.some((rule) => appliesTo(rule, type)),
    layouts: own.map(({ layout }) => layout),
    sheets: own.reduce((sum, row) => sum + row.sheets, 0),
    recalled: own.reduce((sum, row) => sum + row.recalled, 0),
    firstDay: own.map((row) => row.first_day).toSorted()[0]!,
  }))
  const meant = kept.filter((one) => one.isAsked)
  checkSize(meant, { from, to })
  return meant
}

/** @throws Fault `refused` `too_large` with what would fit */
function checkSize(kept: readonly TypeSheets[], { from, to }: Days): void {
  const sheets = kept.reduce((sum, one) => sum + one.sheets, 0)
  if (sheets <= sheetsMax) return
  const fit = Math.floor((sheetsMax / sheets) * (daysBetween(from, to) + 1))
  const fits = fit >= 1 ? `${fit} days of these resources fit` : 'choose a rule for fewer types'
  throw Fault.refused('too_large', `${sheets} resource-days exceed the limit of ${sheetsMax}: ${fits}.`, {
    sheets,
    sheetsMax,
  })
}

/** For each layout: which facts are read, and which path each of them is. */
export function readingOf(layouts: readonly string[], paths: readonly string[]) {
  const places = new Map(paths.map((path, place) => [path, place]))
  const names = layouts.map((layout) => layout.split(','))
  return {
    masks: names.map((layout) => layout.map((path) => Number(places.has(path)))),
    orders: names.map((layout) => layout.flatMap((path) => places.get(path) ?? [])),
  }
}

async function* batches(asked: Reading, kept: readonly TypeSheets[]): AsyncGenerator<SheetBatch> {
  const { from, to, caller, services, goOn } = asked
  const { scoped, scope_accounts, scope_teams } = narrowingOf(caller, {})
  for (const { type, paths, layouts } of kept) {
    goOn()
    const { masks, orders } = readingOf(layouts, paths)
    const question = { from, to, type, layouts, masks, scoped, scope_accounts, scope_teams }
    for await (const rows of services.texts(factSheets, question)) yield { type, paths, orders, rows }
  }
}

function reasonsOf({ from, to }: Days, kept: readonly TypeSheets[]): string[] {
  const first = kept.map(({ firstDay }) => firstDay).toSorted()[0]
  if (first === undefined) return [`No resource that the rules evaluate has a sheet for any day from ${from} to ${to}.`]
  const recalled = kept.reduce((sum, one) => sum + one.recalled, 0)
  return [
    ...(first > from ? [`There are no sheets before ${first}.`] : []),
    ...(recalled > 0
      ? [
          `${recalled} sheets were computed later: bills, metrics and history are those of the day, other facts about the resource are from the time of computation.`,
        ]
      : []),
  ]
}

function toReply(found: ReplayComparison, { from, to }: Days) {
  const both = ({ before, after }: Pick<Group, 'before' | 'after'>) => ({ before, after })
  const none = { findings: 0, openDays: 0, savingsUsd: 0 }
  const ofDay = new Map(found.byDay.map((group) => [group.key, group]))
  return {
    resources: found.resources,
    resourceDays: found.resourceDays,
    ...both(found),
    othersUsd: found.othersUsd,
    addedCount: found.addedCount,
    removedCount: found.removedCount,
    added: found.added,
    removed: found.removed,
    byDay: [...days(from, to)].map((date) => ({ date, ...both(ofDay.get(date) ?? { before: none, after: none }) })),
    byAccount: found.byAccount.map((group) => ({ cloudAccountId: group.key, ...both(group) })),
    byResourceType: found.byType.map((group) => ({ resourceType: group.key, ...both(group) })),
  } satisfies Partial<Static<ReturnType<typeof t.Object<typeof replayReply>>>>
}

/** An example response of a replay, without its kind. */
export const replayShown = {
  from: '2026-01-01',
  to: '2026-01-31',
  resources: 120,
  resourceDays: 3720,
  before: { findings: 6, openDays: 150, savingsUsd: 210 },
  after: { findings: 7, openDays: 175, savingsUsd: 245 },
  othersUsd: 0,
  addedCount: 1,
  removedCount: 0,
  added: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-0a1b2c3d4e5f60718',
      resourceName: 'shop-prod-web-1',
      resourceType: 'aws-ec2',
      ruleId: 'RC-1001',
      days: 25,
      firstDay: '2026-01-07',
      lastDay: '2026-01-31',
      savingsUsd: 35,
    },
  ],
  removed: [],
  byDay: [
    {
      date: '2026-01-07',
      before: { findings: 5, openDays: 5, savingsUsd: 7 },
      after: { findings: 6, openDays: 6, savingsUsd: 8.4 },
    },
  ],
  byAccount: [
    {
      cloudAccountId: 'acct-1',
      before: { findings: 6, openDays: 150, savingsUsd: 210 },
      after: { findings: 7, openDays: 175, savingsUsd: 245 },
    },
  ],
  byResourceType: [
    {
      resourceType: 'aws-ec2',
      before: { findings: 6, openDays: 150, savingsUsd: 210 },
      after: { findings: 7, openDays: 175, savingsUsd: 245 },
    },
  ],
  approximate: false,
  reasons: [],
}
