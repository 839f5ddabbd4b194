import type { EntityManager } from '@mikro-orm/postgresql'
import type { Resource } from '#actors/resource/entity.ts'
import { ResourceTagging } from './entity.ts'

/** An effective tag and its source. */
export interface EffectiveTag {
  key: string
  value: string
  source: 'cloud' | 'smart' | 'auto'
}

/** Effective tags by key: the cloud's first, then those of policies, then accepted predictions. */
export async function tagsOf(em: EntityManager, resource: Resource): Promise<EffectiveTag[]> {
  const { orgId, cloudAccountId, uid, tags } = resource
  const given = await em.findOne(ResourceTagging, { orgId, cloudAccountId, uid, deletedAt: null }, { refresh: true })
  const by = { auto: given?.shownAuto ?? {}, smart: given?.shownSmart ?? {}, cloud: tags }
  const found = new Map<string, EffectiveTag>()
  for (const [source, own] of Object.entries(by) as [EffectiveTag['source'], Record<string, string>][])
    for (const [key, value] of Object.entries(own)) found.set(key, { key, value, source })
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
