/** What is saved from here on: of claims that run at their proved rate, and of what is open by what came true of its like. */
import { openPotential, type PotentialRow } from '#actors/recommendation/potential.ts'
import type { RecommendationFilter, RecommendationSight } from '#actors/recommendation/row.ts'
import { toCurrentClaim } from '#actors/saving/cause.ts'
import { claimPage, type ClaimFilter, type ClaimRow } from '#actors/saving/row.ts'
import { provedClaimDays, savingSums } from '#analytics/saving/questions.ts'
import { portions } from '#analytics/store/query.ts'
import type { ResourceFilters } from '#analytics/store/slice.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Services } from '#http/edge/services.ts'
import { toTrustedRealisation, comingMonths, ratesOf, savedIn, type SavingsPeriod } from './figure.ts'
import { cents, divideRounded, units } from '#streams/figure.ts'

const Rate = t.Object({
  weekday: t.Integer({ description: '0 is Sunday' }),
  verifiedUSD: t.Number({ description: 'on such a day, of all active claims that are verified by bills' }),
})
const Month = t.Object({
  period: t.String(),
  from: t.String(),
  to: t.String(),
  verifiedUSD: t.Number({ description: 'at the verified rates of active claims' }),
  unprovedUSD: t.Number({ description: 'of active claims without a verified day, as estimated' }),
})
const Open = t.Object({
  ruleID: t.String(),
  category: t.String(),
  openEstimatedUSD: t.Number({ description: 'for 30 days, from its open recommendations' }),
  realisation: orNull(
    t.Number({
      description: 'realization rate: verified divided by estimated, for such recommendations; null: not known',
    }),
  ),
  basis: t.Enum(['rule', 'category', 'unproved'], { description: 'scope of the realization rate' }),
  expectedUSD: t.Number({
    description: 'for 30 days: the estimate times the realization rate, or the estimate itself if unproved',
  }),
})

export const Projection = t.Object(
  {
    provedThrough: orNull(t.String({ description: 'the newest verified day; null: none' })),
    runningClaims: t.Integer(),
    provedClaims: t.Integer({ description: 'of these, with at least one verified day' }),
    runRate: t.Array(Rate),
    months: t.Array(Month, { description: 'the rest of the current month, then twelve full months' }),
    open: t.Object({
      items: t.Array(Open, { description: 'largest expected savings first' }),
      openEstimatedUSD: t.Number(),
      expectedUSD: t.Number(),
      unprovedUSD: t.Number({ description: 'part of the expected savings without any realization history' }),
    }),
  },
  {
    title: 'SavingsProjection',
    examples: [
      {
        provedThrough: '2026-01-14',
        runningClaims: 7,
        provedClaims: 5,
        runRate: [{ weekday: 1, verifiedUSD: 9.8 }],
        months: [{ period: '2026-02', from: '2026-02-01', to: '2026-02-28', verifiedUSD: 274.4, unprovedUSD: 42 }],
        open: {
          items: [
            {
              ruleID: 'RC-1001',
              category: 'idle',
              openEstimatedUSD: 207.36,
              realisation: 0.92,
              basis: 'rule',
              expectedUSD: 190.77,
            },
          ],
          openEstimatedUSD: 207.36,
          expectedUSD: 190.77,
          unprovedUSD: 0,
        },
      },
    ],
  },
)

export interface ProjectionRequest {
  orgId: string
  sight: RecommendationSight
  asked: ResourceFilters
  /** Of recommendations and of claims alike. */
  filter: ClaimFilter & RecommendationFilter
}

/** Days of which what came true is weighed. */
const weighedDays = 365
const pageClaims = 5000

/** Every claim that runs. */
async function runningClaims({ orgId, sight, filter }: ProjectionRequest, { em, now }: Services): Promise<ClaimRow[]> {
  const found: ClaimRow[] = []
  const of = { orgId, scope: sight.scope, now: now() }
  let total = 1
  while (found.length < total) {
    const page = { limit: pageClaims, offset: found.length }
    const some = await claimPage(em, of, { ...filter, isRunning: true }, page)
    if (some.items.length === 0) break
    found.push(...some.items)
    total = some.total
  }
  return found
}

type ProvedDays = Static<(typeof provedClaimDays)['row']>

async function provedOf(
  claims: readonly ClaimRow[],
  to: string,
  { analytics }: Services,
): Promise<Map<string, ProvedDays>> {
  const proved = new Map<string, ProvedDays>()
  for (const some of portions(claims, ({ claim }) => claim.id)) {
    const rows = await analytics(provedClaimDays, { to, claims: some.map(({ claim }) => claim.id) })
    for (const row of rows) proved.set(row.claim_id, row)
  }
  return proved
}

const dayRates = ({ days, verified_usd }: ProvedDays): bigint[] =>
  ratesOf(days.map((day, at) => ({ day, usd: verified_usd[at]! })))

export async function projectSavings(asked: ProjectionRequest, services: Services): Promise<Static<typeof Projection>> {
  const today = dayOf(services.now())
  const [claims, open] = await Promise.all([runningClaims(asked, services), openOf(asked, today, services)])
  const proved = await provedOf(claims, today, services)
  const rated = claims.map(({ claim: held }) => {
    const claim = toCurrentClaim(held, services.now())
    const own = proved.get(claim.id)
    const perDay = claim.perDay === null ? 0n : units(claim.perDay)
    return { claim, isProved: own !== undefined, rates: own ? dayRates(own) : Array.from({ length: 7 }, () => perDay) }
  })
  const sum = (period: SavingsPeriod, isProved: boolean) =>
    cents(
      rated.reduce((all, one) => all + (one.isProved === isProved ? savedIn(one.claim, one.rates, period) : 0n), 0n),
    )
  const newest = [...proved.values()].map(({ days }) => days[0]!)
  return {
    provedThrough: newest.toSorted().at(-1) ?? null,
    runningClaims: claims.length,
    provedClaims: proved.size,
    runRate: Array.from({ length: 7 }, (_, weekday) => ({
      weekday,
      verifiedUSD: cents(rated.reduce((all, one) => all + (one.isProved ? one.rates[weekday]! : 0n), 0n)),
    })),
    months: comingMonths(today).map((period) => ({
      ...period,
      verifiedUSD: sum(period, true),
      unprovedUSD: sum(period, false),
    })),
    open,
  }
}

async function openOf({ orgId, sight, asked, filter }: ProjectionRequest, today: string, { em, analytics }: Services) {
  const of = { ...asked, causes: [], from: addDays(today, -weighedDays), to: today }
  const [rows, byRule, byCategory] = await Promise.all([
    openPotential(em, orgId, sight, filter, 'rule'),
    analytics(savingSums, { ...of, column: 'rule_id' }),
    analytics(savingSums, { ...of, column: 'category' }),
  ])
  const [rules, categories] = [byRule, byCategory].map((sums) => new Map(sums.map((row) => [row.value, row])))
  const told = rows.map((row) =>
    toExpectedSavings(
      row,
      toTrustedRealisation(rules!.get(row.key)),
      toTrustedRealisation(categories!.get(row.category)),
    ),
  )
  const all = (of: (one: (typeof told)[number]) => bigint) => cents(told.reduce((sum, one) => sum + of(one), 0n))
  return {
    items: told
      .toSorted((a, b) => Number(b.usd - a.usd) || (a.item.ruleID < b.item.ruleID ? -1 : 1))
      .map(({ item }) => item),
    openEstimatedUSD: all((one) => one.estimated),
    expectedUSD: all((one) => one.usd),
    unprovedUSD: all((one) => (one.item.basis === 'unproved' ? one.usd : 0n)),
  }
}

/** A realisation has four places. */
function toExpectedSavings(
  { key, category, savings_usd }: PotentialRow,
  ofRule: number | undefined,
  ofCategory: number | undefined,
) {
  const realisation = ofRule ?? ofCategory ?? null
  const basis = ofRule !== undefined ? 'rule' : ofCategory !== undefined ? 'category' : 'unproved'
  const estimated = units(savings_usd)
  const usd = divideRounded(estimated * BigInt(Math.round((realisation ?? 1) * 10_000)), 10_000n)
  const item: Static<typeof Open> = {
    ruleID: key,
    category,
    openEstimatedUSD: cents(estimated),
    realisation,
    basis,
    expectedUSD: cents(usd),
  }
  return { item, estimated, usd }
}
