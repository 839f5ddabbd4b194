/** Which figures of clusters have rows of bills, and how the API is asked for them. */
import type { Query } from './query.ts'

/** Parameters with their values. */
export type ParamValues = Readonly<Record<string, readonly string[]>>

/** What may name a figure of clusters alone. */
export const clusterNarrows = ['filter[cluster]', 'filter[namespace]', 'controller', 'pod', 'kind']

const single = ['from', 'to', 'cost', 'controller', 'pod']
const accounts = ['cloud_account_id', 'filter[cloud_account_id]']
/** Stands for what has no value of a dimension. */
export const none = '(none)'

/** As the API is asked for the rows; undefined: it does not say which rows a figure narrowed so is made of. */
export function clusterQuery(query: ParamValues): Query | undefined {
  const known = [...single, ...accounts, 'kind', 'filter[cluster]', 'filter[namespace]']
  const of = (name: string): readonly string[] => query[name] ?? []
  const [clusters, namespaces] = [of('filter[cluster]'), of('filter[namespace]')]
  const isOne = clusters.length === 1 && clusters[0] !== none && namespaces.length <= 1
  const areAlike = accounts.every((name) => of(name).length > 0)
  if (!isOne || areAlike || Object.keys(query).some((name) => !known.includes(name))) return undefined
  const isOfNobody = namespaces[0] === none && of('kind').length === 0
  return {
    ...Object.fromEntries(single.map((name) => [name, of(name)[0]])),
    cloud_account_id: accounts.flatMap(of),
    cluster: clusters[0],
    namespace: namespaces[0] === none ? undefined : namespaces[0],
    // What no namespace has used.
    kind: isOfNobody ? ['idle', 'overhead', 'unmeasured'] : of('kind'),
  }
}
