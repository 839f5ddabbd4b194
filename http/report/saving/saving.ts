/** What was saved by whatever saved it, beside what could still be saved, and what both come to from here on. */
import { accountNames } from '#actors/account/queries.ts'
import { ResourceGroup } from '#actors/attribution/group/entity.ts'
import { openPotential, potentialBy, type PotentialBy } from '#actors/recommendation/potential.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { resourceNames } from '#analytics/resource/questions.ts'
import { savingSums, type SavingColumn } from '#analytics/saving/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { list } from '#http/edge/parameter/paging.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { narrowing, narrowingOf, orNone, scopeOf, valuesAsked, type Narrowing } from '#http/report/filter/filter.ts'
import { realisationOf } from './figure.ts'
import { Projection, projectSavings } from './projection.ts'
import { namesOfTeams, unassignedId, unassignedName } from '#http/report/team/team.ts'
import { cents, units, usd } from '#streams/figure.ts'

const columns = {
  source: 'source',
  rule: 'rule_id',
  category: 'category',
  team: 'team_id',
  resource_group: 'group_id',
  account: 'cloud_account_id',
  resource: 'resource_uid',
} as const satisfies Record<PotentialBy, SavingColumn>

/** Verified first: the headline. */
const figures = {
  verifiedUSD: t.Number({ description: 'savings verified by bills, the figure to use first; may be negative' }),
  observedUSD: t.Number({ description: 'observed: stopped, deleted or resized' }),
  estimatedUSD: t.Number({ description: 'estimated savings of the recommendations that were applied' }),
  realisation: orNull(
    t.Number({
      description:
        'realization rate: verified divided by estimated, over the verified days that have both; null if there are none',
    }),
  ),
  provedDays: t.Integer({ description: 'days of claims verified by bills' }),
  unprovedDays: t.Integer({ description: 'days of claims with a reason why bills cannot verify them' }),
  savedUSD: t.Number({ description: 'reported: for each day observed savings, otherwise estimated ones' }),
  openEstimatedUSD: t.Number({ description: 'potential savings of open recommendations for 30 days, as of now' }),
}

const figuresExample = {
  verifiedUSD: 63.6,
  observedUSD: 66.8,
  estimatedUSD: 69.12,
  realisation: 0.92,
  provedDays: 27,
  unprovedDays: 3,
  savedUSD: 66.8,
  openEstimatedUSD: 207.36,
}

const Item = t.Object({ key: t.String(), label: t.String(), ...figures }, { title: 'SavingsItem' })

type Sums = Static<(typeof savingSums)['row']>

/** Exact sums of rows; amounts of a whole are shown to the cent, those that add up to it with all digits. */
const sumUnits = (rows: readonly Sums[], name: keyof Sums): bigint =>
  rows.reduce((sum, row) => sum + units(row[name]), 0n)
const sumDays = (rows: readonly Sums[], name: 'proved_days' | 'unproved_days'): number =>
  rows.reduce((sum, row) => sum + row[name], 0)

/** Of what only something is open. */
const nothing = {
  estimated_usd: '0',
  observed_usd: '0',
  verified_usd: '0',
  saved_usd: '0',
  proved_days: 0,
  unproved_days: 0,
  weighed_estimated_usd: '0',
  weighed_verified_usd: '0',
  weighed_claims: 0,
} as const satisfies Omit<Sums, 'value'>

const itemOf = (row: Omit<Sums, 'value'> = nothing, open: string = '0') => ({
  verifiedUSD: usd(row.verified_usd),
  observedUSD: usd(row.observed_usd),
  estimatedUSD: usd(row.estimated_usd),
  realisation: realisationOf([row]),
  provedDays: row.proved_days,
  unprovedDays: row.unproved_days,
  savedUSD: usd(row.saved_usd),
  openEstimatedUSD: usd(open),
})

const totalOf = (rows: readonly Sums[], open: readonly string[]) => ({
  verifiedUSD: cents(sumUnits(rows, 'verified_usd')),
  observedUSD: cents(sumUnits(rows, 'observed_usd')),
  estimatedUSD: cents(sumUnits(rows, 'estimated_usd')),
  realisation: realisationOf(rows),
  provedDays: sumDays(rows, 'proved_days'),
  unprovedDays: sumDays(rows, 'unproved_days'),
  savedUSD: cents(sumUnits(rows, 'saved_usd')),
  openEstimatedUSD: cents(open.reduce((sum, usd) => sum + units(usd), 0n)),
})

/** What narrows recommendations and claims as it narrows what was saved. */
const narrowedBy = (query: Narrowing) => ({
  ...(query.provider && { providers: query.provider }),
  ...(query.cloud_account_id && { cloudAccountIds: valuesAsked(query.cloud_account_id) }),
  ...(query.region && { regions: valuesAsked(query.region) }),
  ...(query.resource_type && { resourceTypes: valuesAsked(query.resource_type) }),
  ...(query.team_id && { teamIds: query.team_id }),
})

/** What the keys are called, of those that have another name. */
async function labelsOf(
  by: PotentialBy,
  keys: readonly string[],
  orgId: string,
  services: Services,
): Promise<ReadonlyMap<string, string>> {
  const { em, analytics } = services
  if (by === 'rule') return new Map(keys.map((id) => [id, ruleOf(id)?.name ?? '']))
  if (by === 'account') return accountNames(em, orgId, keys)
  if (by === 'team') return new Map([...(await namesOfTeams(services)), [unassignedId, unassignedName]])
  const names = new Map<string, string>()
  if (by === 'resource_group') {
    const groups = await em.find(ResourceGroup, { orgId }, { fields: ['id', 'name'] })
    for (const { id, name } of groups) names.set(id, name)
  }
  if (by === 'resource')
    for (const uids of portions(keys, String))
      for (const row of await analytics(resourceNames, { uids })) names.set(row.resource_uid, row.name)
  return names
}

/** What is asked of what was saved, on the days from `from` to `to`. */
export interface SavingsAsked {
  caller: Caller
  query: Narrowing
  from: string
  to: string
  /** Only what these saved, by the ids of schedules and the like; of them nothing is open. */
  causes?: string[] | undefined
}

/** What was saved and could be, by one thing, the largest savings first, and all of it together. */
export async function savingsBy(
  by: PotentialBy,
  { caller, query, from, to, causes = [] }: SavingsAsked,
  services: Services,
) {
  const { em, analytics } = services
  const asked = { from, to, causes, ...narrowingOf(caller, query) }
  const open = async (of: PotentialBy) =>
    causes.length > 0 ? [] : openPotential(em, caller.orgId, scopeOf(caller), narrowedBy(query), of)
  const [rows, potential] = await Promise.all([analytics(savingSums, { ...asked, column: columns[by] }), open(by)])
  const [all, allOpen] =
    by === 'resource_group'
      ? await Promise.all([analytics(savingSums, { ...asked, column: 'source' }), open('source')])
      : [rows, potential]
  const saved = new Map(rows.map((row) => [row.value, row]))
  const toSave = new Map(potential.map((row) => [row.key, row.savings_usd]))
  const keys = [...new Set([...saved.keys(), ...toSave.keys()])]
  const labels = await labelsOf(by, keys, caller.orgId, services)
  const items = keys
    .map((key) => ({
      key: orNone(key),
      label: labels.get(key) || orNone(key),
      ...itemOf(saved.get(key), toSave.get(key)),
    }))
    .toSorted((a, b) => b.savedUSD - a.savedUSD || b.openEstimatedUSD - a.openEstimatedUSD || (a.key < b.key ? -1 : 1))
  const totals = totalOf(
    all,
    allOpen.map((row) => row.savings_usd),
  )
  return { items, totals }
}

export const savings: readonly Route[] = [
  report({
    path: '/reports/savings',
    summary: 'Get savings by cause or dimension, with potential savings',
    description:
      'Verified, observed and estimated savings are three measures of the same savings: report verified first, then ' +
      'observed, then estimated, together with the realization rate (realisation), and never add them up. Sorted by savings, ' +
      'largest first. Items add up to the totals, except for resource_group: a resource counts in every group that contains ' +
      'it. Potential savings are as of now, regardless of the range.',
    query: t.Object({
      ...range,
      ...narrowing,
      source_id: t.Optional(
        list(t.String({ maxLength: 256 }), {
          maxItems: 1000,
          description:
            'only savings of these schedules, recommendations, policies or users; excludes potential savings',
        }),
      ),
      group_by: t.Enum(potentialBy, { default: 'source' }),
    }),
    reply: t.Object({ groupBy: t.Enum(potentialBy), items: t.Array(Item), totals: t.Object(figures) }),
    example: {
      groupBy: 'rule',
      items: [
        {
          key: 'RC-1001',
          label: 'Idle EC2 instance',
          ...figuresExample,
        },
      ],
      totals: figuresExample,
    },
    handle: async ({ caller, query }, services) => {
      const { fromDay: from, toDay: to } = rangeOf(query, services.now())
      const by = query.group_by
      const causes = query.source_id
      return { groupBy: by, ...(await savingsBy(by, { caller, query, from, to, causes }, services)) }
    },
  }),

  report({
    path: '/reports/savings/projection',
    summary: 'Forecast savings: active claims at their verified rate, and the potential of open recommendations',
    description:
      'For the rest of the month, today included, and the next twelve months. A claim continues at the weekday means of its ' +
      'last 28 verified days, for at most twelve months from its start. Potential savings are weighted with the realization ' +
      'rate of their rule in the last year, otherwise of their category, each with at least five claims; without either, ' +
      'they are the estimate and marked as unproved.',
    query: t.Object(narrowing),
    reply: Projection,
    handle: ({ caller, query }, services) =>
      projectSavings(
        {
          orgId: caller.orgId,
          sight: scopeOf(caller),
          asked: narrowingOf(caller, query),
          filter: narrowedBy(query),
        },
        services,
      ),
  }),
]
