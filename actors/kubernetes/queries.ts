import type { EntityManager } from '@mikro-orm/postgresql'
import { KubernetesCluster } from './entity.ts'

/** Every cluster that anything was told of, in order of account and uid. */
export const clustersOf = (em: EntityManager, orgId: string): Promise<KubernetesCluster[]> =>
  em.find(KubernetesCluster, { orgId }, { orderBy: { cloudAccountId: 'asc', uid: 'asc' } })

/** What clusters are called, by uid; those that nobody has named are left out. */
export async function clusterNames(em: EntityManager, orgId: string): Promise<Map<string, string>> {
  const clusters = await clustersOf(em, orgId)
  return new Map(clusters.filter(({ name }) => name !== '').map(({ uid, name }) => [uid, name]))
}
