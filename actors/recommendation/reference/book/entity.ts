import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'ReferenceValue',
  tableName: 'reference_value',
  policies: [tenantPolicy],
  properties: {
    /** Always empty: values are of the installation, for all organizations. */
    orgId: p.text().primary(),
    kind: p.text().primary(),
    /** Empty: for all regions. */
    region: p.text().primary(),
    name: p.text().primary(),
    field: p.text().primary(),
    value: p.text(),
    loadedAt: p.datetime(3),
  },
})

/**
 * A size, price, support date or discount set by the operator, in place of the product's tables. Written only by
 * `reference/book/change.ts`.
 */
export class ReferenceValue extends schema.class {}
schema.setClass(ReferenceValue)

const refreshed = defineEntity({
  name: 'RefreshedPrice',
  tableName: 'refreshed_price',
  policies: [tenantPolicy],
  properties: {
    /** Always empty, as above. */
    orgId: p.text().primary(),
    kind: p.text().primary(),
    region: p.text().primary(),
    name: p.text().primary(),
    field: p.text().primary(),
    value: p.text(),
    /** The cloud that published it. */
    source: p.text(),
    /** From this day on the cloud charges it. */
    effectiveOn: p.date(),
    refreshedAt: p.datetime(3),
  },
})

/** A list price as its cloud publishes it. Written only by `reference/book/refresh.ts`. */
export class RefreshedPrice extends refreshed.class {}
refreshed.setClass(RefreshedPrice)
