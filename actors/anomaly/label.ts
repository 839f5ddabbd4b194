import type { AnomalyType } from '#streams/anomaly.ts'
import type { Reads } from '#engine/actor/ports.ts'

const namesSql = `
  select 'cloud_account|' || id as key, name from cloud_account where org_id = $1 and id = any($2::text[])
  union all select 'team|' || id, name from team where org_id = $1 and id = any($2::text[])
  union all select 'resource_group|' || id, name from resource_group where org_id = $1 and id = any($2::text[])
  union all select 'org|' || id::text, name from organization where id::text = $1`

/** Display names of accounts, teams, groups and the organization, by `<type>|<key>`. */
export async function labelsOf(
  reads: Pick<Reads, 'rows'>,
  orgId: string,
  found: readonly { type: AnomalyType; key: string }[],
): Promise<ReadonlyMap<string, string>> {
  const keys = found.filter(({ type }) => type !== 'resource').map(({ key }) => key)
  const rows = await reads.rows<{ key: string; name: string }>(namesSql, [orgId, keys])
  return new Map(rows.map((row) => [row.key, row.name]))
}
