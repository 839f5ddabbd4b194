import type { Pool } from 'pg'

/** Rows of `resource` as its actors would have written them, `uid-1` to `uid-<count>` of account `acct-0`. */
export async function insertResources(pool: Pool, orgId: string, count: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(
      `insert into resource (org_id, cloud_account_id, uid, id, name, type, provider, region, status, schedulable, tags,
         observed_at, seen_at, created_at, updated_at)
       select $1, 'acct-0', 'uid-' || r, gen_random_uuid(), 'name-' || r, 'aws-ec2', 'aws', 'us-east-1', 'running', true,
         jsonb_build_object('env', 'prod', 'team', 'team-' || r % 40), now(), now(), now(), now()
       from generate_series(1, $2::int) as r`,
      [orgId, count],
    )
    await client.query('analyze resource')
  } finally {
    client.release(true)
  }
}
