/** Recorded lists of a Kubernetes cluster, as a connector would turn its objects into resources. */
import { linesOf, tagsOf, type Found, type Json } from '#test/real/inventory/recording.ts'

export const clusterUid = 'clusters/recorded'

/** The cluster itself and every object of the recording; list items carry no kind, so their list says it. */
export function clusterResources(path: string, clusterType: 'gcp-gke' | 'aws-eks' | 'azure-aks'): Found[] {
  const provider = clusterType.split('-')[0] as Found['provider']
  const cluster: Found = {
    resourceUid: clusterUid,
    name: 'recorded',
    type: clusterType,
    provider,
    region: '',
    status: 'running',
  }
  const objects = linesOf(path).flatMap(({ status, responseBody }: Json) => {
    const { kind, items } = JSON.parse(responseBody as string) as { kind: string; items?: Json[] }
    if (status !== 200 || !kind.endsWith('List') || !Array.isArray(items)) return []
    return items.map((item: Json) => object(item, kind.replace(/List$/, ''), clusterType, provider))
  })
  return [cluster, ...objects]
}

function object({ metadata }: Json, kind: string, clusterType: string, provider: Found['provider']): Found {
  const { name, namespace, labels } = metadata
  const lower = kind.toLowerCase()
  return {
    resourceUid: [clusterUid, namespace ?? '-', lower, name].join('/'),
    name,
    type: `${clusterType}-${lower}`,
    provider,
    region: '',
    parentUID: clusterUid,
    status: 'running',
    tags: tagsOf(labels),
  }
}
