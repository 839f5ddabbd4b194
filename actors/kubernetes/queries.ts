import type { EntityManager } from '@mikro-orm/postgresql'
import { KubernetesCluster } from './entity.ts'

/** Every cluster with reported usage, by account and uid. */
export const clustersOf = (em: EntityManager, orgId: string): Promise<KubernetesCluster[]> =>
  em.find(KubernetesCluster, { orgId }, { orderBy: { cloudAccountId: 'asc', uid: 'asc' } })

/** Names of clusters by uid; those without a name are left out. */
export async function clusterNames(em: EntityManager, orgId: string): Promise<Map<string, string>> {
  const clusters = await clustersOf(em, orgId)
  return new Map(clusters.filter(({ name }) => name !== '').map(({ uid, name }) => [uid, name]))
}
