import { expect } from 'chai'
import { azurePermissions } from '#streams/cloud/azure/permission/permissions.ts'
import { permissionOf } from '#streams/cloud/azure/session/path.ts'
import { chains } from '#streams/cloud/azure/discover/index.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { account, answerServer, armError, fails, type AnswerServer, type Question } from './answer-server.ts'
import { answering, idOf, isSeen, lists, machines, pageSize, root, scanned } from './world.ts'

const list = (kind: string) => `${root}/providers/${kind}`
const vms = list('Microsoft.Compute/virtualMachines')
const types = chains().flatMap((chain) => chain.flatMap((one) => one.types))

describe('discovery of a subscription of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const world = (all = lists()) => answering(all)
  const serving = async (...given: Parameters<typeof answerServer>) => (server = await answerServer(...given))

  it('finds all of it once, parents before children, and has seen every type', async () => {
    await serving(world())
    const { found, seen, missing, message, fault } = await scanned(server)
    const uids = found.map(({ resourceUid }) => resourceUid)
    const pool = `${idOf('Microsoft.ContainerService/managedClusters', 'aks-1')}/agentPools/system`
    const all = [...Object.values(lists()).flat(), { id: pool }, { id: root }] as { id: string }[]
    expect(uids.toSorted()).to.deep.equal(all.map(({ id }) => id.toLowerCase()).toSorted())
    const late = found.filter(({ parentUID }, at) => parentUID && !uids.slice(0, at).includes(parentUID))
    expect(late).to.deep.equal([])
    for (const type of types) expect(isSeen(seen, type, 'anywhere'), type).to.equal(true)
    expect({ missing, message, fault }).to.deep.equal({ missing: [], message: undefined, fault: undefined })
  })

  it('tells machines that run from those that are off, by one list for all of them, whatever the case of ids', async () => {
    await serving(world())
    const { found } = await scanned(server, account, new Set(['azure-vm']))
    const states = machines.map((_, at) => (at % 2 ? 'stopped deallocated' : 'running running'))
    expect(found.map(({ status, specs }) => `${status} ${String(specs?.['power_state'])}`)).to.deep.equal(states)
    expect(server.asked.filter(({ query }) => query['statusOnly']).length).to.equal(1)
    expect(server.asked.filter(({ path }) => path === vms).length).to.equal(1 + Math.ceil(machines.length / pageSize))
  })

  it('tells a pool of desktops by the power of its machines, and by what its hosts say where that is not to be seen', async () => {
    const kind = 'Microsoft.DesktopVirtualization/hostPools'
    const away = (id: string) => id.replace(root, '/subscriptions/2b2b2b2b-0000-4000-8000-000000000000')
    // Machines of an odd number are off, whatever their hosts still say.
    const hosts: Record<string, readonly [machine: string, says: string][]> = {
      on: [
        [machines[1]!.id, 'Unavailable'],
        [machines[2]!.id, 'Unavailable'],
      ],
      off: [
        [machines[1]!.id, 'Available'],
        [idOf('Microsoft.Compute/virtualMachines', 'gone'), 'Available'],
      ],
      near: [[away(machines[1]!.id), 'NeedsAssistance']],
      far: [[away(machines[2]!.id), 'Shutdown']],
      local: [[idOf('Microsoft.HybridCompute/machines', 'one'), 'Available']],
      none: [],
    }
    const pools = Object.keys(hosts).map((name) => ({ id: idOf(kind, name), name, location: 'westeurope' }))
    const inside = Object.entries(hosts).map(([name, all]) => [
      `/resourceGroups/Shop/providers/${kind}/${name}/sessionHosts`,
      all.map(([resourceId, status], at) => ({
        id: `${idOf(kind, name)}/sessionHosts/${at}`,
        properties: { resourceId, status },
      })),
    ])
    const answer = world({ [`/providers/${kind}`]: pools, ...Object.fromEntries(inside) })
    const states = async () => {
      const { found } = await scanned(server, account, new Set(['azure-avd-host-pool', 'azure-vm']))
      return found.flatMap(({ type, name, status }) => (type === 'azure-vm' ? [] : `${name} ${status}`))
    }
    await serving(answer)
    expect(await states()).to.deep.equal([
      'on running',
      'off stopped',
      'near running',
      'far stopped',
      'local running',
      'none stopped',
    ])
    expect(server.asked.filter(({ query }) => query['statusOnly']).length).to.equal(1)
    await server.close()
    await serving((one) => (one.query['statusOnly'] ? armError(403, 'AuthorizationFailed') : answer(one)))
    expect(await states()).to.deep.equal([
      'on stopped',
      'off running',
      'near running',
      'far stopped',
      'local running',
      'none stopped',
    ])
  })

  it('knows scale sets of clusters, which their pools hold, from those that stand alone', async () => {
    await serving(world())
    const { found } = await scanned(server, account, new Set(['azure-vmss']))
    const told = found.map(({ name, parentUID, schedulable }) => ({ name, parentUID, schedulable }))
    const parentUID = idOf('Microsoft.ContainerService/managedClusters', 'aks-1').toLowerCase()
    expect(told).to.deep.equal([
      { name: 'web', parentUID: undefined, schedulable: undefined },
      { name: 'aks-system', parentUID, schedulable: false },
    ])
  })

  it('has not seen what was lost in the middle of its pages, and everything else', async () => {
    const answer = world()
    await serving((question) =>
      question.path === vms && question.query['$skiptoken'] === '4' ? { status: 500 } : answer(question),
    )
    const { found, seen, message } = await scanned(server)
    expect(found.filter(({ type }) => type === 'azure-vm').length).to.equal(2 * pageSize)
    expect(types.filter((type) => !isSeen(seen, type))).to.deep.equal(['azure-vm'])
    expect(message).to.match(/^Virtual machine could not be discovered: GET Microsoft.Compute\/virtualMachines: /)
  })

  it('names the right that a list lacks, and has not seen what it would have held', async () => {
    const answer = world()
    await serving((question) =>
      question.path === list('Microsoft.Web/sites') ? armError(403, 'AuthorizationFailed') : answer(question),
    )
    const { found, seen, missing, message } = await scanned(server)
    expect(found.some(({ type }) => type === 'azure-web-app')).to.equal(false)
    expect(types.filter((type) => !isSeen(seen, type))).to.deep.equal(['azure-web-app', 'azure-function-app'])
    expect(missing).to.deep.equal(['Microsoft.Web/sites/read'])
    expect(message).to.equal(
      'Web app, Function app could not be discovered: the application is missing the permission Microsoft.Web/sites/read.',
    )
  })

  it('finds sets and machines where it may not ask for their states and bounds, and says what it lacks', async () => {
    const answer = world()
    const isRefused = ({ path, query }: Question) =>
      path.endsWith('/instanceView') || path.endsWith('/autoscaleSettings') || query['statusOnly'] !== undefined
    await serving((question) => (isRefused(question) ? armError(403, 'AuthorizationFailed') : answer(question)))
    const { found, seen, missing } = await scanned(server)
    expect(missing).to.deep.equal([
      'Microsoft.Compute/virtualMachineScaleSets/instanceView/read',
      'Microsoft.Compute/virtualMachines/read',
      'Microsoft.Insights/autoscaleSettings/read',
    ])
    const [machine, set] = ['vm-0', 'web'].map((name) => found.find((one) => one.name === name)!)
    expect([machine!.status, set!.status, set!.specs?.['autoscale']]).to.deep.equal([undefined, 'running', undefined])
    expect(types.filter((type) => !isSeen(seen, type))).to.deep.equal([])
    expect(server.asked.filter(({ path }) => path.endsWith('/instanceView')).length).to.be.at.most(2)
  })

  it('has seen the databases of those servers that let it, by their parents', async () => {
    const answer = world()
    await serving((question) => (question.path.endsWith('/sql-2/databases') ? { status: 503 } : answer(question)))
    const { found, seen, message } = await scanned(server)
    const servers = ['sql-1', 'sql-2'].map((name) => idOf('Microsoft.Sql/servers', name).toLowerCase())
    expect(found.filter(({ type }) => type === 'azure-sql-database').map(({ parentUID }) => parentUID)).to.deep.equal([
      servers[0],
    ])
    const databases = servers.map((parent) => isSeen(seen, 'azure-sql-database', 'westeurope', parent))
    expect([...databases, isSeen(seen, 'azure-sql-server')]).to.deep.equal([true, false, true])
    expect(message).to.match(/^SQL elastic pool, SQL database could not be discovered: /)
  })

  it('takes a provider that is not registered, and a list that is not there, for one that has nothing', async () => {
    const answer = world()
    await serving((question) => {
      if (question.path === list('Microsoft.Kusto/clusters')) return armError(409, 'MissingSubscriptionRegistration')
      if (question.path === list('Microsoft.DBforMySQL/servers')) return armError(404, 'InvalidResourceType')
      return answer(question)
    })
    const { seen, message } = await scanned(server)
    expect([isSeen(seen, 'azure-kusto'), isSeen(seen, 'azure-mysql'), message]).to.deep.equal([true, true, undefined])
  })

  it('ends where the credentials are refused in between, and has seen nothing', async () => {
    const answer = world()
    await serving((question) =>
      question.path === vms ? armError(401, 'InvalidAuthenticationToken') : answer(question),
    )
    const { seen, fault } = await scanned(server)
    expect(await fails(Promise.reject(fault as Error))).to.equal('user_action credentials_refused')
    expect(seen).to.deep.equal([])
  })

  it('tells of the regions of the account alone, as it writes them or Azure does, and deletes what lies elsewhere', async () => {
    await serving(world())
    const { found, seen } = await scanned(server, { ...account, regions: ['West Europe'] })
    expect(new Set(found.map(({ region }) => region))).to.deep.equal(new Set(['westeurope', '']))
    expect(found.map(({ name }) => name)).to.include.members(['shop', 'vm-0'])
    expect(isSeen(seen, 'azure-vm', 'westeurope')).to.equal(true)
    // Nothing is found there any more: it leaves the inventory.
    expect(seen.at(-1)).to.deep.equal({ types: [], regions: [], outsideOf: ['westeurope', '', 'global'] })
  })

  it('asks for what is wanted alone, and has seen that alone', async () => {
    await serving(world())
    const { found, seen } = await scanned(server, account, new Set(['azure-web-app']))
    expect(found.map(({ name }) => name)).to.deep.equal(['shop'])
    expect(server.asked.map(({ path }) => path)).to.deep.equal([list('Microsoft.Web/sites')])
    expect(seen).to.deep.equal([{ types: ['azure-web-app'], regions: [] }])
  })

  it('finds everything where a third of all questions is throttled at first', async () => {
    const answer = world()
    let count = 0
    await serving(
      (question, times) => (times === 0 && count++ % 3 === 0 ? armError(429, 'TooManyRequests') : answer(question)),
      { rules: { budgetMin: 1000 } },
    )
    const { found, message } = await scanned(server)
    expect([found.length, message]).to.deep.equal([Object.values(lists()).flat().length + 2, undefined])
  })

  it('asks for nothing that the table of rights does not name', async () => {
    await serving(world())
    await scanned(server)
    const allowed = new Set(azurePermissions.filter(({ access }) => access === 'read').flatMap(({ names }) => names))
    // What is asked of the tenant has rights with other names.
    const asked = server.asked.filter(({ path }) => path.startsWith(root))
    const needed = [...new Set(asked.map(({ method, path }) => permissionOf(method, path)))]
    expect(needed.filter((name) => !allowed.has(name))).to.deep.equal([])
    expect(needed.length).to.be.above(35)
  })

  it('finds types that the product knows, each by one finder', () => {
    expect(types.filter((type) => typeOf(type)?.provider !== 'azure')).to.deep.equal([])
    expect(new Set(types).size).to.equal(types.length)
  })
})
