/** Splits a cluster's usage into messages within their size limit. */
import { usageMax, type KubernetesUsage } from './messages.ts'

/** Maximum bytes of a message; the server's limit is a megabyte. */
const bytesMax = 600_000

const lists = ['nodes', 'pods', 'claims', 'loadBalancers'] as const
type List = (typeof lists)[number]

/** In the order of the lists; at least one message, even for an empty cluster. */
export function* partsOf(usage: KubernetesUsage): Generator<KubernetesUsage> {
  const { nodes: _nodes, pods: _pods, claims: _claims, loadBalancers: _balancers, ...about } = usage
  // An empty list of nodes is reported.
  let part: Partial<Record<List, unknown[]>> = usage.nodes?.length === 0 ? { nodes: [] } : {}
  let bytes = 0
  const told = (): KubernetesUsage => ({ ...about, ...part }) as KubernetesUsage
  for (const list of lists) {
    for (const entry of usage[list] ?? []) {
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1
      if (part[list]?.length === usageMax || (bytes > 0 && bytes + size > bytesMax)) {
        yield told()
        part = {}
        bytes = 0
      }
      ;(part[list] ??= []).push(entry)
      bytes += size
    }
  }
  yield told()
}
