import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

export const consolidations = ['payer', 'member'] as const

const organizationSetting = defineEntity({
  name: 'OrganizationSetting',
  tableName: 'organization_setting',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Whether sessions without a second factor are refused. */
    requireSecondFactor: p.boolean().default(false),
    /** US dollars above its baseline that an anomaly is told of from; read by the actor that tells people. */
    anomalyNotifyMinUsd: p.double().$type<number>().default(0),
    /** Whether people are notified of recurring anomalies; read by detection. */
    anomalyNotifyRecurring: p.boolean().default(false),
    /** Which bill counts where a payer's and an account's own have the same charges; read by the cost rollup. */
    consolidated: p.enum(consolidations).$type<(typeof consolidations)[number]>().default('payer'),
    updatedAt: p.datetime(3),
  },
})

/** What an organization has set, one row each; without one everything is as it is by default. Written only by `http/people/organization/setting.ts`. */
export class OrganizationSetting extends organizationSetting.class {}
organizationSetting.setClass(OrganizationSetting)
