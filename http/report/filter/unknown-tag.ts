/** Says of a report that it names a tag key which nothing has: it would be 0 without a word. */
import { distance } from 'fastest-levenshtein'
import { knownTagKeys, tagKeyFound } from '#analytics/tagging/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { tagOf } from '#engine/value/tag-key.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { isTag, keyOf } from './tag-dimension.ts'

export const UnknownTagKey = t.Object(
  {
    key: t.String(),
    nearest: t.Array(t.String(), { description: 'at most three existing keys, closest first' }),
  },
  {
    description:
      'the first tag key in the request that no resource and no line of the organization has, or none in the accounts that the role sees; absent: all are known',
  },
)
type UnknownTagKey = Static<typeof UnknownTagKey>

/** What reports read tag keys from, where they have it. */
export interface TagRequest {
  query: { tag?: string[]; filter?: object; group_by?: string | readonly string[]; tag_key?: string }
  params: { tagKey?: string } | undefined
}

/** In the order of the request, each once. */
function tagKeysIn({ query, params }: TagRequest): string[] {
  const dims = [query.group_by ?? []].flat()
  const given = [params?.tagKey, query.tag_key].filter((key) => key !== undefined)
  const filters = Object.keys(query.filter ?? {})
  return [
    ...new Set([
      ...given,
      ...(query.tag ?? []).map((tag) => tagOf(tag).key),
      ...[...filters, ...dims].filter(isTag).map(keyOf),
    ]),
  ]
}

/** Keys that are looked through for near ones. */
const keysMax = 10_000
const nearestMax = 3

/** Undefined where all keys are known. A role that sees teams may see tags of any account, and is told nothing of them. */
export async function unknownTagKey(
  asked: TagRequest,
  { reportScope }: Pick<Caller, 'reportScope'>,
  { analytics }: Pick<Services, 'analytics'>,
): Promise<UnknownTagKey | undefined> {
  if (!reportScope.all && reportScope.teamIDs.length > 0) return undefined
  const seen = reportScope.all
    ? { scoped: 0, scope_accounts: [] }
    : { scoped: 1, scope_accounts: [...reportScope.cloudAccountIDs] }
  for (const key of tagKeysIn(asked)) {
    const found = await analytics(tagKeyFound, { ...seen, key })
    if (found.length > 0) continue
    const known = await analytics(knownTagKeys, { ...seen, limit: keysMax })
    return {
      key,
      nearest: nearestTo(
        key,
        known.map((row) => row.tag_key),
      ),
    }
  }
  return undefined
}

/** Those that differ by case alone, then those that begin with it, then those with the fewest letters to change. */
function nearestTo(key: string, known: readonly string[]): string[] {
  const given = key.toLowerCase()
  const ranked = known.map((name) => {
    const lower = name.toLowerCase()
    return { name, begins: Number(!lower.startsWith(given)), far: distance(given, lower) }
  })
  return ranked
    .toSorted((a, b) => a.begins - b.begins || a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, nearestMax)
    .map(({ name }) => name)
}
