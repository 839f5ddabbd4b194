import { listType } from '#streams/cloud/aws/discover/listed.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export const directConnections = listType('direct-connect', {
  type: 'aws-dx-connection',
  permissions: ['directconnect:DescribeConnections', 'directconnect:DescribeVirtualInterfaces'],
  list: (m, nextToken) => new m.DescribeConnectionsCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
  next: ({ nextToken }) => nextToken,
  items: async ({ connections }, place) => {
    const page = listOf(connections).filter(({ ownerAccount = place.account }) => ownerAccount === place.account)
    const counts =
      page[0] && (await place.more('directconnect:DescribeVirtualInterfaces', () => countInterfaces(place)))
    // Interfaces of a link aggregation group use the ports of all of its connections.
    const countOf = (id: string | undefined): number => counts?.get(id ?? '') ?? 0
    return page.map((one) => ({
      ...one,
      interfaceCount: counts && countOf(one.connectionId) + countOf(one.lagId),
    }))
  },
  // A deleted connection is listed for a while; a rejected one was never made.
  isOwn: ({ connectionState }) => connectionState !== 'deleted' && connectionState !== 'rejected',
  uid: ({ connectionId }) => connectionId,
  fields: ({ connectionName, tags }) => ({ name: connectionName, tags }),
  specs: {
    state: ({ connectionState }) => connectionState,
    bandwidth: ({ bandwidth }) => bandwidth,
    location: ({ location }) => location,
    virtual_interface_count: ({ interfaceCount }) => interfaceCount,
  },
})

/** By the connection or the group of connections that they are on. */
async function countInterfaces(place: RegionScan): Promise<Map<string, number>> {
  const answers = place.pages(
    'direct-connect',
    (m, nextToken) => new m.DescribeVirtualInterfacesCommand({ maxResults: 100, ...(nextToken && { nextToken }) }),
    ({ nextToken }) => nextToken,
  )
  const all = (await Array.fromAsync(answers)).flatMap(({ virtualInterfaces }) => listOf(virtualInterfaces))
  const present = all.filter(({ virtualInterfaceState: state }) => state !== 'deleted' && state !== 'rejected')
  const byConnection = Map.groupBy(present, ({ connectionId }) => connectionId ?? '')
  return new Map([...byConnection].map(([id, some]) => [id, some.length]))
}
