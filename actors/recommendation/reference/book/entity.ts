import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'ReferenceValue',
  tableName: 'reference_value',
  policies: [tenantPolicy],
  properties: {
    /** Empty: of the installation, for all organizations; there are no others. */
    orgId: p.text().primary(),
    kind: p.text().primary(),
    /** Empty: everywhere. */
    region: p.text().primary(),
    name: p.text().primary(),
    field: p.text().primary(),
    value: p.text(),
    loadedAt: p.datetime(3),
  },
})

/** A size, price, date or discount that the operator has said, in place of the product's tables. Written only by `reference/change.ts`. */
export class ReferenceValue extends schema.class {}
schema.setClass(ReferenceValue)
