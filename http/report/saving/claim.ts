/** Claims of savings, each with its receipt: what it is measured against, what each day comes to, and the lines of the bill. */
import { CloudAccount } from '#actors/account/entity.ts'
import { claimEnds, claimKinds, isProvable, keyOf, type Entry } from '#actors/saving/claim.ts'
import { billsOfAll, provedDays } from '#actors/saving/measure.ts'
import { toCurrentClaim } from '#actors/saving/cause.ts'
import { claimPage, findClaim, type ClaimRow } from '#actors/saving/row.ts'
import { baselineOf, prove, reasons, type Baseline, type Bills, type Level } from '#actors/saving/verify.ts'
import type { Ask } from '#actors/tools.ts'
import { claimTotals } from '#analytics/saving/questions.ts'
import { addDays, dayOf, days } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, ProviderName, Timestamp } from '#http/edge/parameter/field.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { narrowing, scopeOf, valuesAsked } from '#http/report/filter/filter.ts'
import { cents, divideRounded, plainOf } from '#streams/figure.ts'

const savingSources = ['recommendation', 'schedule', 'manual', 'bulk', 'override'] as const

const exact = (description: string) => t.String({ description: `${description}, US dollars, exact decimal string` })

const claimFields = {
  id: t.String(),
  source: t.Enum(savingSources),
  sourceID: t.String({
    description: 'of the recommendation, the schedule, the user, the bulk action or the override',
  }),
  ruleID: orNull(t.String()),
  category: orNull(t.String()),
  kind: t.Enum(claimKinds, {
    description:
      'what it changes: running hours, price per hour, whether the resource exists, other cost of the resource, commitment coverage',
  }),
  cloudAccountID: t.String(),
  resourceUid: t.String(),
  resourceType: t.String(),
  provider: t.Union([ProviderName, t.Literal('')]),
  region: t.String(),
  status: t.Enum(['running', 'ended']),
  from: Timestamp,
  until: orNull(Timestamp),
  endedBy: orNull(
    t.Enum(claimEnds, { description: 'left: the resource no longer has this state; reopened: reverted by users' }),
  ),
  estimatedPerDayUSD: orNull(exact('estimated savings per day of its recommendation')),
  estimatedUSD: t.Number(),
  observedUSD: t.Number(),
  verifiedUSD: t.Number(),
  savedUSD: t.Number({ description: 'reported: observed savings if known, otherwise estimated ones' }),
  provedDays: t.Integer(),
  unprovedDays: t.Integer(),
}
const claimShown = {
  id: '2e9e6679-7425-80de-944b-e07fc1f90ae7',
  source: 'recommendation',
  sourceID: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
  ruleID: 'RC-1001',
  category: 'idle',
  kind: 'usage',
  cloudAccountID: 'acct-1',
  resourceUid: 'i-0a1b2c3d4e5f60718',
  resourceType: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  status: 'running',
  from: '2026-01-15T10:00:00.000Z',
  until: null,
  endedBy: null,
  estimatedPerDayUSD: '2.304',
  estimatedUSD: 4.61,
  observedUSD: 4.61,
  verifiedUSD: 2.3,
  savedUSD: 4.61,
  provedDays: 1,
  unprovedDays: 1,
}

const ClaimView = t.Object(claimFields, { title: 'SavingClaim', examples: [claimShown] })

const LevelShown = t.Object({
  claimID: orNull(
    t.String({ description: 'the claim that applies to this level but not to the one above; null for none' }),
  ),
  hours: t.String({ description: 'exact decimal string' }),
  unitPriceUSD: exact('per hour'),
  listFactor: t.Number({ description: 'factor by which the list price of the size has changed since; 1 if not known' }),
  otherUSD: exact('remaining cost of the day'),
  totalUSD: exact('of the day'),
})

const DayShown = t.Object({
  date: t.String(),
  estimatedUSD: orNull(exact('estimated')),
  observedUSD: orNull(exact('seen')),
  verifiedUSD: orNull(exact('proved')),
  reason: orNull(t.Enum(reasons, { description: 'why the bill of the day cannot verify savings' })),
  levels: t.Array(orNull(LevelShown), {
    description:
      'cost of the day without any claim, with the first, with the first two and so on; the last is the bill',
  }),
  lines: t.String({ description: 'URL of the bill lines of the day' }),
})

const Receipt = t.Object(
  {
    ...claimFields,
    baseline: orNull(
      t.Object({
        from: t.String(),
        to: t.String(),
        days: t.Integer({ description: 'days with a complete bill' }),
        hoursByWeekday: t.Array(t.String(), {
          description: 'means, starting with Sunday, exact except for one rounding',
        }),
        unitPriceUSD: orNull(exact('per hour; null if nothing ran')),
        otherUSDPerDay: exact('cost that does not depend on the hours it ran, per day'),
        lines: t.String({ description: 'URL of the bill lines' }),
      }),
    ),
    baselineReason: orNull(t.Enum(reasons, { description: 'why there is none' })),
    days: t.Array(DayShown, { description: `the last ${provedDays} days of the claim, oldest first` }),
  },
  {
    title: 'SavingReceipt',
    examples: [
      {
        ...claimShown,
        baseline: {
          from: '2025-12-18',
          to: '2026-01-14',
          days: 28,
          hoursByWeekday: ['24', '24', '24', '24', '24', '24', '24'],
          unitPriceUSD: '0.096',
          otherUSDPerDay: '0',
          lines: '/reports/receipt?from=2025-12-18&to=2026-01-14&filter[resource_uid]=i-0a1b2c3d4e5f60718',
        },
        baselineReason: null,
        days: [
          {
            date: '2026-01-16',
            estimatedUSD: '2.304',
            observedUSD: '2.304',
            verifiedUSD: '2.304',
            reason: null,
            levels: [
              { claimID: null, hours: '24', unitPriceUSD: '0.096', listFactor: 1, otherUSD: '0', totalUSD: '2.304' },
              {
                claimID: '2e9e6679-7425-80de-944b-e07fc1f90ae7',
                hours: '0',
                unitPriceUSD: '0.096',
                listFactor: 1,
                otherUSD: '0',
                totalUSD: '0',
              },
            ],
            lines: '/reports/receipt?from=2026-01-16&to=2026-01-16&filter[resource_uid]=i-0a1b2c3d4e5f60718',
          },
        ],
      },
    ],
  },
)

const Query = t.Object({
  source: t.Optional(list(t.Enum(savingSources))),
  rule_id: t.Optional(list(t.String({ maxLength: 64 }), { maxItems: 1000 })),
  resource_uid: t.Optional(list(t.String({ maxLength: 2048 }), { maxItems: 1000 })),
  status: t.Optional(t.Enum(['running', 'ended'])),
  ...narrowing,
  ...paging(20, 100),
})

async function totalsOf(rows: readonly ClaimRow[], { analytics }: Pick<Services, 'analytics'>) {
  const found = rows.length === 0 ? [] : await analytics(claimTotals, { claims: rows.map(({ claim }) => claim.id) })
  return new Map(found.map((row) => [row.claim_id, row]))
}

type Totals = Omit<Static<(typeof claimTotals)['row']>, 'claim_id'>

/** Of a claim that has no row yet. */
const nothing: Totals = {
  estimated_usd: '0',
  observed_usd: '0',
  verified_usd: '0',
  saved_usd: '0',
  proved_days: 0,
  unproved_days: 0,
}

function show({ account, uid, claim: held }: ClaimRow, now: Date, total: Totals = nothing): Static<typeof ClaimView> {
  const claim = toCurrentClaim(held, now)
  return {
    id: claim.id,
    source: claim.source as (typeof savingSources)[number],
    sourceID: claim.sourceId,
    ruleID: claim.ruleId || null,
    category: claim.category || null,
    kind: claim.kind,
    cloudAccountID: account,
    resourceUid: uid,
    resourceType: claim.resourceType,
    provider: claim.provider as 'aws',
    region: claim.region,
    status: claim.until === null ? 'running' : 'ended',
    from: claim.from,
    until: claim.until,
    endedBy: claim.why || null,
    estimatedPerDayUSD: claim.perDay,
    estimatedUSD: cents(total.estimated_usd),
    observedUSD: cents(total.observed_usd),
    verifiedUSD: cents(total.verified_usd),
    savedUSD: cents(total.saved_usd),
    provedDays: total.proved_days,
    unprovedDays: total.unproved_days,
  }
}

const linesAt = (account: string, uid: string, from: string, to: string): string =>
  `/reports/receipt?${new URLSearchParams({ from, to, cloud_account_id: account, 'filter[resource_uid]': uid }).toString()}`

const unit = 10n ** 14n

const showBaseline = (base: Baseline, account: string, uid: string) => ({
  from: base.from,
  to: base.to,
  days: base.days,
  hoursByWeekday: base.weekdays.map(({ hours, days: count }) => plainOf(divideRounded(hours, count))),
  unitPriceUSD: base.hours === 0n ? null : plainOf(divideRounded(base.hourly * unit, base.hours)),
  otherUSDPerDay: plainOf(divideRounded(base.other, BigInt(base.days))),
  lines: linesAt(account, uid, base.from, base.to),
})

const showLevel = (level: Level | null, claimID: string | null): Static<typeof LevelShown> | null =>
  level && {
    claimID,
    hours: plainOf(level.hours),
    unitPriceUSD: plainOf(level.price),
    listFactor: level.factor,
    otherUSD: plainOf(level.other),
    totalUSD: plainOf(level.total),
  }

type FoundClaim = NonNullable<Awaited<ReturnType<typeof findClaim>>>

function showDay(found: FoundClaim, bills: Bills, date: string): Static<typeof DayShown> {
  const { account, uid, claim, claims, ledger } = found
  const [estimated = null, observed = null]: Partial<Entry> = ledger[date]?.[keyOf(claim)] ?? []
  const proof = prove(claims, bills, date)
  const own = proof.proved.find((one) => one.claim.id === claim.id)
  const besides = claim.kind === 'commitment' ? ('commitment' as const) : ('first_day' as const)
  const verified = own?.verified ?? null
  return {
    date,
    estimatedUSD: estimated,
    observedUSD: observed,
    verifiedUSD: verified === null ? null : plainOf(verified),
    reason: verified === null ? own?.reason || besides : null,
    levels: proof.levels.map((level, i) => showLevel(level, i === 0 ? null : proof.proved[i - 1]!.claim.id)),
    lines: linesAt(account, uid, date, date),
  }
}

/** Days of the claim of which something may be proved, and that of its beginning; today is not over. */
function daysOfClaim({ claim }: FoundClaim, today: string): string[] {
  const first = dayOf(Date.parse(claim.from))
  const from = [first, addDays(today, -provedDays)].toSorted().at(-1)!
  return [...days(from, addDays(today, -1))].filter((day) => day === first || isProvable(claim, day))
}

async function billsOf(found: FoundClaim, orgId: string, services: Services, today: string): Promise<Bills> {
  const { em, analytics, settings } = services
  const ask: Ask = (q, params) => analytics(q, params)
  const accounts = async () => {
    const rows = await em.find(CloudAccount, { orgId }, { fields: ['id', 'billingClosedDay'] })
    return rows.map(({ id, billingClosedDay }) => ({ id, day: billingClosedDay ?? '' }))
  }
  const of = await billsOfAll({ ask, cost: `${settings.reportCost}_cost`, accounts }, orgId, [found], today)
  return of(found)
}

export const savingClaims: readonly Route[] = [
  report({
    path: '/reports/savings/claims',
    summary: 'List saving claims: active ones and those that ended within the last 46 days, newest first',
    description:
      'One claim per resource and cause, with three measures of the same savings: verified by bills (use this one first), observed, and estimated. Never add them up.',
    query: Query,
    reply: pageOf(ClaimView),
    handle: async ({ caller, query }, services) => {
      const filter = {
        ...(query.source && { sources: query.source }),
        ...(query.rule_id && { ruleIds: query.rule_id }),
        ...(query.resource_uid && { resourceUids: query.resource_uid }),
        ...(query.provider && { providers: query.provider }),
        ...(query.cloud_account_id && { cloudAccountIds: valuesAsked(query.cloud_account_id) }),
        ...(query.region && { regions: valuesAsked(query.region) }),
        ...(query.resource_type && { resourceTypes: valuesAsked(query.resource_type) }),
        ...(query.team_id && { teamIds: query.team_id }),
        ...(query.status && { isRunning: query.status === 'running' }),
      }
      const sight = { orgId: caller.orgId, scope: scopeOf(caller).scope, now: services.now() }
      const { items, total } = await claimPage(services.em, sight, filter, slice(query))
      const totals = await totalsOf(items, services)
      return toPage({ items: items.map((row) => show(row, sight.now, totals.get(row.claim.id))), total }, query)
    },
  }),

  report({
    path: '/reports/savings/claims/:claimID',
    summary: 'Get the receipt of a claim: its baseline, the levels of each day, and links to the bill lines',
    description:
      "Recomputed from the current bills. Each level of a day is the cost of the resource with that many of its claims; the saving of a claim is its level's difference to the one above, so all claims of a day add up to the difference to the bill.",
    params: t.Object({ claimID: t.String() }),
    reply: Receipt,
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, params: { claimID: id } }, services) => {
      const now = services.now()
      const found = await findClaim(services.em, { orgId: caller.orgId, scope: scopeOf(caller).scope, now }, id)
      if (!found) throw Fault.missing('claim', id)
      const [bills, totals] = await Promise.all([
        billsOf(found, caller.orgId, services, dayOf(now)),
        totalsOf([found], services),
      ])
      const base = baselineOf(found.claim, bills)
      return {
        ...show(found, now, totals.get(id)),
        baseline: typeof base === 'string' ? null : showBaseline(base, found.account, found.uid),
        baselineReason: typeof base === 'string' ? base : null,
        days: daysOfClaim(found, dayOf(now)).map((day) => showDay(found, bills, day)),
      }
    },
  }),
]
