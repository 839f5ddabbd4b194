import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { account, answerServer, armError, type AnswerServer } from './answer-server.ts'
import { idOf, root } from './world.ts'

const cluster = (name: string, more: object = {}) => ({
  id: idOf('Microsoft.ContainerService/managedClusters', name),
  name,
  location: 'westeurope',
  properties: { powerState: { code: 'Running' }, nodeResourceGroup: `MC_${name}`, ...more },
})
const clusters = [cluster('aks-1'), cluster('aks-2', { powerState: { code: 'Stopped' } }), cluster('aks-3')]
const balancer = idOf('Microsoft.Network/loadBalancers', 'kubernetes', 'MC_aks-1')

const objects: Readonly<Record<string, object[]>> = {
  nodes: [
    {
      metadata: { name: 'node-1', uid: 'n-1', labels: { 'node.kubernetes.io/instance-type': 'Standard_D2s_v3' } },
      spec: { providerID: 'azure:///subscriptions/s/x' },
      status: {
        allocatable: { cpu: '2', memory: '8Gi' },
        capacity: { cpu: '2', memory: '8Gi' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    },
  ],
  services: [
    {
      metadata: { name: 'web', namespace: 'shop', uid: 's-1' },
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ ip: '20.1.2.3' }] } },
    },
  ],
}

describe('who uses clusters of AKS', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  it('is told of each that runs and lets us in, with the balancers of its services by their addresses', async () => {
    const at = new Date('2026-01-15T10:00:00Z')
    server = await answerServer(({ path }) => {
      if (path === `${root}/providers/Microsoft.ContainerService/managedClusters`) return { body: { value: clusters } }
      if (path.endsWith('aks-3/listClusterUserCredential')) return armError(403, 'AuthorizationFailed')
      if (path.endsWith('/listClusterUserCredential')) {
        const config = { clusters: [{ cluster: { server: `${server.url}/k8s` } }], users: [{ user: { token: 't' } }] }
        return { body: { kubeconfigs: [{ value: Buffer.from(JSON.stringify(config)).toString('base64') }] } }
      }
      if (path.startsWith('/k8s/')) {
        const items = objects[path.split('/').at(-1)!] ?? []
        return { body: { kind: 'List', metadata: {}, items } }
      }
      if (path === `${root}/resourceGroups/MC_aks-1/providers/Microsoft.Network/publicIPAddresses`)
        return {
          body: {
            value: [
              {
                id: '/x',
                properties: {
                  ipAddress: '20.1.2.3',
                  ipConfiguration: { id: `${balancer}/frontendIPConfigurations/f` },
                },
              },
            ],
          },
        }
      return { body: { value: [] } }
    })
    const usages = await Array.fromAsync(azureCloud(server.options).usage(account, at))
    expect(usages.map(({ clusterUid, nodes = [] }) => [clusterUid, nodes.length])).to.deep.equal([
      [clusters[0]!.id.toLowerCase(), 1],
    ])
    expect(usages[0]!.loadBalancers?.map(({ resourceUid }) => resourceUid)).to.deep.equal([balancer.toLowerCase()])
  })
})
