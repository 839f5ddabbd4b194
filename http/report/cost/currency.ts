/**
 * The parameter `currency` of reports: every amount of a response is converted from US dollars by one rate of the
 * organization, and `meta` says which.
 */
import { ExchangeRate } from '#actors/currency/entity.ts'
import { divideRounded, toUnits } from '#engine/value/decimal.ts'
import { dayOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { checkCurrency } from '#http/currency/code.ts'
import { mapMoney, moneyIn } from '#http/edge/parameter/money.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { Request, Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Meta } from '#http/report/meta.ts'
import type { Reply } from '#http/store/reply.ts'
import { keepingDigits, plainOf, units, usd } from '#streams/figure.ts'

const Currency = t.Optional(
  t.String({
    maxLength: 3,
    description:
      'ISO 4217 code: amounts in this currency, by the newest exchange rate of the organization that is not after the last day of the report; meta has the rate and its day. Each amount is rounded by itself, half away from zero, to eight decimal places. Parameters stay in US dollars. Not for files',
    examples: ['EUR'],
  }),
)

interface Query {
  currency?: string
  format?: string
}

/** A report that takes the parameter, if it answers amounts. */
export function withCurrency(report: Route): Route {
  const [data, meta] = [report.reply, report.meta].map((schema) => moneyIn(schema as Keywords | undefined))
  if (!data) return report
  return {
    ...report,
    query: t.Object({ ...report.query?.properties, currency: Currency }),
    refuses: { ...report.refuses, 422: [...(report.refuses?.[422] ?? []), 'no_exchange_rate'] },
    async handle(request: Request<never, never, never>, services) {
      const { currency: given, ...query } = request.query as Query
      const asked = { ...(request as object), query } as never
      if (given === undefined || given.toUpperCase() === 'USD') return report.handle(asked, services)
      const currency = checkCurrency(given, { in: 'query', name: 'currency' })
      if ((query.format ?? 'json') !== 'json')
        throw badInput({ in: 'query', name: 'currency', code: 'format', message: 'requires format=json' })
      const answer = (await keepingDigits(() => report.handle(asked, services))) as Reply<unknown>
      const covered = answer.meta as Static<typeof Meta>
      const rate = await rateAt(request.caller.orgId, currency, (covered.to ?? '').slice(0, 10), services)
      const convert = converter(rate.usdPerUnit)
      return answer.shownAs(mapMoney(answer.payload, data, convert), {
        ...(mapMoney(covered, meta, convert) as object),
        currency,
        usdPerUnit: rate.usdPerUnit,
        rateDay: rate.day,
      })
    },
  }
}

/** The newest rate on `day` or before it; without a day, of today. @throws Fault `refused` `no_exchange_rate` */
async function rateAt(
  orgId: string,
  currency: string,
  day: string,
  { em, now }: Pick<Services, 'em' | 'now'>,
): Promise<ExchangeRate> {
  const last = day === '' ? dayOf(now()) : day
  const where = { orgId, currency, day: { $lte: last } }
  const [rate] = await em.find(ExchangeRate, where, { orderBy: { day: 'desc' }, limit: 1, refresh: true })
  if (rate) return rate
  throw Fault.refused(
    'no_exchange_rate',
    `There is no exchange rate for ${currency} on ${last} or before. Set one with PUT /exchange-rates/${currency}/${last}.`,
  )
}

const ratePlaces = 12
/** Of the 14 decimal places of amounts, those that converted ones do not have. */
const cutPlaces = 10n ** 6n

/** Text stays text. */
function converter(usdPerUnit: string): (amount: number | string) => unknown {
  const rate = toUnits(usdPerUnit, ratePlaces)!
  return (amount) => {
    const converted = divideRounded(units(amount) * 10n ** BigInt(ratePlaces), rate * cutPlaces) * cutPlaces
    return typeof amount === 'string' ? plainOf(converted) : usd(converted)
  }
}
