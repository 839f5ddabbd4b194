import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const dashboard = defineEntity({
  name: 'Dashboard',
  tableName: 'dashboard',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** User id of the person who created it. */
    ownerId: p.text(),
    /** Who can see it: a user id for its owner only, empty for everybody. Names are unique within it. */
    holder: p.text(),
    /** 1 to 100 characters. */
    name: p.text(),
    /** Saved views in order, each once. */
    viewIds: p.json<string[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'dashboard_name', properties: ['orgId', 'holder', 'name'] }],
})

/** Saved views on one page. Written only by actors/saved-view/dashboard/change.ts. */
export class Dashboard extends dashboard.class {}
dashboard.setClass(Dashboard)
