/** The inventory of an organization whose month `wide-bill.ts` makes: the same resources, with names, networks and tags that say something, in both stores. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Pool } from 'pg'
import { wide } from './wide-bill.ts'

/** Its `r`-th resource: nine in ten have tags; 500 share a network. */
const resource = `
  select r, 'acct-' || r % $3::int as account,
    'arn:cloud:aws:resource/i-' || upper(lpad(to_hex((r::bigint * 2654435761) % 4294967296), 8, '0')) as uid,
    (array['shop', 'pay', 'data', 'core', 'mail'])[r % 5 + 1] || '-' || (array['prod', 'dev', 'staging', 'blue'])[r / 5 % 4 + 1] || '-web-' || r as name,
    'region-' || r % 5 as region, (array['m6i.large', 't3.micro', 'r6i.8xlarge'])[r % 3 + 1] as instance,
    case when r % 10 = 9 then '{}'::jsonb
      else jsonb_build_object('team', 'Team ' || r % 40, 'env', (array['prod', 'dev', 'staging'])[r % 3 + 1], 'service', 'service-' || r % 200) end as tags
  from generate_series(0, $2::int - 1) as r`

const inventory = `
  insert into resource (org_id, cloud_account_id, uid, id, name, type, provider, region, status, schedulable, instance_type, tags, specs,
    observed_at, seen_at, created_at, updated_at)
  select $1, account, uid, gen_random_uuid(), name, 'aws-ec2', 'aws', region, 'running', true, instance, tags,
    jsonb_build_object('vpc_id', 'vpc-' || r / 500), now(), now(), now(), now()
  from (${resource}) as made`

const teams = `
  insert into team (org_id, id, name, member_user_ids, created_at, updated_at)
  select $1, 'team-' || n, 'Team ' || n, '[]', now(), now() from generate_series(0, $2::int - 1) as n`

/** Resources, and the teams of the bill, as their writers would have written them. */
export async function insertTagged(pool: Pool, orgId: string, resources: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(inventory, [orgId, resources, wide.accounts])
    await client.query(teams, [orgId, wide.teams])
    await client.query('analyze resource')
  } finally {
    client.release(true)
  }
}

const states = `
  INSERT INTO resource_state (org_id, cloud_account_id, resource_uid, name, type, provider, region, instance_type, tags, first_seen_at, observed_at, x_Version)
  SELECT {org:String}, concat('acct-', toString(r % {accounts:UInt64})),
    concat('arn:cloud:aws:resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0')),
    concat(['shop', 'pay', 'data', 'core', 'mail'][r % 5 + 1], '-', ['prod', 'dev', 'staging', 'blue'][intDiv(r, 5) % 4 + 1], '-web-', toString(r)),
    'aws-ec2', 'aws', concat('region-', toString(r % 5)), ['m6i.large', 't3.micro', 'r6i.8xlarge'][r % 3 + 1],
    if(r % 10 = 9, map(), map('team', concat('Team ', toString(r % 40)), 'env', ['prod', 'dev', 'staging'][r % 3 + 1], 'service', concat('service-', toString(r % 200)))),
    toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), now64(3), 2
  FROM (SELECT number AS r FROM numbers({resources:UInt64}))`

/** Every second resource has its team by hand no more. */
const released = `
  INSERT INTO team_assignment
  SELECT {org:String}, concat('arn:cloud:aws:resource/i-', leftPad(hex(toUInt32(r * 2654435761)), 8, '0')), '', toDateTime64('2026-01-02 00:00:00', 3, 'UTC'), 2
  FROM (SELECT number * 2 AS r FROM numbers(intDiv({resources:UInt64}, 2)))`

/** The same in ClickHouse, in place of what the bill's own load says. */
export async function tellTagged(ch: ClickHouseClient, org: string, resources: number): Promise<void> {
  for (const query of [states, released])
    await ch.command({ query, query_params: { org, resources, accounts: wide.accounts } })
  for (const table of ['resource_state', 'team_assignment'])
    await ch.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
}

/** What previews read of the inventory, read and nothing done with it. */
export const bareInventory = `
  select cloud_account_id, uid, name, type, provider, region, instance_type, resource_group, tags
  from resource where org_id = $1 and deleted_at is null`

const condition = (attr: string, op: string, ...values: string[]) => ({ attr, op, values })

/** Ten rules: nine by names and regions, each to a team of its own, and one by tag. */
export const allocationSpecs: readonly object[] = [
  ...['shop', 'pay', 'data'].flatMap((name, i) =>
    ['region-0', 'region-1', 'region-2'].map((region, k) => ({
      priority: 1 + i * 3 + k,
      selector: {
        all: [condition('res.name', 'starts_with', `${name}-prod-`), condition('res.region', 'in', region, 'region-3')],
      },
      team: `team-${40 + i * 3 + k}`,
    })),
  ),
  { priority: 100, teamFromTag: { key: 'team', create: true } },
]

/** Shared costs: a service in proportion, and another evenly. */
export const sharedCostSpecs: readonly object[] = [
  { selector: { all: [condition('line.service', 'equals', 'service-3')] }, method: 'proportional' },
  { selector: { all: [condition('line.service', 'equals', 'service-5')] }, method: 'even' },
]

const value = (fields: string[]) => ({ fields, join: '-', standardize: true })

export const taggingSpecs: readonly object[] = [
  { tag: { key: 'location', value: value(['res.provider', 'res.region']) } },
  {
    selector: { all: [condition('res.name', 'contains', '-prod-'), condition('res.tags.service', 'exists')] },
    tag: { key: 'size', value: value(['res.instance_type']) },
  },
]

/** One more, whose making changes what all resources stand on. */
export const kindSpec = { tag: { key: 'kind', value: value(['res.type']) } }
