/** Exchange rates of an organization: what reports in another currency are converted by. */
import { putRate, removeRate } from '#actors/currency/change.ts'
import { ExchangeRate } from '#actors/currency/entity.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { checkCurrency } from './code.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { list, pageOf, paging, slice, toPage } from '#http/edge/parameter/paging.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'

const Currency = t.String({
  minLength: 3,
  maxLength: 3,
  description: 'ISO 4217 code, not USD',
  examples: ['EUR'],
})
const Day = t.String({
  format: 'date',
  maxLength: 10,
  description: 'first day that the rate applies to, YYYY-MM-DD',
  examples: ['2026-01-31'],
})
const UsdPerUnit = t.String({
  maxLength: 32,
  description: 'US dollars for one unit, above 0; decimal string with at most 12 decimal places',
  examples: ['1.0843'],
})

export const RateView = t.Object(
  {
    currency: Currency,
    day: Day,
    usdPerUnit: UsdPerUnit,
    authorID: t.String({ description: 'who set it' }),
    updatedAt: Timestamp,
  },
  {
    title: 'ExchangeRate',
    examples: [
      {
        currency: 'EUR',
        day: '2026-01-31',
        usdPerUnit: '1.0843',
        authorID: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
        updatedAt: '2026-02-01T10:00:00.000Z',
      },
    ],
  },
)

const ratePlaces = 12

/** The rate in plain notation. @throws Fault `invalid` */
function checkRate(given: string): string {
  const rate = /^\d{1,12}(?:\.\d{1,12})?$/.test(given) ? toUnits(given, ratePlaces) : undefined
  if (rate !== undefined && rate > 0n) return plain(rate, ratePlaces)
  const message = `must be a decimal above 0 with at most ${ratePlaces} decimal places, such as 1.0843`
  throw badInput({ in: 'body', name: '/usdPerUnit', code: 'decimal', message })
}

const show = ({ currency, day, usdPerUnit, authorId, updatedAt }: ExchangeRate): Static<typeof RateView> => ({
  currency,
  day,
  usdPerUnit,
  authorID: authorId,
  updatedAt: updatedAt.toISOString(),
})

const routeBase = { tags: ['Exchange rates'] } as const
const one = {
  path: '/exchange-rates/:currency/:day',
  params: t.Object({ currency: Currency, day: Day }),
} as const
const keyOf = ({ currency, day }: { currency: string; day: string }) => ({
  currency: checkCurrency(currency, { in: 'path', name: 'currency' }),
  day,
})

export const exchangeRates: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/exchange-rates',
    summary: 'List exchange rates, newest first',
    description: 'Those of the organization, which reports with the parameter currency use.',
    permission: 'service.view',
    query: t.Object({
      currency: t.Optional(list(t.String({ maxLength: 3 }), { maxItems: 100, description: 'filter by currency' })),
      ...paging(100, 1000),
    }),
    reply: pageOf(RateView),
    handle: async ({ caller: { orgId }, query }, { em }) => {
      const currencies = query.currency?.map((code) => code.toUpperCase())
      const [found, total] = await em.findAndCount(
        ExchangeRate,
        { orgId, ...(currencies && { currency: { $in: currencies } }) },
        { orderBy: { day: 'desc', currency: 'asc' }, ...slice(query), refresh: true },
      )
      return toPage({ items: found.map(show), total }, query)
    },
  }),

  route({
    ...routeBase,
    ...one,
    method: 'PUT',
    summary: 'Set the exchange rate of a currency from a day on',
    description: 'Reports with the parameter currency use the newest rate that is not after their last day.',
    permission: 'service.update',
    body: t.Object({ usdPerUnit: UsdPerUnit }, { examples: [{ usdPerUnit: '1.0843' }] }),
    reply: RateView,
    refuses: { 422: ['limit_reached'] },
    handle: ({ caller, params, body }, { change }) => {
      const [key, usdPerUnit] = [keyOf(params), checkRate(body.usdPerUnit)]
      return change(async (tx) => show(await putRate(tx, key, { usdPerUnit, authorId: caller.userId })))
    },
  }),

  route({
    ...routeBase,
    ...one,
    method: 'DELETE',
    summary: 'Delete an exchange rate',
    description: 'Reports of its days then use the newest rate before it. This cannot be undone.',
    permission: 'service.delete',
    status: 204,
    handle: ({ params }, { change }) => change((tx) => removeRate(tx, keyOf(params))),
  }),
]
