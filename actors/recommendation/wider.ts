/** What commitments of a whole account would save, which already contain what rules find of its single resources. */
import type { Reads } from '#engine/ports.ts'
import { programOf } from './rule/compile.ts'
import { rules } from './rule/catalogue.ts'

const widerRules = [...new Set(rules.flatMap(({ alternativeTo }) => alternativeTo ?? []))]

/** What is applied is counted already; of what is dismissed nothing is said. */
const widerSql = `
  select rule_id as "ruleId", max(savings_usd)::float8 as usd from recommendation
  where org_id = $1 and cloud_account_id = $2 and rule_id = any($3) and status in ('open', 'applied') and stale_since is null
  group by rule_id`

/** US dollars for 30 days, by rule. */
export type WiderSavings = ReadonlyMap<string, number>

export async function widerOf(
  reads: Pick<Reads, 'rows'>,
  { orgId, account }: { orgId: string; account: string },
): Promise<WiderSavings> {
  const rows = await reads.rows<{ ruleId: string; usd: number }>(widerSql, [orgId, account, widerRules])
  return new Map(rows.map(({ ruleId, usd }) => [ruleId, usd]))
}

/** Facts of a resource of the type: `wider.<rule>`, for the rules of its type that such a commitment may stand before. */
export const widerFacts = (savings: WiderSavings, type: string): Record<string, number> =>
  Object.fromEntries(
    programOf(type).rules.flatMap(({ rule: { alternativeTo = '' } }) => {
      const usd = savings.get(alternativeTo)
      return usd === undefined ? [] : [[`wider.${alternativeTo}`, usd] as const]
    }),
  )
