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
    /** Minimum excess over the baseline for an anomaly to be notified, US dollars; read by the notice actor. */
    anomalyNotifyMinUsd: p.double().$type<number>().default(0),
    /** Whether people are notified of recurring anomalies; read by detection. */
    anomalyNotifyRecurring: p.boolean().default(false),
    /** Which bill counts where a payer's and an account's own have the same charges; read by the cost rollup. */
    consolidated: p.enum(consolidations).$type<(typeof consolidations)[number]>().default('payer'),
    /** Whether the console no longer shows the first steps. */
    hidesFirstSteps: p.boolean().default(false),
    updatedAt: p.datetime(3),
  },
})

/**
 * Settings of an organization, one row each; without a row the defaults apply. Written only by `setting.ts` and
 * `first-steps.ts` in `http/people/organization`.
 */
export class OrganizationSetting extends organizationSetting.class {}
organizationSetting.setClass(OrganizationSetting)
