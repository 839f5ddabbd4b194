/** How findings of a whole account and of single resources relate, so that neither counts savings of the other. */
import type { Reads } from '#engine/actor/ports.ts'
import type { FactValues } from '#streams/recommendation.ts'
import { numberOf } from '#actors/recommendation/audit/number.ts'
import { once } from '#engine/value/once.ts'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'

/** Rules for a whole account that include findings of other rules for single resources. */
const widerRules = once(() => [...new Set(allRules().flatMap(({ alternativeTo }) => alternativeTo ?? []))])

/** Resource types of the single findings that such rules include. */
export const narrowTypes = once(() => [
  ...new Set(allRules().flatMap(({ alternativeTo, applies }) => (alternativeTo === undefined ? [] : applies.types))),
])

/** Machines that compute commitments cover. */
const computeTypes = ['aws-ec2', 'aws-asg', 'gcp-vm', 'gcp-mig', 'azure-vm', 'azure-vmss']
const steadyPaths = ['compute', 'gce_resource', 'gce_flex'].map(
  (service) => `bill.service.${service}.steady_on_demand_30d`,
)

const openSql = `
  select rule_id as "ruleId", sum(savings_usd)::float8 as usd from recommendation
  where org_id = $1 and cloud_account_id = $2 and rule_id = any($3) and status in ('open', 'applied') and stale_since is null
  group by rule_id`

/**
 * By path: savings of findings of the whole account, US dollars for 30 days, including applied ones, which the bill
 * shows later.
 */
export async function widerFacts(reads: Pick<Reads, 'rows'>, orgId: string, account: string): Promise<FactValues> {
  const rows = await reads.rows<{ ruleId: string; usd: number }>(openSql, [orgId, account, widerRules()])
  return Object.fromEntries(rows.map(({ ruleId, usd }) => [`wider.${ruleId}`, usd]))
}

const savedSql = `
  select coalesce(sum(savings_usd), 0)::float8 as usd from recommendation
  where org_id = $1 and cloud_account_id = $2 and resource_type = any($3) and status = 'open' and stale_since is null
    and category <> 'discount'`

/** Reduces what can be committed to by what open findings of the account's machines would save. */
export async function committable(
  reads: Pick<Reads, 'rows'>,
  orgId: string,
  account: string,
): Promise<(facts: FactValues) => FactValues> {
  const [row] = await reads.rows<{ usd: number }>(savedSql, [orgId, account, computeTypes])
  return (facts) => {
    const less = steadyPaths.flatMap((path): [string, number][] => {
      const steady = numberOf(facts[path])
      return steady === undefined ? [] : [[path, Math.max(0, steady - (row?.usd ?? 0))]]
    })
    return { ...facts, ...Object.fromEntries(less) }
  }
}
