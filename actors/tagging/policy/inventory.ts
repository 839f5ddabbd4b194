/** The inventory in the form that policies read, and their results on it. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql, type RawBuilder } from 'kysely'
import type { Facts } from '#actors/policy/selector.ts'
import type { ResourceScope } from '#actors/resource/queries.ts'
import { within } from '#actors/resource/row.ts'
import { factsOfRow, selectable } from '#actors/tagging/facts.ts'
import { autoTags, type AcceptedSuggestion } from '#actors/tagging/suggestion/suggestion.ts'

/** An existing resource. */
export interface Item {
  cloudAccountId: string
  uid: string
  name: string
  facts: Facts
}

interface Row {
  cloud_account_id: string
  uid: string
  name: string
  type: string
  provider: string
  region: string
  instance_type: string
  resource_group: string
  tags: Record<string, string> | null
}

/** Resources read at once. */
const pageSize = 5000

const whereVisible = (orgId: string, scope: ResourceScope | undefined): RawBuilder<unknown> =>
  sql`r.org_id = ${orgId} AND r.deleted_at IS NULL ${scope ? sql`AND ${within(scope)}` : sql``}`

/**
 * The existing resources that a role may see, page by page, by account and uid; with all tags, or only `tag` if given.
 */
export async function* inventory(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
  tag?: string,
): AsyncGenerator<readonly Item[], void> {
  const db = em.getKysely()
  const tags =
    tag === undefined
      ? sql`r.tags`
      : sql`CASE WHEN r.tags -> ${tag}::text IS NULL THEN NULL ELSE jsonb_build_object(${tag}::text, r.tags -> ${tag}::text) END`
  let last: Row | undefined
  do {
    const behind = last ? sql`AND (r.cloud_account_id, r.uid) > (${last.cloud_account_id}, ${last.uid})` : sql``
    const { rows } = await sql<Row>`
      SELECT r.cloud_account_id, r.uid, r.name, r.type, r.provider, r.region, r.instance_type, r.resource_group, ${tags} AS tags
      FROM resource AS r WHERE ${whereVisible(orgId, scope)} ${behind}
      ORDER BY r.cloud_account_id, r.uid LIMIT ${pageSize}`.execute(db)
    yield rows.map(itemOf)
    last = rows.length === pageSize ? rows.at(-1) : undefined
  } while (last)
}

function itemOf(row: Row): Item {
  const {
    cloud_account_id: cloudAccountId,
    uid,
    name,
    instance_type: instanceType,
    resource_group: resourceGroup,
  } = row
  const facts = factsOfRow({ ...row, tags: row.tags ?? {}, instanceType, resourceGroup, parentUid: '', specs: {} })
  return { cloudAccountId, uid, name, facts: selectable(facts, cloudAccountId) }
}

/** Maximum values of one attribute. */
const wordsMax = 200

/** The types, regions, sizes and accounts in the inventory, by the attribute that selects them. */
export async function inventoryWords(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await sql<{ attr: string; words: string[] }>`
    SELECT attr, (array_agg(word ORDER BY word))[1:${sql.lit(wordsMax)}] AS words
    FROM (
      SELECT DISTINCT value.attr, value.word
      FROM resource AS r CROSS JOIN LATERAL (VALUES
        ('res.type', r.type), ('res.region', r.region), ('res.instance_type', r.instance_type),
        ('res.cloud_account_id', r.cloud_account_id)) AS value(attr, word)
      WHERE ${whereVisible(orgId, scope)} AND value.word <> ''
    ) AS words
    GROUP BY attr`.execute(em.getKysely())
  return Object.fromEntries(rows.map(({ attr, words }) => [attr, words]))
}

/** Values of accepted predictions for one key, by account, then uid. */
export async function acceptedPredictions(
  em: EntityManager,
  orgId: string,
  key: string,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const { rows } = await sql<AcceptedSuggestion & { account: string; uid: string }>`
    SELECT cloud_account_id AS account, uid, accepted_at AS "acceptedAt", predicted_env AS "predictedEnv",
      predicted_no_stop AS "predictedNoStop", extra_tags AS "extraTags"
    FROM resource_tagging WHERE org_id = ${orgId} AND deleted_at IS NULL AND accepted_at IS NOT NULL`.execute(
    em.getKysely(),
  )
  const found = new Map<string, Map<string, string>>()
  for (const { account, uid, ...suggested } of rows) {
    const tags: Record<string, string> = autoTags(suggested)
    if (!Object.hasOwn(tags, key)) continue
    const own = found.get(account) ?? new Map<string, string>()
    found.set(account, own.set(uid, tags[key]!))
  }
  return found
}

/** A resource for which a policy derives its tag. */
export interface DerivedItem {
  cloudAccountId: string
  uid: string
  isAccepted: boolean
}

/** Resources with a tag that a policy derived when they were last evaluated, and whether it was accepted. */
export async function derivedBy(
  em: EntityManager,
  orgId: string,
  scope: ResourceScope | undefined,
  policyId: string,
): Promise<DerivedItem[]> {
  const { rows } = await sql<DerivedItem>`
    SELECT t.cloud_account_id AS "cloudAccountId", t.uid AS "uid",
      (t.accepted ->> by.key IS NOT DISTINCT FROM t.derived ->> by.key) AS "isAccepted"
    FROM resource_tagging AS t
    JOIN resource AS r ON r.org_id = t.org_id AND r.cloud_account_id = t.cloud_account_id AND r.uid = t.uid
    CROSS JOIN LATERAL jsonb_each_text(t.derived_by) AS by(key, policy_id)
    WHERE t.org_id = ${orgId} AND t.deleted_at IS NULL AND by.policy_id = ${policyId} AND ${whereVisible(orgId, scope)}`.execute(
    em.getKysely(),
  )
  return rows
}
