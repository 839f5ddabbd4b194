import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import {
  account,
  answerServer,
  armError,
  fails,
  type Answer,
  type AnswerServer,
  type Question,
} from './answer-server.ts'
import { answering, idOf, isSeen, lists, root, scanned } from './world.ts'

const clusters = `${root}/providers/Microsoft.ContainerService/managedClusters`
const one = (name: string, code = 'Running') => ({
  id: idOf('Microsoft.ContainerService/managedClusters', name),
  name,
  location: 'westeurope',
  properties: { powerState: { code } },
})
const uid = (name: string) => one(name).id.toLowerCase()

/** As AKS gives it to a cluster that asks Entra, with what it would have a person run. */
const kubeconfig = (server: string, user: object) =>
  Buffer.from(
    JSON.stringify({ clusters: [{ cluster: { server } }], users: [{ user }], contexts: [], 'current-context': '' }),
  ).toString('base64')

const exec = { exec: { command: 'kubelogin', args: ['get-token'] } }
const deployment = { metadata: { name: 'web', namespace: 'shop', uid: '1' }, spec: { replicas: 2 }, status: {} }

describe('what runs in clusters of AKS', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  const serving = async (
    names: readonly [string, string?][],
    more: (q: Question) => Answer | undefined = () => undefined,
  ) => {
    const answer = answering({
      ...lists(),
      [clusters.slice(root.length)]: names.map(([name, code]) => one(name, code)),
    })
    server = await answerServer((question) => {
      const own = more(question)
      if (own) return own
      const { path } = question
      if (path.startsWith('/k8s/'))
        return { body: { kind: 'List', metadata: {}, items: path.endsWith('/deployments') ? [deployment] : [] } }
      const [, name] = /\/managedClusters\/([^/]+)\/listClusterUserCredential$/i.exec(path) ?? []
      if (name) return { body: { kubeconfigs: [{ value: kubeconfig(`${server.url}/k8s/${name}`, exec) }] } }
      return answer(question)
    })
  }

  it('is found by a token of the application for AKS, where the cluster says that it is', async () => {
    await serving([['aks-1']])
    const { found, seen, message } = await scanned(server, account, undefined, true)
    const child = found.find(({ type }) => type === 'azure-aks-deployment')
    expect([child?.resourceUid, child?.parentUID, child?.region]).to.deep.equal([
      `${uid('aks-1')}/shop/deployment/web`,
      uid('aks-1'),
      'westeurope',
    ])
    const tokens = new Set(server.asked.filter(({ path }) => path.startsWith('/k8s/')).map(({ token }) => token))
    expect([...tokens]).to.deep.equal(['token-2-6dae42f8-4368-4678-94ff-3960e28e3630/.default'])
    expect([isSeen(seen, 'azure-aks-deployment', 'westeurope', 'whatever'), message]).to.deep.equal([true, undefined])
  })

  it('is not looked for in a cluster that is stopped, and what was in it stays', async () => {
    await serving([['aks-1', 'Stopped'], ['aks-2']])
    const { seen } = await scanned(server, account, undefined, true)
    const parents = ['aks-1', 'aks-2'].map((name) => isSeen(seen, 'azure-aks-deployment', 'westeurope', uid(name)))
    expect(parents).to.deep.equal([false, true])
    expect(server.asked.filter(({ path }) => path.endsWith('listClusterUserCredential')).length).to.equal(1)
  })

  it('is not seen, nor deleted, where the cluster does not let us in, and the others are', async () => {
    await serving([['aks-1'], ['aks-2']], ({ path }) =>
      path.endsWith('aks-1/listClusterUserCredential') ? armError(403, 'AuthorizationFailed') : undefined,
    )
    const { seen, missing } = await scanned(server, account, undefined, true)
    const parents = ['aks-1', 'aks-2'].map((name) => isSeen(seen, 'azure-aks-deployment', 'westeurope', uid(name)))
    expect(parents).to.deep.equal([false, true])
    expect(missing).to.deep.equal(['Microsoft.ContainerService/managedClusters/listClusterUserCredential/action'])
  })

  it('is scaled in its cluster by the token that a cluster without Entra gives', async () => {
    await serving([['aks-1']], ({ path, method }) => {
      if (path.endsWith('/listClusterUserCredential'))
        return { body: { kubeconfigs: [{ value: kubeconfig(`${server.url}/k8s/aks-1`, { token: 'own-token' }) }] } }
      if (path === uid('aks-1')) return { body: one('aks-1') }
      if (path.endsWith('/deployments/web') && method === 'GET') return { body: deployment }
      return undefined
    })
    const resource = {
      resourceUid: `${uid('aks-1')}/shop/deployment/web`,
      type: 'azure-aks-deployment',
      region: 'westeurope',
    }
    const { exists, capacity } = await azureCloud(server.options).look(account, resource)
    expect([exists, capacity?.desired]).to.deep.equal([true, 2])
    const tokens = new Set(server.asked.filter(({ path }) => path.startsWith('/k8s/')).map(({ token }) => token))
    expect([...tokens]).to.deep.equal(['own-token'])
  })

  it('is nothing of ours where its uid is of another subscription', async () => {
    await serving([])
    const other = uid('aks-1').replace(/^\/subscriptions\/[^/]+/, '/subscriptions/00000000-0000-0000-0000-000000000001')
    const resource = { resourceUid: `${other}/shop/deployment/web`, type: 'azure-aks-deployment', region: '' }
    expect(await fails(azureCloud(server.options).look(account, resource))).to.equal('user_action not_found')
    expect(server.asked).to.deep.equal([])
  })
})
