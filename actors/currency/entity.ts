import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const exchangeRate = defineEntity({
  name: 'ExchangeRate',
  tableName: 'exchange_rate',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** ISO 4217, such as EUR. */
    currency: p.text().primary(),
    /** YYYY-MM-DD: the first day that it applies to. */
    day: p.text().primary(),
    /** US dollars for one unit: a decimal above 0 with at most 12 decimal places. */
    usdPerUnit: p.text(),
    /** User id, or the id of a machine token. */
    authorId: p.text(),
    updatedAt: p.datetime(3),
  },
})

/** What one unit of a currency is worth. Written only by actors/currency/change.ts. */
export class ExchangeRate extends exchangeRate.class {}
exchangeRate.setClass(ExchangeRate)
