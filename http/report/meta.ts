/**
 * What the figures of a report are of, answered beside them: two that differ because they are of different days, or of
 * different costs, say so themselves. The one place that adds it to every report.
 */
import { costFreshness } from '#analytics/cost/questions.ts'
import { newestSync } from '#actors/account/queries.ts'
import { Snapshot } from '#actors/snapshot/entity.ts'
import { dayOf } from '#engine/value/day.ts'
import { t, type Static, type TObject } from '#engine/value/schema.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { orNull, timestamp } from '#http/edge/parameter/field.ts'
import { pageHeaders } from '#http/edge/parameter/paging.ts'
import { daysOf, monthOrDays, monthRange, rangeOf, type DaysAsked, type Range } from '#http/edge/parameter/range.ts'
import { comparedDays, type Comparison } from '#http/report/comparison/compare.ts'
import { estimateFields, estimateOf, type ReportRequest } from '#http/report/estimate.ts'
import {
  costKinds,
  costQuestion,
  savingKinds,
  savingsShown,
  type Narrowing,
  type WhichCost,
} from '#http/report/filter/filter.ts'
import { accountsOf, endedAt, reachOfReport } from '#http/report/comparison/settled-days.ts'
import { UnknownTagKey, unknownTagKey, type TagRequest } from '#http/report/filter/unknown-tag.ts'
import { Reply, reply } from '#http/store/reply.ts'
import type { Request, Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'

export const Meta = t.Object(
  {
    from: t.Optional(
      t.String({ description: 'first day, UTC; for reports not aggregated by day, the start time, ISO 8601' }),
    ),
    to: t.Optional(
      t.String({
        description: 'last day, inclusive; for reports not aggregated by day, the end time, exclusive',
      }),
    ),
    cost: t.Optional(t.Enum(costKinds, { description: 'FOCUS cost metric of the amounts' })),
    savings: t.Optional(t.Enum(savingKinds, { description: 'basis of the savings, if the report has any' })),
    currency: t.Optional(t.String({ description: 'of all amounts: ISO 4217 code; USD unless requested' })),
    usdPerUnit: t.Optional(
      t.String({ description: 'for another currency: US dollars for one unit, by which amounts were divided' }),
    ),
    rateDay: t.Optional(t.String({ description: 'for another currency: first day of this rate' })),
    compared: t.Optional(
      t.Object(
        { from: t.String(), to: t.String() },
        {
          description:
            'comparison period, if requested; without `to`, both periods end on settled days, and there is nothing to compare before the first day is settled',
        },
      ),
    ),
    asOf: t.Optional(
      t.String({ format: 'date-time', description: 'the earlier time that the report shows, if requested' }),
    ),
    costsThrough: t.Optional(
      orNull(t.String({ description: 'the newest of these days with bills from any account; null: none' })),
    ),
    billedThrough: t.Optional(
      orNull(
        t.String({
          description:
            'the newest day with bill lines; for several accounts, the earliest of their newest days, without late accounts; null: no bills',
        }),
      ),
    ),
    settledThrough: t.Optional(
      orNull(
        t.String({
          description:
            'the newest settled day: 48 hours after its end, or once a later export repeated it unchanged or its producer marked it as complete; for several accounts, the earliest, without late accounts; null: none',
        }),
      ),
    ),
    lateAccounts: t.Optional(
      t.Array(t.String(), {
        description:
          'IDs of accounts whose bills end more than three days before the newest: the days above do not wait for them',
      }),
    ),
    costsUpdatedAt: t.Optional(
      orNull(t.String({ format: 'date-time', description: 'when the totals of these days last changed; null: never' })),
    ),
    ...estimateFields,
    unknownTagKey: t.Optional(UnknownTagKey),
    keptFrom: t.Optional(
      t.String({ description: 'first day with data, if the range begins earlier: older data was deleted (retention)' }),
    ),
    hourlyBefore: t.Optional(
      t.String({
        description:
          'if the range begins earlier: before this day utilization is kept by the hour, so percentiles are of hourly means',
      }),
    ),
    inventorySyncedAt: t.Optional(
      orNull(
        t.String({ format: 'date-time', description: 'when an account was last completely discovered; null: never' }),
      ),
    ),
  },
  {
    title: 'ReportMeta',
    description: 'what the figures cover',
    examples: [
      {
        from: '2026-01-01',
        to: '2026-01-31',
        cost: 'billed',
        currency: 'USD',
        costsThrough: '2026-01-31',
        billedThrough: '2026-01-31',
        settledThrough: '2026-01-29',
        lateAccounts: [],
        costsUpdatedAt: '2026-02-02T04:12:09.418Z',
        estimatedUSD: 12.5,
        estimatedShare: 0.0625,
      },
    ],
  },
)
type Meta = Static<typeof Meta>

/** What reports read of their query, where they have it. */
type ReportQuery = Narrowing &
  WhichCost &
  ReportRequest['query'] &
  DaysAsked & { page?: number; limit?: number; compare?: Comparison }
type Ask = Request<ReportRequest['params'], ReportQuery, unknown>

/** What the figures of a report are of. */
const metaMakers = {
  /** Costs of the days of a range. */
  days: async (request, services) => shownCosts(request, daysOf(request.query, services.now()), services),
  /** Costs of the days of a range, of which the report shows what the request does not say, or other figures alone. */
  someOfDays: async ({ caller, query }, services) => costs({ caller, query }, daysOf(query, services.now()), services),
  /** The same at effective cost, whichever is shown elsewhere. */
  effective: async ({ caller, query }, services) =>
    costs({ caller, query: { ...query, cost: 'effective' } }, daysOf(query, services.now()), services),
  /** Costs of a month, the present one unless other days are asked for. */
  month: async (request, services) => shownCosts(request, monthOrDays(request.query, services.now()), services),
  /** Costs of the present month until today. */
  monthToDate: async ({ caller }, services) => {
    const today = dayOf(services.now())
    return costs({ caller, query: {} }, { fromDay: `${today.slice(0, 7)}-01`, toDay: today }, services)
  },
  /** Costs of closed months, which stay as they were then. */
  closedMonths: async ({ caller: { orgId, reportScope } }, { em, settings }) => {
    const rows = reportScope.all ? await em.find(Snapshot, { orgId }, { orderBy: { period: 'asc' } }) : []
    const [first, last] = [rows[0], rows.at(-1)]
    return {
      ...(first && last && { from: monthRange(first.period).fromDay, to: monthRange(last.period).toDay }),
      cost: settings.reportCost,
      savings: settings.reportSavings,
      currency: 'USD',
    }
  },
  /** What happened to resources from one moment to another. */
  changes: async ({ query }, { now, keptFrom }) => {
    const { from, to, fromDay } = rangeOf(query, now())
    const kept = await keptFrom('resource-changes')
    return { from: from.toISOString(), to: to.toISOString(), ...(isCut(fromDay, kept) && { keptFrom: kept }) }
  },
  /** What was measured from one moment to another. */
  samples: async ({ query }, { now, keptFrom }) => {
    const { from, to, fromDay } = rangeOf(query, now())
    const [kept, hourly] = await Promise.all([keptFrom('metrics'), keptFrom('metrics-hourly')])
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      ...(isCut(fromDay, kept) && { keptFrom: kept }),
      ...(isCut(fromDay, hourly) && { hourlyBefore: hourly }),
    }
  },
  /** What says itself of which days each of it is. */
  none: async () => ({ currency: 'USD' as const }),
  /** What is there now. */
  inventory: async ({ caller, query }, { em }) => {
    const ids = accountsOf(caller, query)
    return { inventorySyncedAt: timestamp(await newestSync(em, caller.orgId, ids)) }
  },
} satisfies Record<
  string,
  (request: Pick<Ask, 'caller' | 'query' | 'params'>, services: Services) => Promise<Partial<Meta>>
>

const isCut = (fromDay: string, kept: string | undefined): kept is string => kept !== undefined && fromDay < kept

/** Costs, with what of them is estimated. */
async function shownCosts(
  request: Pick<Ask, 'caller' | 'query' | 'params'>,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  services: Services,
): Promise<Partial<Meta>> {
  const [of, estimate] = await Promise.all([costs(request, days, services), estimateOf(request, days, services)])
  return { ...of, ...estimate }
}

async function costs(
  { caller, query }: Pick<Ask, 'caller' | 'query'>,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  services: Services,
): Promise<Partial<Meta>> {
  const { cost, from, to, as_of } = costQuestion(caller, query, days, services)
  const accounts = accountsOf(caller, query)
  const [[fresh], reach] = await Promise.all([
    services.analytics(costFreshness, { from, to, as_of, accounts }),
    reachOfReport(caller, query, as_of, services),
  ])
  const updated = new Date(fresh?.updated_on || 0)
  return {
    from,
    to,
    cost: costKinds.find((kind) => `${kind}_cost` === cost)!,
    currency: 'USD',
    ...(query.compare && { compared: comparedOf(query.compare, days, services.now()) }),
    ...(query.asOf !== undefined && { asOf: new Date(query.asOf).toISOString() }),
    costsThrough: fresh?.through || null,
    ...(reach ?? { billedThrough: null, settledThrough: null, lateAccounts: [] }),
    costsUpdatedAt: updated.getTime() === 0 ? null : updated.toISOString(),
  }
}

function comparedOf(comparison: Comparison, days: Pick<Range, 'fromDay' | 'toDay'>, now: Date) {
  const { fromDay: from, toDay: to } = comparedDays(comparison, days, now)
  return { from, to }
}

/** Pages of what is answered whole unless it is asked for in pages (decision G-40). */
const cuts = {
  page: t.Optional(t.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'page number, starting at 1' })),
  limit: t.Optional(t.Integer({ minimum: 1, clamp: 1_000_000_000, description: 'items per page; default: all' })),
}
/** Items a page where only the page is given. */
const sizeDefault = 100

/** Whether the answer is a list, or holds one as `items`, that has no pages of its own. */
function isWhole({ query, reply: { type, properties } = {} }: { query?: TObject; reply?: Keywords }): boolean {
  return !('page' in (query?.properties ?? {})) && (type === 'array' || properties?.['items'] !== undefined)
}

/** The page of the answer that is asked for, with the headers of a list. */
function cut(payload: unknown, { query, url }: Ask): { payload: unknown; headers: Record<string, string> } {
  const { page = 1, limit = query.page === undefined ? undefined : sizeDefault } = query
  if (limit === undefined) return { payload, headers: {} }
  const list = Array.isArray(payload) ? payload : (payload as { items: unknown[] }).items
  const some = list.slice((page - 1) * limit, page * limit)
  const shown = Array.isArray(payload) ? some : { ...(payload as object), items: some }
  return { payload: shown, headers: pageHeaders(url, list.length, { page, limit }) }
}

/** A comparison ends with settled days, unless its end was asked for. @throws as `daysOf` and `costQuestion` */
async function settledOnly(of: keyof typeof metaMakers, request: Ask, services: Services): Promise<Ask> {
  const { caller, query } = request
  if (query.compare === undefined || query.to !== undefined) return request
  const now = services.now()
  const days = of === 'month' ? monthOrDays(query, now) : daysOf(query, now)
  const { as_of } = costQuestion(caller, query, days, services)
  return { ...request, query: endedAt(query, days, await reachOfReport(caller, query, as_of, services), now) }
}

/**
 * `report` with `meta` beside its payload, and in pages where a list is asked for so; files have neither. The clock stands
 * while it is made, so that both are of one range.
 */
export function withMeta(of: keyof typeof metaMakers, report: Route): Route {
  const metaOf: (request: Ask, services: Services) => Promise<Partial<Meta>> = metaMakers[of]
  const showsSavings = 'savings' in (report.query?.properties ?? {})
  const whole = isWhole(report as Parameters<typeof isWhole>[0])
  return {
    ...report,
    ...(whole && { query: t.Object({ ...report.query?.properties, ...cuts }) }),
    meta: Meta,
    handle: async (request: Request<never, never, never>, services) => {
      const now = services.now()
      const standing = { ...services, now: () => now }
      const asked = await settledOnly(of, request as Ask, standing)
      const [answer, figures] = await Promise.all([report.handle(asked as never, standing), metaOf(asked, standing)])
      // What is refused is refused for what is wrong with it first.
      const unknown = await unknownTagKey(asked as TagRequest, request.caller, standing)
      const meta = {
        ...figures,
        ...(unknown && { unknownTagKey: unknown }),
        ...(showsSavings && { savings: savingsShown(asked.query, standing) }),
      }
      const { payload, headers, media } = answer instanceof Reply ? answer : new Reply(answer, {})
      if (media) return answer
      const shown = whole ? cut(payload, request) : { payload, headers: {} }
      return reply(shown.payload, { headers: { ...headers, ...shown.headers }, meta })
    },
  }
}
