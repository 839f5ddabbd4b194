/**
 * Rules for shared costs with conditions on accounts of a cloud organization: published again, by account, when that
 * organization has changed.
 */
import { asksAccounts } from '#actors/policy/account-condition.ts'
import { Policy } from '#actors/policy/entity.ts'
import type { Tools } from '#actors/tools.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import { change } from '#engine/run/tell.ts'
import { accountRules } from '#analytics/attribution/projections.ts'
import { sharedCostDomain, type SharedCostSpec } from './shared-cost.ts'

/** The messages of a change are only published here; no answer is awaited. */
const nobody = { ask: async () => undefined }

export const accountRuleWork = (tools: Pick<Tools, 'em' | 'now'>): ProjectionWork => ({
  name: accountRules.name,
  apart: true,
  async run(marks) {
    for (const orgId of new Set(marks.map((mark) => mark.orgId))) await tellAgain(tools, orgId)
    return true
  },
})

async function tellAgain({ em, now }: Pick<Tools, 'em' | 'now'>, orgId: string): Promise<void> {
  const policies = await em().find(Policy, { orgId, domain: sharedCostDomain.name, enabled: true })
  if (!policies.some(({ spec }) => asksAccounts((spec as SharedCostSpec).selector))) return
  await change(
    { em: em(), orgId, asker: nobody, now, transaction: (own, work) => own.transactional(work) },
    async (tx) => {
      const rules = await tx.em.find(Policy, { orgId, domain: sharedCostDomain.name, enabled: true })
      for (const rule of rules)
        if (asksAccounts((rule.spec as SharedCostSpec).selector)) await sharedCostDomain.changed!(tx, rule, false)
    },
  )
}
