/** What all reports have in common. */
import type { TObject, TSchema } from '#engine/value/schema.ts'
import { rangeOf } from '#http/edge/parameter/range.ts'
import { route, type Declaration, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { earlierQuestion } from '#http/report/comparison/compare.ts'
import { costQuestion } from '#http/report/filter/filter.ts'

/** Declares a report: read by everyone who sees services, and refused if it would be too large. */
export const report = <
  R extends TSchema | undefined = undefined,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
>(
  declaration: Omit<Declaration<P, Q, undefined, R>, 'method' | 'permission' | 'tags' | 'body'>,
): Route =>
  route({
    refuses: { 422: ['report_too_large'] },
    ...declaration,
    method: 'GET',
    permission: 'service.view',
    tags: ['Reports'],
  } as Declaration<P, Q, undefined, R>)

/** The costs that a query asks for: of which days, and with `compare` those of the earlier time. @throws as `costQuestion` */
export function costsAsked(caller: Caller, query: Parameters<typeof earlierQuestion>[1] & Days, services: Services) {
  const days = rangeOf(query, services.now())
  const question = costQuestion(caller, query, days, services)
  return { days, question, before: earlierQuestion(caller, query, days, services) }
}
export type CostsAsked = ReturnType<typeof costsAsked>
type Days = Parameters<typeof rangeOf>[0]
