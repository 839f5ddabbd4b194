/** Effective tags of resources and their costs (decision G-43). */
import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { asReported, january, saving, sliceParams } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const money = t.String({ description: 'US dollars, exact' })

export const tagKeys = query(
  'tag_keys',
  t.Object(sliceParams),
  t.Object({ tag_key: t.String(), tagged: t.Integer(), cost_usd: money }),
  january,
  { needs: ['resource_uid', 'own_tags', 'owner_uids'], isByMonth: true },
)

export const tagTotals = query(
  'tag_totals',
  t.Object(sliceParams),
  t.Object({ tagged: t.Integer(), untagged: t.Integer(), tagged_usd: money }),
  january,
  { needs: ['resource_uid', 'own_tags', 'owner_uids'], isByMonth: true },
)

/** Sources of a tag, in order of precedence. */
export const tagSources = ['cloud', 'smart', 'auto'] as const

export const tagPairs = query(
  'tag_pairs',
  t.Object({
    ...sliceParams,
    ...saving,
    prev_from: t.String(),
    prev_to: t.String(),
    limit: t.Integer({ minimum: 1 }),
    offset: t.Integer({ minimum: 0 }),
  }),
  t.Object({
    tag_key: t.String(),
    tag_value: t.String(),
    tag_source: t.Enum(tagSources),
    cost_usd: money,
    savings_usd: money,
    resources: t.Integer(),
    prev_usd: money,
    total: t.Integer(),
  }),
  { ...january, ...asReported, prev_from: '2025-12-01', prev_to: '2025-12-31', limit: 20, offset: 0 },
  { needs: ['resource_uid', 'own_tags', 'owner_uids'], isByMonth: true },
)

export const tagValues = query(
  'tag_values',
  t.Object({ ...sliceParams, key: t.String() }),
  t.Object({ tag_value: t.String(), cost_usd: money, resources: t.Integer() }),
  { ...january, key: 'env' },
  { needs: ['resource_uid', 'own_tags', 'owner_uids'], isByMonth: true },
)

/** Of the dollars that tags would go with: more rows than are held, to be streamed. */
export const resourceCostSums = query(
  'resource_cost_sums',
  t.Object(sliceParams),
  t.Object({ cloud_account_id: t.String(), resource_uid: t.String(), cost_usd: money }),
  january,
  { needs: ['resource_uid'], isByMonth: true },
)

export const azureSpellings = query(
  'azure_spellings',
  t.Object({ org: t.String(), limit: t.Integer({ minimum: 1 }) }),
  t.Object({ folded: t.String(), spellings: t.Array(t.String()) }),
  { org: 'o1', limit: 500 },
)

const scopeParams = {
  org: t.String(),
  scoped: t.Integer({ minimum: 0, maximum: 1 }),
  scope_accounts: t.Array(t.String()),
}

/** One row where anything has the key. */
export const tagKeyFound = query(
  'tag_key_found',
  t.Object({ ...scopeParams, key: t.String() }),
  t.Object({ found: t.Integer() }),
  { org: 'o1', scoped: 0, scope_accounts: [], key: 'env' },
)

export const knownTagKeys = query(
  'known_tag_keys',
  t.Object({ ...scopeParams, limit: t.Integer({ minimum: 1 }) }),
  t.Object({ tag_key: t.String() }),
  { org: 'o1', scoped: 0, scope_accounts: [], limit: 10_000 },
)

export const taggingQuestions = [
  azureSpellings,
  tagKeyFound,
  knownTagKeys,
  tagKeys,
  tagTotals,
  tagPairs,
  tagValues,
  resourceCostSums,
]
