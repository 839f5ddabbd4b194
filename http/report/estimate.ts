/** How much of the costs that a report shows is estimates still: of what a producer estimated and no bill has a line for yet. */
import { costEstimatedPeriods, costEstimates, estimatedDays, type granularities } from '#analytics/cost/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Range } from '#http/edge/parameter/range.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { labelsOf, type TagFilter } from '#http/report/filter/dimension.ts'
import {
  carrying,
  costQuestion,
  filterQuestion,
  type Filters,
  type Narrowing,
  type WhichCost,
} from '#http/report/filter/filter.ts'
import { periodsOf } from '#http/report/filter/period.ts'
import { divideRounded, units, usd } from '#streams/figure.ts'

export const estimateFields = {
  estimatedUSD: t.Optional(
    t.Number({
      description:
        'the estimated part of all costs matching the request: charges without an actual bill line yet; for a list, over all pages',
    }),
  ),
  estimatedShare: t.Optional(
    orNull(
      t.Number({
        description:
          'estimatedUSD as a share of these costs, 0 to 1, to four decimal places; null if it is not a share, because credits reduce the costs below it',
      }),
    ),
  ),
}
const Estimate = t.Object(estimateFields)
type Estimate = Required<Static<typeof Estimate>>

/** What narrows the costs of a report, in its query and in its path. */
export interface ReportRequest {
  caller: Caller
  query: Narrowing &
    WhichCost &
    Filters &
    TagFilter & { type?: readonly string[]; tag_key?: string; tag_value?: string }
  params: { teamID?: string; tagKey?: string; tagValue?: string } | undefined
}

const none: Estimate = { estimatedUSD: 0, estimatedShare: 0 }

/** @throws as `costQuestion`, and as `labelsOf` */
export async function estimateOf(
  shown: ReportRequest,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  services: Services,
): Promise<Partial<Estimate>> {
  // Sums do not know invoices, and nothing that is invoiced is an estimate for long.
  if (shown.query['filter[invoice_id]']?.length) return {}
  const question = questionOf(shown, days, services)
  const { first, last } = await daysWithin(question, services)
  if (first === '') return none
  const [sums] = await services.analytics(costEstimates, { ...question, first, last })
  const [spent, estimated] = [units(sums?.cost_usd ?? '0'), units(sums?.estimated_usd ?? '0')]
  return { estimatedUSD: usd(estimated), estimatedShare: shareOf(estimated, spent) }
}

/**
 * What is estimated in each period of the days, in counts of 10^-14 US dollars; undefined where `estimateOf` says nothing.
 * @throws as it
 */
export async function estimatesByPeriod(
  shown: ReportRequest,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  granularity: (typeof granularities)[number],
  services: Services,
): Promise<bigint[] | undefined> {
  if (shown.query['filter[invoice_id]']?.length) return undefined
  const question = questionOf(shown, days, services)
  const { first, last } = await daysWithin(question, services)
  const asked = { ...question, from: first, to: last, granularity }
  const rows = first === '' ? [] : await services.analytics(costEstimatedPeriods, asked)
  const amounts = new Map(rows.map((row) => [row.at, units(row.estimated_usd)]))
  return periodsOf(days, granularity).map((period) => amounts.get(period.first) ?? 0n)
}

/** The first and the last day that may have estimates; empty where none has. */
async function daysWithin({ from, to, as_of, accounts }: ReturnType<typeof questionOf>, { analytics }: Services) {
  const [found] = await analytics(estimatedDays, { from, to, as_of, accounts })
  return { first: found?.first_day ?? '', last: found?.last_day ?? '' }
}

function questionOf(
  { caller, query, params }: ReportRequest,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  services: Services,
) {
  const { teamID, tagKey: key = query.tag_key, tagValue: value = query.tag_value ?? '' } = params ?? {}
  const types = [...(query.resource_type ?? []), ...(query.type ?? [])]
  const narrowed = {
    ...query,
    ...(types.length > 0 && { resource_type: types }),
    ...(teamID !== undefined && { team_id: [teamID] }),
  }
  const { invoices: _, ...labels } = labelsOf([], query, { in: 'query', name: 'filter' }).question
  const question = { ...filterQuestion(costQuestion(caller, narrowed, days, services), query), ...labels }
  return key === undefined ? question : carrying(question, key, value)
}

const sharePlaces = 10_000n

/** To four places; null where it is no part. */
function shareOf(part: bigint, whole: bigint): number | null {
  if (part === 0n) return 0
  if (part < 0n || part > whole) return null
  return Number(divideRounded(part * sharePlaces, whole)) / Number(sharePlaces)
}
