import type { ListPage } from '#config/command/line/api.ts'
import { routeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { argument, limit, optional, org } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Static } from '#engine/value/schema.ts'
import type { RateView } from '#http/currency/routes.ts'

type Rate = Static<typeof RateView>

const rates = listOf<Rate>(
  { CURRENCY: 'currency', FROM: 'day', 'USD PER UNIT': 'usdPerUnit', UPDATED: 'updatedAt' },
  'No exchange rates.',
)

const takes = {
  org,
  currency: argument('CURRENCY', 'ISO 4217 code, such as EUR'),
  day: argument('DAY', 'First day that the rate applies to, YYYY-MM-DD'),
}

export const exchangeRateCommands: readonly Command[] = [
  routeCommand({
    name: 'exchange-rate list',
    summary: 'List exchange rates, newest first',
    takes: { org, currency: optional('CURRENCY', 'Only this currency'), limit: limit(1000, 100) },
    route: 'GET /exchange-rates',
    ask: ({ currency, limit: size }) => ({ query: { currency, limit: size } }),
    show: ({ items }: ListPage<Rate>) => rates(items),
  }),
  routeCommand({
    name: 'exchange-rate set',
    summary: 'Set the exchange rate of a currency from a day on',
    takes: { ...takes, rate: argument('RATE', 'US dollars for one unit, such as 1.0843') },
    route: 'PUT /exchange-rates/:currency/:day',
    ask: ({ currency, day, rate: usdPerUnit }) => ({ params: { currency, day }, body: { usdPerUnit } }),
    show: (data: Rate) => ({ data, text: rates([data]).text }),
  }),
  routeCommand({
    name: 'exchange-rate delete',
    summary: 'Delete an exchange rate; its days then use the newest one before it',
    takes,
    route: 'DELETE /exchange-rates/:currency/:day',
    ask: ({ currency, day }) => ({ params: { currency, day } }),
    show: (_: unknown, { currency, day }) => ({ data: { currency, day }, text: `${currency} ${day}  deleted` }),
  }),
]
